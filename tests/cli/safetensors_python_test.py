"""A run's model files and checkpoints open with the safetensors package, its masks obey 2:4, and its checksums are those of its tensors.

usage: safetensors_python_test.py PROGRAM     (needs the packages safetensors and numpy)
"""

import contextlib
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

SHAPES = {  # small_conv of width 4 on 2x34x34 frames, 10 classes, 1 voter
    "conv1": (4, 2, 3, 3),
    "conv2": (8, 4, 3, 3),
    "conv3": (8, 8, 3, 3),
    "fc1": (10, 8 * 4 * 4, 1, 1),
}


def make_run(program, folder, axis):
    subprocess.run(
        [program, "train", "--out", folder, "data.train_size=60", "data.test_size=20",
         "model.width=4", "model.voters=1", "model.T=2", "train.epochs=2", "train.search_epochs=1",
         "train.batch_size=20", "method.name=spikenm", "method.pattern=2:4", f"method.axis={axis}", "checkpoints.every_epochs=1"],
        check=True, stdout=subprocess.DEVNULL)


def blocks_of(mask, axis):
    """The mask's blocks of four as rows; tails are returned apart."""
    rows = mask.reshape(1, -1) if axis == "flat" else mask.transpose(0, 2, 3, 1).reshape(-1, mask.shape[1])
    whole = rows.shape[1] // 4 * 4
    return rows[:, :whole].reshape(-1, 4), rows[:, whole:]


def crc32c(data):
    total = 0xFFFFFFFF
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = total >> 1 ^ (0x82F63B78 if total & 1 else 0)
    return total ^ 0xFFFFFFFF


def check_sums(path):
    """One checksum for each tensor, in the order of the bytes."""
    content = path.read_bytes()
    data = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:data])
    metadata = header.pop("__metadata__")
    places = sorted(entry["data_offsets"] for entry in header.values())
    found = [f"{crc32c(content[data + begin:data + end]):08x}" for begin, end in places]
    assert metadata["crc32c.tensors"].split(" ") == found, metadata["crc32c.tensors"]
    assert len(metadata["crc32c"]) == 8, metadata["crc32c"]


def check(path, axis):
    tensors = load_file(path)
    wanted = {f"{layer}.{kind}" for layer in SHAPES for kind in ("weight", "mask")}
    wanted |= {f"bn_{layer}.{kind}" for layer in SHAPES if layer != "fc1"
               for kind in ("weight", "bias", "running_mean", "running_var")}
    assert set(tensors) == wanted, sorted(set(tensors) ^ wanted)
    for layer, shape in SHAPES.items():
        weight, mask = tensors[f"{layer}.weight"], tensors[f"{layer}.mask"]
        assert weight.shape == shape and weight.dtype == np.float32, (layer, weight.shape)
        assert mask.shape == shape and mask.dtype == np.uint8, (layer, mask.shape)
        blocks, tail = blocks_of(mask, axis)
        assert np.isin(mask, (0, 1)).all(), layer
        assert (blocks.sum(1) <= 2).all() and (tail == 1).all(), layer
        assert blocks.size == 0 or (blocks.sum(1) >= 1).all(), layer
        assert (weight[mask == 0] == 0).all() and np.isfinite(weight).all(), layer
        assert (weight[mask == 1] != 0).mean() > 0.9, layer
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "spikenm-model" and "[method]" in metadata["config"], metadata


def check_checkpoint(path):
    tensors = load_file(path)
    for layer, shape in SHAPES.items():
        assert tensors[f"network.{layer}.weight"].shape == shape, layer
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert metadata["format"] == "spikenm-checkpoint" and "[method]" in metadata["config"], metadata
    assert json.loads(metadata["graph"])["classes"], metadata["graph"]


def check_page(model):
    """What docs/format.md shows opens a model; its table names every tensor."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/format.md").read_text()
    [code] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code.replace("runs/a/model.safetensors", str(model)))
    assert "conv1.weight" in said.getvalue() and "(8, 4, 3, 3) kept: " in said.getvalue(), said.getvalue()
    names = re.findall(r"`(?:<\w+>)?\.(\w+)`", page.split("# model.safetensors")[1])
    assert {name.split(".")[1] for name in load_file(model)} <= set(names), names
    for key in safe_open(model, framework="numpy").metadata():
        assert f"`{key}`" in page, key


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for axis in ("flat", "in"):
            run = pathlib.Path(folder) / axis
            make_run(program, str(run), axis)
            for name in ("model.safetensors", "model_best_val.safetensors"):
                check(run / name, axis)
                check_sums(run / name)
            check_page(run / "model.safetensors")
            checkpoints = list((run / "checkpoints").iterdir())
            assert len(checkpoints) == 2, checkpoints
            for path in checkpoints:
                check_checkpoint(path)
                check_sums(path)
    print("ok")


if __name__ == "__main__":
    main()
