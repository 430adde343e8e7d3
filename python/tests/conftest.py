"""What the tests share: the clone, the programs of its build, and one small run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
# What differs between networks: neurons, resets, surrogates, pools, sums, a mean at the end, pruned neurons.
NETWORKS: dict[str, dict[str, Any]] = {
    "soft_plif": {"neuron": {"name": "plif", "reset": "soft", "threshold": 0.2}},
    "if": {"neuron": {"name": "if", "threshold": 0.7, "surrogate": "sigmoid"}},
    "triangle": {"neuron": {"threshold": 0.2, "surrogate": "triangle"}},
    "cuba-lif": {"neuron": {"name": "cuba-lif", "tau_syn": 1.5, "threshold": 0.2}},
    "pruned_neurons": {"method": {**SMALL["method"], "granularity": "weight+neuron", "target_conn": 0.4}},
    "max_pool": {"model": {**SMALL["model"], "pool": "max"}},
    "6conv2fc": {"model": {"name": "6conv2fc", "T": 4, "width": 8, "fc": 64}, "train": {**SMALL["train"], "lr": 0.005}},
    "sew": {"model": {"name": "sew_resnet18", "T": 2, "width": 4}},
}


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
            spikenm.train({**SMALL, **NETWORKS[name]}, out=folder / name, quiet=True)
        return spikenm.load(folder / name)

    return run_of


@pytest.fixture(autouse=True, scope="session")
def one_thread_of_torch() -> None:
    """Its threads spin, which makes small nets slow on a busy machine."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
