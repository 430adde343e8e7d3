"""The Python of docs/python.md runs as it stands, from its first line to its last; only sizes are made smaller, by overrides."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import CLONE

import spikenm

PARTS = re.findall(r"```python\n(.*?)```", (CLONE / "docs/python.md").read_text(encoding="utf-8"), re.DOTALL)
# The one set that nobody has at hand.
NO_DATA, BUILT_IN = 'samples("n-mnist", T=8, root="DIR", limit=100)', 'samples("moving-shapes", T=8, limit=5)'
# Its config goes to the program as it is, so that every other key has its default.
SIZES = {"data.train_size": 100, "data.test_size": 50, "model.T": 4, "model.width": 8, "train.epochs": 6, "train.batch_size": 25}


def test_there_are_four_parts():
    begins = ["import spikenm", "run = spikenm.train(", "from spikenm.torch import sparsify", "sample = rt.read(\"recording.aedat4\")"]
    assert len(PARTS) == len(begins) and all(part.startswith(begin) for part, begin in zip(PARTS, begins))
    assert NO_DATA in PARTS[0] and PARTS[1].count("< 95") == 1


def a_search_of_ones_own() -> dict[str, Any]:
    """A net that loops over time, and what its loop needs."""
    torch = pytest.importorskip("torch")

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(8, 3)

        def forward(self, x: Any) -> Any:
            return sum(self.fc(step) for step in x)

    batches = [(torch.rand(4, 5, 8), torch.tensor([0, 1, 2, 0, 1])) for _ in range(3)]
    return {"torch": torch, "net": Net(), "loader": batches, "search_steps": len(batches), "loss": torch.nn.functional.cross_entropy}


@pytest.fixture
def names(program: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the parts name that is the reader's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPIKENM_PROGRAM", program)
    for name in ("x.aedat4", "recording.aedat4"):
        shutil.copy(CLONE / "fuzz/corpus/event_file/aedat4", tmp_path / name)
    train: Callable[..., Any] = spikenm.train
    ended: list[bool] = []  # of each training, whether it has come to its end

    def small_train(config: Any = None, **more: Any) -> spikenm.Run:
        run = train(config, overrides={} if more.get("resume") else SIZES, quiet=True, **more)
        ended.append(run.finished)
        return run

    monkeypatch.setattr(spikenm, "train", small_train)
    frames = np.zeros((SIZES["model.T"], 2, 34, 34), np.float32)
    return {"__name__": "page", "spikenm": spikenm, "ended": ended, "frames": frames, "batch": np.stack([frames, frames]), "camera": list(frames)}


@pytest.mark.parametrize(("accuracy", "ended"), [("< 101", [True, True]), ("< 0", [False, True])])
def test_a_training_that_may_stop_early_ends_with_a_model(names: dict[str, Any], accuracy: str, ended: list[bool]):
    exec(PARTS[1].replace("< 95", accuracy), names)
    assert names["ended"] == ended
    assert names["run"].finished and len(names["run"].metrics()) == SIZES["train.epochs"]


def test_every_line_runs(names: dict[str, Any]):
    pytest.importorskip("onnx")
    pytest.importorskip("nir")
    own = a_search_of_ones_own()  # to_torch needs torch too
    exec(PARTS[0].replace(NO_DATA, BUILT_IN), names)
    assert names["run"].masks()["conv2"].shape == (16, 8, 3, 3)
    names.update(own)
    exec(PARTS[2], names)
    kept = own["net"].fc.weight.detach().reshape(-1, 4) != 0
    assert (kept.sum(1) <= 2).all()
    exec(PARTS[3], names)
    assert names["scores"].shape == (10,)
