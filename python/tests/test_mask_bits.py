"""The masks of a search are those that the program draws: same seed, layer, step, logits and weights, same bits."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from conftest import SMALL

import spikenm

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.numpy").load_file
nn = torch.nn
try:
    from spikenm.torch import sparsify
except spikenm.Error as e:
    pytest.skip(str(e), allow_module_level=True)

LAYERS = ("conv1", "conv2", "conv3", "fc1")
SEARCH_STEPS = 15  # 5 epochs of 3


def still_run(out, seed: int, method: dict) -> spikenm.Run:
    """A run whose weights and logits stay where they begin, so that any checkpoint shows what its masks were drawn from."""
    config = copy.deepcopy(SMALL) | {"seed": seed, "checkpoints": {"every_epochs": 1, "keep": 100}}
    config["method"] |= {**method, "logit_lr": 0.0}
    config["train"] |= {"epochs": 6, "search_epochs": 5, "lr": 1e-12, "optimizer": "sgd"}
    return spikenm.train(config, out=out, quiet=True)


def net_of(state: dict) -> nn.ModuleDict:
    """The synapses of a checkpoint, in their order."""
    net = nn.ModuleDict()
    for name in LAYERS:
        weight = torch.from_numpy(state[f"network.{name}.weight"])
        out, inputs, height, width = weight.shape
        net[name] = nn.Linear(inputs, out) if name.startswith("fc") else nn.Conv2d(inputs, out, (height, width))
        net[name].weight = nn.Parameter(weight.view(net[name].weight.shape))
    return net


@pytest.mark.parametrize(
    ("seed", "method", "ours"),
    [
        (0, {"redraw_every": 4}, {}),  # masks are held; noise and number of positions fall
        (7, {"share": 2, "redraw_every": "30%"}, {}),  # 4.5 steps
        (1, {"layers": ["conv3", "fc*"]}, {}),  # the first that is masked is number 0
        (2, {"pattern": "1:8"}, {}),
        (4, {"pattern": "2:16", "preset": "paper"}, {}),  # conv2 has no whole block along its 8 channels
        (6, {"pattern": "2:5", "axis": "in"}, {}),  # blocks leave tails
        (3, {"preset": "paper"}, {}),
        (5, {"preset": "paper", "draws": "exactly", "draws_start": 4, "noise": [2.0, 0.1], "prior_kappa": 0.5, "axis": "in", "share": 3}, {"noise": (2.0, 0.1)}),
    ],
)
def test_draws_of_a_search_are_those_of_the_program(seed, method, ours, program, tmp_path):
    run = still_run(tmp_path / "a", seed, method)
    compared, masks = 0, set()
    for path in (tmp_path / "a/checkpoints").iterdir():
        ended = int(path.stem.split("-")[1])
        if ended > SEARCH_STEPS:
            continue
        state = load_file(path)
        nm = sparsify(net_of(state), **({"pattern": "2:4", "steps": SEARCH_STEPS, "seed": seed} | method | ours))
        for name, search in nm.searches.items():
            np.testing.assert_array_equal(search.logits.detach().numpy(), state[f"method.{name}.logits"])
        for _ in range(ended - 1):
            nm.end_step()
        for name, search in nm.searches.items():
            np.testing.assert_array_equal(search.positions().numpy(), state[f"method.{name}.draws"])
            masks.add(search.mask.numpy().tobytes())
            compared += 1
        if ended == SEARCH_STEPS:  # what the program has kept
            for name, mask in nm.masks().items():
                np.testing.assert_array_equal(mask.numpy().reshape(run.masks()[name].shape), run.masks()[name])
    assert compared == 5 * len(nm.searches) and len(masks) >= 3 * len(nm.searches)


def test_logits_at_the_start_are_those_of_the_program(program, tmp_path):
    still_run(tmp_path / "a", 3, {"preset": "paper", "logit_std": 0.5})
    state = load_file(next((tmp_path / "a/checkpoints").iterdir()))
    nm = sparsify(net_of(state), "2:4", steps=SEARCH_STEPS, seed=3, preset="paper", logit_std=0.5)
    assert list(nm.searches) == list(LAYERS)
    for name, search in nm.searches.items():
        np.testing.assert_array_equal(search.logits.detach().numpy(), state[f"method.{name}.logits"])
        assert 0.4 < search.logits.std() < 0.6
