"""Exported networks in onnxruntime: the same labels."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from conftest import NETWORKS, inputs_of

import spikenm

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

# What is changed of every neuron, or of every pool, of one trained network.
CHANGES = {
    "if": {"neuron": {"kind": "if", "threshold": 1.0}},
    "soft": {"neuron": {"reset": "soft"}},
    "v_reset": {"neuron": {"v_reset": -0.2}},
    "decay": {"neuron": {"decay_input": True, "threshold": 0.1}},
    "cuba-lif": {"neuron": {"kind": "cuba-lif", "tau_syn": 1.5, "threshold": 0.2}},
    "max": {"pool": {"kind": "max"}},
}


def run_onnx(path, frames: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(["scores"], {"frames": np.ascontiguousarray(frames)})[0]


def test_labels_and_scores_are_those_of_the_packed_network(small_run, tmp_path):
    spikenm.onnx.export(small_run, tmp_path / "m.onnx")
    data = spikenm.data.samples("moving-shapes", T=4, test_size=50)
    scores = run_onnx(tmp_path / "m.onnx", np.ascontiguousarray(data.frames.swapaxes(0, 1)))
    expected = small_run.runtime(dtype="fp32")(data.frames)
    assert np.ptp(expected) > 0.05
    np.testing.assert_allclose(scores, expected, atol=1e-4)
    np.testing.assert_array_equal(scores.argmax(1), expected.argmax(1))
    assert 100 * (scores.argmax(1) == data.labels).mean() == pytest.approx(small_run.result["test_accuracy"])


@pytest.mark.parametrize("name", CHANGES)
def test_every_neuron_and_pool_computes_the_same(name, small_run, tmp_path):
    torch = pytest.importorskip("torch")
    from spikenm.networks import torch_network
    from spikenm.onnx import _Writer

    graph, tensors = small_run.graph(), small_run.tensors()
    for node in graph["node"]:
        node.update(CHANGES[name].get(node["op"], {}))
    onnx.save(_Writer(onnx, graph, tensors, 4, True).model(), tmp_path / "m.onnx")
    frames = spikenm.data.samples("moving-shapes", T=4, limit=8, test_size=50).frames.swapaxes(0, 1)
    with torch.no_grad():
        expected = torch_network(graph, tensors, 4)(torch.from_numpy(frames)).numpy()
    assert np.ptp(expected) > 0.02
    np.testing.assert_allclose(run_onnx(tmp_path / "m.onnx", np.ascontiguousarray(frames)), expected, atol=1e-4)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_kind_of_network_gives_the_scores_of_eval(name, trained, eval_scores, tmp_path):
    run = trained(name)
    expected, inputs = eval_scores(run), inputs_of(run)
    assert np.ptp(expected) > 0.05
    np.testing.assert_allclose(run.runtime(dtype="fp32")(inputs), expected, atol=1e-4)
    spikenm.onnx.export(run, tmp_path / "m.onnx")
    scores = run_onnx(tmp_path / "m.onnx", inputs[:, 0] if name == "image" else inputs.swapaxes(0, 1))
    np.testing.assert_allclose(scores, expected, atol=1e-4)
    np.testing.assert_array_equal(scores.argmax(1), expected.argmax(1))


def write_png(path, pixels: np.ndarray) -> None:
    """Grey pixels [height,width]."""
    height, width = pixels.shape
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
              (b"IDAT", zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels))), (b"IEND", b"")]
    framed = [struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(framed))


def test_pictures_of_ones_own_are_read_without_time(program, tmp_path):
    random = np.random.default_rng(2)
    for part, n in (("train", 10), ("test", 4)):
        for label, name in enumerate(("dark", "light")):
            (tmp_path / "pictures" / part / name).mkdir(parents=True)
            for i in range(n):
                pixels = random.integers(128 * label, 128 * label + 128, (16, 16), np.uint8)
                write_png(tmp_path / "pictures" / part / name / f"{i}.png", pixels)
    config = {"data": {"name": "image-folder", "root": str(tmp_path / "pictures"), "resize": 16, "colors": "gray"},
              "model": {"name": "mlp", "hidden": [16], "T": 3}, "method": {"name": "dense"}, "train": {"epochs": 1, "batch_size": 5}}
    run = spikenm.train(config, out=tmp_path / "run", quiet=True)
    spikenm.onnx.export(run, tmp_path / "m.onnx")
    assert run_onnx(tmp_path / "m.onnx", np.zeros((5, 1, 16, 16), np.float32)).shape == (5, 2)


def test_an_image_lasts_all_steps(small_run, tmp_path):
    spikenm.onnx.export(small_run.path, tmp_path / "m.onnx", images=True)
    spikenm.onnx.export(small_run, tmp_path / "t.onnx")
    image = np.random.default_rng(1).random((3, 2, 34, 34), dtype=np.float32)
    repeated = np.ascontiguousarray(np.broadcast_to(image, (4, *image.shape)))
    np.testing.assert_allclose(run_onnx(tmp_path / "m.onnx", image), run_onnx(tmp_path / "t.onnx", repeated), atol=1e-5)
