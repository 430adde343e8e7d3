"""The notebooks of the docs run from top to bottom."""

from __future__ import annotations

import json

import pytest
from conftest import CLONE

NOTEBOOKS = sorted((CLONE / "docs/notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["from_run_to_packed", "prune_spikingjelly", "train_and_look"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs(path, program, tmp_path, monkeypatch):
    if path.stem == "prune_spikingjelly":
        pytest.importorskip("torch")
        pytest.importorskip("spikingjelly.activation_based")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPIKENM_PROGRAM", program)
    names: dict = {"__name__": "notebook"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # a clone holds none
            exec(compile("".join(cell["source"]), f"{path.name}: {cell['id']}", "exec"), names)
