"""What a state_dict must hold for a search to go on from it: a wrong position would be a mask of other weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from .._core import Error

if TYPE_CHECKING:
    from ._mask import NmMask

# Of a search that has ended, only these tell which weights its mask keeps.
_OF_A_MASK = ("pattern",)


def description(search: NmMask) -> dict[str, Any]:
    """What a search was told, by the names of `sparsify`; masks follow from it."""
    rule, chosen = search.rule, search.options
    return {"pattern": f"{search.n}:{rule.m}", "steps": search.steps, "share": rule.share, "axis": chosen.axis,
            "draws": chosen.draws, "prior_kappa": float(rule.kappa), "or_grad": chosen.or_grad,
            "weight_grad": chosen.weight_grad, "seed": rule.seed, "number of the layer": rule.layer}


def check_extra(search: NmMask, state: Any) -> None:
    """Refuses the state of another search, and one from before `freeze` where all is frozen."""
    name = search.name
    if not isinstance(state, dict) or not {"step", "frozen"} <= set(state):
        raise Error(f"{name}: found a state without step and frozen, wanted that of a search")
    step, frozen = state["step"], state["frozen"]
    if isinstance(step, bool) or not isinstance(step, int) or step < 0:
        raise Error(f"{name}: found a state at step {step!r}, wanted a whole number of at least 0")
    if frozen is None:
        if search.ended:
            raise Error(f"{name}: found a state from before freeze(), wanted one of a frozen search; a new net and sparsify() go on from it")
    elif not isinstance(frozen, torch.Tensor) or frozen.shape != search.mask.shape or not bool(((frozen == 0) | (frozen == 1)).all()):
        raise Error(f"{name}: found a state with another frozen mask, wanted 0 and 1 in the shape {'x'.join(map(str, search.mask.shape))}")
    told = state.get("told", {})  # older states do not say it
    for key, wanted in description(search).items():
        if key in told and told[key] != wanted and (frozen is None or key in _OF_A_MASK):
            raise Error(f"{name}: found a state with {key} {told[key]!r}, wanted {wanted!r}, as sparsify was told")


def check_draw(search: NmMask, draws: Any, numbers: Any) -> None:
    """Refuses positions that no block has, and numbers that no step has."""
    name, m, blocks = search.name, search.rule.m, len(search.logits)
    values = numbers.tolist() if isinstance(numbers, torch.Tensor) and numbers.shape == (4,) else [0.0]
    tau, noise, number, count = values if len(values) == 4 else [0.0] * 4
    if not all(map(math.isfinite, values)) or tau <= 0 or noise < 0 or not 0 <= number < 2**32 or number % 1 != 0 or count not in range(1, m + 1):
        raise Error(f"{name}: found a state with the numbers {values}, wanted a temperature, noise, the draw's number and 1 to {m} positions")
    if not isinstance(draws, torch.Tensor) or draws.dtype != torch.uint8 or draws.dim() != 1 or draws.numel() < blocks * count:
        raise Error(f"{name}: found a state with other draws, wanted {int(blocks * count)} positions as uint8")
    most = int(draws.max())
    if most >= m:
        raise Error(f"{name}: found a state that has drawn position {most}, wanted 0 to {m - 1}")
