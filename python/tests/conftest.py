"""What the tests share: the clone, the programs of its build, and one small run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spikenm

CLONE = Path(__file__).resolve().parents[2]
SMALL = {
    "data": {"name": "moving-shapes", "train_size": 100, "test_size": 50},
    "model": {"name": "small_conv", "T": 4, "width": 8},
    "neuron": {"threshold": 0.3, "decay_input": False},  # so that spikes reach the end at once
    "method": {"name": "spikenm", "pattern": "2:4"},
    "train": {"epochs": 2, "batch_size": 25, "loss": "tet"},
}
# What differs between networks: neurons, resets, surrogates, pools, sums, a mean at the end, pruned neurons, images.
NETWORKS: dict[str, dict[str, Any]] = {
    "soft_plif": {"neuron": {"name": "plif", "reset": "soft", "threshold": 0.2}},
    "if": {"neuron": {"name": "if", "threshold": 0.7, "surrogate": "sigmoid"}},
    "triangle": {"neuron": {"threshold": 0.2, "surrogate": "triangle"}},
    "cuba-lif": {"neuron": {"name": "cuba-lif", "tau_syn": 1.5, "threshold": 0.2}},
    "pruned_neurons": {"method": {**SMALL["method"], "granularity": "weight+neuron", "target_conn": 0.4}},
    "max_pool": {"model": {**SMALL["model"], "pool": "max"}},
    "6conv2fc": {"model": {"name": "6conv2fc", "T": 4, "width": 8, "fc": 64}, "train": {**SMALL["train"], "lr": 0.005}},
    "sew": {"model": {"name": "sew_resnet18", "T": 2, "width": 4}},
    "image": {"data": {"name": "mnist"}},
}


def write_images(folder: Path) -> None:
    """A set in the form of MNIST's files: 100 and 50 squares, whose places are the classes."""
    random = np.random.default_rng(0)
    folder.mkdir()
    for part, n in (("train", 100), ("t10k", 50)):
        labels = (np.arange(n) % 10).astype(np.uint8)
        images = random.integers(0, 64, (n, 28, 28), np.uint8)
        for image, label in zip(images, labels):
            row, column = divmod(int(label), 4)
            image[8 * row : 8 * row + 8, 7 * column : 7 * column + 7] = 255
        for kind, values in (("images-idx3", images), ("labels-idx1", labels)):
            sizes = np.array(values.shape, ">u4").tobytes()
            (folder / f"{part}-{kind}-ubyte").write_bytes(bytes((0, 0, 8, values.ndim)) + sizes + values.tobytes())


@pytest.fixture(scope="session")
def clone() -> Path:
    return CLONE


@pytest.fixture(scope="session")
def golden_model() -> Path:
    """A .snm of three layers and two classes: 3 frames of 2x8x8."""
    return CLONE / "tests/golden/model_v1.snm"


@pytest.fixture(scope="session")
def program() -> str:
    try:
        return spikenm.find_program()
    except spikenm.Error as e:
        pytest.skip(str(e))


@pytest.fixture(scope="session")
def run_program(program: str) -> str:
    beside = Path(program).with_name("spikenm-run")
    found = str(beside) if os.access(beside, os.X_OK) else shutil.which("spikenm-run")
    return found or pytest.skip("found no spikenm-run")


@pytest.fixture(scope="session")
def small_run(program: str, tmp_path_factory: pytest.TempPathFactory) -> spikenm.Run:
    return spikenm.train(SMALL, out=tmp_path_factory.mktemp("runs") / "small", quiet=True)


@pytest.fixture(scope="session")
def small_dense_run(program: str, tmp_path_factory: pytest.TempPathFactory) -> spikenm.Run:
    config = SMALL | {"method": {"name": "dense"}, "train": SMALL["train"] | {"epochs": 1}}
    return spikenm.train(config, out=tmp_path_factory.mktemp("runs") / "dense", quiet=True)


@pytest.fixture(scope="session")
def trained(program: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], spikenm.Run]:
    """The run of a row of NETWORKS, trained when it is first asked for."""
    folder = tmp_path_factory.mktemp("networks")

    def run_of(name: str) -> spikenm.Run:
        if not (folder / name).exists():
            config = {**SMALL, **NETWORKS[name]}
            if config["data"]["name"] == "mnist":
                write_images(folder / "images")
                config["data"] = {**config["data"], "root": str(folder / "images")}
            spikenm.train(config, out=folder / name, quiet=True)
        return spikenm.load(folder / name)

    return run_of


def inputs_of(run: spikenm.Run, limit: int = 0) -> np.ndarray:
    """The test part as the network reads it, [N,T,C,H,W] or [N,1,C,H,W]."""
    data = {key: value for key, value in run.config["data"].items() if key in ("name", "root", "test_size")}
    values = spikenm.data.samples(**data, T=run.config["model"]["T"], limit=limit).frames
    if data["name"] != "mnist":
        return values
    rt = run.runtime(dtype="fp32")
    return np.stack([rt.normalize(image) for image in values])


def scores_of(net: Any, inputs: np.ndarray) -> np.ndarray:
    """Of a module that reads [T,B,C,H,W], or images [B,C,H,W]."""
    import torch

    frames = inputs[:, 0] if inputs.shape[1] == 1 else inputs.swapaxes(0, 1)
    with torch.no_grad():
        return net(torch.from_numpy(np.ascontiguousarray(frames))).numpy()


@pytest.fixture(scope="session")
def eval_scores(program: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[spikenm.Run], np.ndarray]:
    """The scores of each test sample as `spikenm eval` has them."""
    safetensors = pytest.importorskip("safetensors.numpy")
    folder = tmp_path_factory.mktemp("scores")

    def scores_by(run: spikenm.Run) -> np.ndarray:
        out = folder / f"{run.path.name}.safetensors"
        if not out.exists():
            subprocess.run([program, "eval", run.path, "--scores", out], check=True, capture_output=True)
        return safetensors.load_file(out)["scores"]

    return scores_by


@pytest.fixture(autouse=True, scope="session")
def one_thread_of_torch() -> None:
    """Its threads spin, which makes small nets slow on a busy machine."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
