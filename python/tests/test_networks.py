"""Trained networks as modules: their scores are those of the program, `spikenm eval --scores`."""

from __future__ import annotations

import importlib.util
import json
import subprocess

import numpy as np
import pytest
from conftest import NETWORKS, inputs_of, scores_of

import spikenm

torch = pytest.importorskip("torch")
HAS_SPIKINGJELLY = importlib.util.find_spec("spikingjelly") is not None


@pytest.fixture(scope="module")
def data():
    return spikenm.data.samples("moving-shapes", T=4, test_size=50)


def networks(run) -> dict:
    made = {"torch": run.to_torch()}
    try:
        made["spikingjelly"] = run.to_spikingjelly()
    except spikenm.Error as e:
        if "found no package" not in str(e) and "found a 'cuba-lif' neuron" not in str(e):
            raise
    return made


def test_loss_and_accuracy_are_those_that_eval_prints(small_run, program, data):
    said = subprocess.run([program, "eval", str(small_run.path), "train.loss=ce", "--json"], capture_output=True, text=True, check=True)
    measured = json.loads(said.stdout)
    labels = torch.from_numpy(data.labels)
    for net in networks(small_run).values():
        scores = scores_of(net, data.frames)
        loss = torch.nn.functional.cross_entropy(torch.from_numpy(scores), labels).item()
        assert loss == pytest.approx(measured["test_loss"], abs=1e-4)
        assert 100 * (scores.argmax(1) == data.labels).mean() == pytest.approx(measured["test_accuracy"])


@pytest.mark.parametrize("name", NETWORKS)
def test_scores_are_those_of_eval_for_every_kind_of_network(name, trained, eval_scores):
    run = trained(name)
    expected, inputs = eval_scores(run), inputs_of(run)
    assert np.ptp(expected) > 0.05  # spikes reach the end
    made = networks(run)
    assert ("spikingjelly" in made) == (HAS_SPIKINGJELLY and name != "cuba-lif")
    for kind, net in made.items():
        np.testing.assert_allclose(scores_of(net, inputs), expected, atol=1e-4, err_msg=kind)


def test_training_goes_on_under_the_masks(small_run, data):
    net = small_run.to_torch(per_step=True).train()
    frames = torch.from_numpy(data.frames[:16]).transpose(0, 1)
    labels = torch.from_numpy(data.labels[:16])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    before = net.layers["conv2"].layer.weight.detach().clone()
    scores = net(frames)
    assert scores.shape == (4, 16, 10)
    torch.nn.functional.cross_entropy(scores.mean(0), labels).backward()
    optimizer.step()
    after = net.layers["conv2"].layer.weight.detach()
    assert not torch.equal(before, after)
    keep = torch.from_numpy(small_run.masks()["conv2"])
    assert not after[~keep].any()


def test_an_image_lasts_all_steps(small_run):
    net, image = small_run.to_torch(), torch.rand(3, 2, 34, 34)
    with torch.no_grad():
        torch.testing.assert_close(net(image), net(image.repeat(4, 1, 1, 1, 1)))


def test_frames_of_another_shape_are_refused(small_run):
    with pytest.raises(spikenm.Error, match="wanted .T,B,C,H,W. or .B,C,H,W. with frames of 2x34x34"):
        small_run.to_torch()(torch.zeros(4, 1, 2, 8, 8))


def test_a_neuron_that_spikingjelly_lacks_is_refused(small_run):
    pytest.importorskip("spikingjelly")
    from spikenm.networks import spikingjelly_network

    graph = small_run.graph()
    graph["node"][2]["kind"] = "cuba-lif"
    with pytest.raises(spikenm.Error, match="lif_conv1: found a 'cuba-lif' neuron"):
        spikingjelly_network(graph, small_run.tensors(), 4)
