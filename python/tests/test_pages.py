"""The Python of docs/python.md runs as it stands, from its first line to its last, on a small run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import CLONE, SMALL

import spikenm

PARTS = re.findall(r"```python\n(.*?)```", (CLONE / "docs/python.md").read_text(encoding="utf-8"), re.DOTALL)
# The one set that nobody has at hand.
NO_DATA, BUILT_IN = 'samples("n-mnist", T=8, root="DIR", limit=100)', 'samples("moving-shapes", T=8, limit=5)'


def test_there_are_three_parts():
    assert [part.split("\n")[0].split("  ")[0] for part in PARTS] == ["import spikenm", "from spikenm.torch import sparsify", "sample = rt.read(\"recording.aedat4\")"]
    assert NO_DATA in PARTS[0]


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
    monkeypatch.setattr(spikenm, "train", lambda config, **more: train({**SMALL, "method": {**SMALL["method"], **config["method"]}}, **more))
    frames = np.zeros((SMALL["model"]["T"], 2, 34, 34), np.float32)
    return {"__name__": "page", "frames": frames, "batch": np.stack([frames, frames]), "camera": list(frames)}


def test_every_line_runs(names: dict[str, Any]):
    pytest.importorskip("onnx")
    pytest.importorskip("nir")
    own = a_search_of_ones_own()  # to_torch needs torch too
    exec(PARTS[0].replace(NO_DATA, BUILT_IN), names)
    assert names["run"].masks()["conv2"].shape == (16, 8, 3, 3)
    names.update(own)
    exec(PARTS[1], names)
    kept = own["net"].fc.weight.detach().reshape(-1, 4) != 0
    assert (kept.sum(1) <= 2).all()
    exec(PARTS[2], names)
    assert names["scores"].shape == (10,)
