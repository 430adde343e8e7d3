"""Trained networks as modules: their scores are those of the program."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from conftest import SMALL

import spikenm

torch = pytest.importorskip("torch")

# What differs between networks: neurons, resets, pools, sums, a mean at the end, pruned neurons.
CONFIGS = {
    "soft_plif": {"neuron": {"name": "plif", "reset": "soft", "threshold": 0.2}, "model": SMALL["model"]},
    "if": {"neuron": {"name": "if", "threshold": 0.7, "surrogate": "sigmoid"}, "model": SMALL["model"]},
    "triangle": {"neuron": {"threshold": 0.2, "surrogate": "triangle"}, "model": SMALL["model"]},
    "pruned_neurons": {"method": {**SMALL["method"], "granularity": "weight+neuron", "target_conn": 0.4}},
    "sew": {"model": {"name": "sew_resnet18", "T": 2, "width": 4}},
}


@pytest.fixture(scope="module")
def data():
    return spikenm.data.samples("moving-shapes", T=4, test_size=50)


def networks(run) -> dict:
    made = {"torch": run.to_torch()}
    try:
        made["spikingjelly"] = run.to_spikingjelly()
    except spikenm.Error as e:
        if "found no package" not in str(e):
            raise
    return made


def scores_of(net, frames: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return net(torch.from_numpy(frames).transpose(0, 1)).numpy()


def test_scores_are_those_of_the_packed_network_and_of_eval(small_run, program, data):
    expected = small_run.runtime(dtype="fp32")(data.frames)
    said = subprocess.run([program, "eval", str(small_run.path), "train.loss=ce", "--json"], capture_output=True, text=True, check=True)
    measured = json.loads(said.stdout)
    labels = torch.from_numpy(data.labels)
    assert np.ptp(expected) > 0.05  # spikes reach the end
    for name, net in networks(small_run).items():
        scores = scores_of(net, data.frames)
        np.testing.assert_allclose(scores, expected, atol=1e-4, err_msg=name)
        loss = torch.nn.functional.cross_entropy(torch.from_numpy(scores), labels).item()
        assert loss == pytest.approx(measured["test_loss"], abs=1e-4)
        assert 100 * (scores.argmax(1) == data.labels).mean() == pytest.approx(measured["test_accuracy"])


@pytest.mark.parametrize("name", CONFIGS)
def test_scores_are_equal_for_every_kind_of_layer(name, program, tmp_path):
    config = {**SMALL, **CONFIGS[name]}
    run = spikenm.train(config, out=tmp_path / name, quiet=True)
    frames = spikenm.data.samples("moving-shapes", T=config["model"]["T"], test_size=20).frames
    expected = run.runtime(dtype="fp32")(frames)
    assert np.ptp(expected) > 0.05
    for kind, net in networks(run).items():
        np.testing.assert_allclose(scores_of(net, frames), expected, atol=1e-4, err_msg=kind)


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
