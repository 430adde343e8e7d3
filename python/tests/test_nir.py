"""NIR files: the real package opens them, and SpikingJelly's reader runs them to the same labels."""

from __future__ import annotations

import re

import numpy as np
import pytest

import spikenm

nir = pytest.importorskip("nir")


def run_by_spikingjelly(path, frames: np.ndarray) -> np.ndarray:
    torch = pytest.importorskip("torch")
    pytest.importorskip("nirtorch")
    exchange = pytest.importorskip("spikingjelly.activation_based.nir_exchange")
    net = exchange.import_from_nir(str(path), step_mode="m").eval()
    with torch.no_grad():
        return net(torch.from_numpy(np.ascontiguousarray(frames.swapaxes(0, 1))))[0].mean(0).numpy()


def test_the_nir_package_opens_it(small_run, tmp_path):
    spikenm.nir.export(small_run, tmp_path / "m.nir")
    graph = nir.read(tmp_path / "m.nir")
    kinds = [type(node).__name__ for node in graph.nodes.values()]
    assert sorted(set(kinds)) == ["Affine", "AvgPool2d", "Conv2d", "Flatten", "Input", "LIF", "Linear", "Output"]
    keep = small_run.masks()["conv2"]
    assert not graph.nodes["conv2"].weight[~keep].any()  # a folded norm leaves zeros where they are
    assert ("input", "conv1") in graph.edges and ("conv1", "lif_conv1") in graph.edges


def test_spikingjelly_runs_it_to_the_same_labels(small_run, tmp_path):
    spikenm.nir.export(small_run, tmp_path / "m.nir")
    data = spikenm.data.samples("moving-shapes", T=4, test_size=50)
    expected = small_run.runtime(dtype="fp32")(data.frames)
    scores = run_by_spikingjelly(tmp_path / "m.nir", data.frames)
    assert np.ptp(expected) > 0.05
    # A norm in the weights rounds otherwise: on some processor a spike at the threshold may differ.
    assert (np.abs(scores - expected).max(1) < 1e-4).mean() > 0.9
    np.testing.assert_array_equal(scores.argmax(1), expected.argmax(1))


@pytest.mark.parametrize("change", [{"kind": "if", "threshold": 1.0}, {"decay_input": True, "threshold": 0.1}])
def test_other_neurons_run_too(change, small_run, tmp_path):
    torch = pytest.importorskip("torch")
    from spikenm.networks import torch_network
    from spikenm.nir import _Writer

    graph, tensors = small_run.graph(), small_run.tensors()
    for node in graph["node"]:
        if node["op"] == "neuron":
            node.update(change)
    nir.write(tmp_path / "m.nir", _Writer(nir, graph, tensors, 1e-4).graph())
    frames = spikenm.data.samples("moving-shapes", T=4, limit=20, test_size=50).frames
    with torch.no_grad():
        expected = torch_network(graph, tensors, 4)(torch.from_numpy(frames).transpose(0, 1)).numpy()
    assert np.ptp(expected) > 0.02
    close = np.abs(run_by_spikingjelly(tmp_path / "m.nir", frames) - expected).max(1) < 1e-3
    assert close.mean() > 0.9


@pytest.mark.parametrize("name", ["max_pool", "6conv2fc", "sew"])
def test_other_networks_run_to_the_same_labels(name, trained, tmp_path):
    run = trained(name)
    spikenm.nir.export(run, tmp_path / "m.nir")
    graph = nir.read(tmp_path / "m.nir")
    readers = [target for _, target in graph.edges]
    assert (max(map(readers.count, readers)) > 1) == (name == "sew")  # a sum is two edges
    assert name == "sew" or any(type(node).__name__ == "IF" for node in graph.nodes.values())  # of a max pool

    frames = spikenm.data.samples("moving-shapes", T=run.config["model"]["T"], limit=20, test_size=50).frames
    expected = run.runtime(dtype="fp32")(frames)
    scores = run_by_spikingjelly(tmp_path / "m.nir", frames)
    assert np.ptp(expected) > 0.02
    close = np.abs(scores - expected).max(1) < 1e-4
    assert close.mean() > 0.8  # a spike at the threshold may differ
    np.testing.assert_array_equal(scores.argmax(1), expected.argmax(1))


@pytest.mark.parametrize(
    ("op", "change", "sentence"),
    [
        ("neuron", {"reset": "soft"}, "lif_conv1: found a soft reset"),
        ("neuron", {"kind": "cuba-lif"}, "lif_conv1: found a 'cuba-lif' neuron"),
    ],
)
def test_what_nir_cannot_say_is_refused_by_name(op, change, sentence, small_run):
    from spikenm.nir import _Writer

    graph = small_run.graph()
    for node in graph["node"]:
        if node["op"] == op:
            node.update(change)
    with pytest.raises(spikenm.Error, match=sentence):
        _Writer(nir, graph, small_run.tensors(), 1e-4).graph()
    for dt in (0, -1.0, 1e-320, 1e300, float("nan"), float("inf"), None, "1"):
        with pytest.raises(spikenm.Error, match=re.escape(f"dt: found {dt!r}, wanted")):
            spikenm.nir.export(small_run, "x.nir", dt=dt)


def test_a_max_pool_of_more_than_spikes_is_refused(small_run):
    from spikenm.nir import _Writer

    graph = small_run.graph()
    pool = next(node for node in graph["node"] if node["op"] == "pool")
    pool.update(kind="max", inputs=["input"])
    with pytest.raises(spikenm.Error, match=f"{pool['name']}: found a max pool of 'input', which is more than spikes"):
        _Writer(nir, graph, small_run.tensors(), 1e-4).graph()
