"""The examples run, and a small SpikingJelly net that the search has pruned beats the same net under a fixed random mask."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys

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
    printed = subprocess.run([sys.executable, CLONE / "python/examples/prune_spikingjelly.py", "3"], capture_output=True, text=True, check=True).stdout
    seeds = re.findall(r"^seed (\d) .* searched (\S+) %  random (\S+) %$", printed, re.M)
    above = sum(float(searched) > float(random) for _, searched, random in seeds)
    with capsys.disabled():
        print(f"\n{printed}searched above random: {above} of {len(seeds)} seeds")
    assert [seed for seed, _, _ in seeds] == ["0", "1", "2"]
    searched, random = re.search(r"^mean .* searched (\S+) %  random (\S+) %$", printed, re.M).groups()
    assert float(searched) > float(random)  # a seed alone may be lucky


def test_steps_are_timed_in_both_ways(capsys):
    example("time_sparsify").main("cpu", 4)
    loop, folded = capsys.readouterr().out.splitlines()
    assert "loop" in loop and "folded" in folded
