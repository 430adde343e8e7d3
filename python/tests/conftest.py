"""What the tests share: the clone, the programs of its build, and one small run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

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


@pytest.fixture(autouse=True, scope="session")
def one_thread_of_torch() -> None:
    """Its threads spin, which makes small nets slow on a busy machine."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
