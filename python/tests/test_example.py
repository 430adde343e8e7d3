"""The examples run, and a small SpikingJelly net that the search has pruned beats the same net under a fixed random mask."""

from __future__ import annotations

import importlib.util

import pytest
from conftest import CLONE

import spikenm

pytest.importorskip("torch")
try:
    import spikenm.torch  # noqa: F401
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)


def example(name: str):
    spec = importlib.util.spec_from_file_location(name, CLONE / f"python/examples/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_search_beats_a_random_mask_over_three_seeds(capsys):
    pytest.importorskip("spikingjelly.activation_based")
    rows = example("prune_spikingjelly").main(seeds=3)
    printed = capsys.readouterr().out
    with capsys.disabled():
        print("\n" + printed, end="")
    searched, random = zip(*rows)
    assert sum(searched) > sum(random)  # the mean; a seed alone may be lucky


def test_steps_are_timed_in_both_ways(capsys):
    example("time_sparsify").main("cpu", 4)
    loop, folded = capsys.readouterr().out.splitlines()
    assert "loop" in loop and "folded" in folded
