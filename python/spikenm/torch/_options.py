"""The choices of the mask search, with the program's presets (docs/options.md)."""

from __future__ import annotations

import dataclasses
import math
import numbers
import re
from typing import Any

from .._core import Error


_LARGEST = 3.4e38  # of float32, which the kernels compute in


def is_number(value: Any) -> bool:
    """Whether it is a finite number that float32 holds."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST  # type: ignore[operator]


def is_whole(value: Any) -> bool:
    """Whether it is a whole number by its type."""
    return isinstance(value, int) and not isinstance(value, bool)


@dataclasses.dataclass(frozen=True)
class Options:
    """What `[method]` of a config calls by the same names; the defaults are those of `preset="default"`.

    axis: what a block runs along: "in", input channels, or "flat", the stored order
    draws: "exactly": n distinct positions; "at-most": n draws that may meet
    draws_start: positions drawn at the start, at most m; they fall to n ("exactly" alone)
    or_grad: gradient of the union of draws: "literal" or "soft" ("at-most" alone)
    redraw_every: steps that a mask is held, or a share of all steps
    noise: scale of the Gumbel noise, or (from, to)
    prior_kappa: how much the logits know of |w|
    weight_grad: whether weights out of the mask learn: "masked" or "dense"
    lambda_eid: weight of the distillation of credits; 0: none
    tau_max: temperature of the relaxed draw at the start
    tau_min: temperature at the end
    logit_std: deviation of the logits at the start
    logit_lr: learning rate that the program gives the logits; a proposal here
    freeze: the mask that `freeze` keeps: "top-n" or "last"
    """

    axis: str = "in"
    draws: str = "exactly"
    draws_start: int = 64
    or_grad: str = "literal"
    redraw_every: int | str = "3%"
    noise: float | tuple[float, float] = (0.3, 0.005)
    prior_kappa: float = 1.0
    weight_grad: str = "masked"
    lambda_eid: float = 0.2
    tau_max: float = 1.0
    tau_min: float = 1.0
    logit_std: float = 0.0
    logit_lr: float = 0.005
    freeze: str = "top-n"

    def __post_init__(self) -> None:
        choices = {"axis": ("in", "flat"), "draws": ("exactly", "at-most"), "or_grad": ("literal", "soft"),
                   "weight_grad": ("masked", "dense"), "freeze": ("top-n", "last")}
        for name, wanted in choices.items():
            if getattr(self, name) not in wanted:
                raise Error(f"{name}: found {getattr(self, name)!r}, wanted {' or '.join(map(repr, wanted))}")
        for name in ("prior_kappa", "lambda_eid", "logit_std", "logit_lr"):
            if not is_number(getattr(self, name)) or getattr(self, name) < 0:
                raise Error(f"{name}: found {getattr(self, name)!r}, wanted a finite number of at least 0")
        for name in ("tau_min", "tau_max"):
            if not is_number(getattr(self, name)):
                raise Error(f"{name}: found {getattr(self, name)!r}, wanted a finite number above 0")
        if not 0 < self.tau_min <= self.tau_max:
            raise Error(f"tau_min: found {self.tau_min}, wanted more than 0 and at most tau_max, {self.tau_max}")
        if not is_whole(self.draws_start) or not 0 <= self.draws_start <= 64:
            raise Error(f"draws_start: found {self.draws_start!r}, wanted a whole number from 0 to 64")
        ends = self.noise if isinstance(self.noise, (tuple, list)) else (self.noise, self.noise)
        if len(ends) != 2 or not all(map(is_number, ends)) or min(ends) < 0 or (ends[0] != ends[1] and min(ends) == 0):
            raise Error(f"noise: found {self.noise!r}, wanted a positive number or two of them, (from, to)")
        self.interval(1)

    @property
    def replace(self) -> bool:
        """Whether draws may meet."""
        return self.draws == "at-most"

    @property
    def noise_ends(self) -> tuple[float, float]:
        """(from, to)"""
        return tuple(self.noise) if isinstance(self.noise, (tuple, list)) else (self.noise, self.noise)  # type: ignore[return-value]

    def interval(self, steps: int) -> int:
        """Steps between two draws, in a search of so many."""
        given = self.redraw_every
        if is_whole(given) and given >= 1:  # type: ignore[operator]
            return given  # type: ignore[return-value]
        share = re.fullmatch(r"(\d+(?:\.\d+)?)%", given) if isinstance(given, str) else None
        if share is None or not 0 < float(share[1]) <= 100:
            raise Error(f"redraw_every: found {given!r}, wanted a number of steps, or a share of them such as '3%'")
        return max(1, math.floor(float(share[1]) / 100 * steps + 0.5))

    def temperature(self, progress: float) -> float:
        """Eq. (18) of the paper."""
        return max(self.tau_min, _geometric(self.tau_max, self.tau_min, progress))

    def noise_at(self, progress: float) -> float:
        """The scale of the noise of a draw."""
        low, high = self.noise_ends
        return low if low == high else _geometric(low, high, progress)

    def n_draws(self, n: int, m: int, progress: float) -> int:
        """Positions drawn: they fall from `draws_start` to n."""
        start = 0 if self.replace else min(self.draws_start, m)
        return n if start <= n else math.floor(n + (start - n) * (1 - progress) ** 3 + 0.5)


PRESETS = {
    "default": Options(),
    "paper": Options(axis="flat", draws="at-most", draws_start=0, redraw_every=1, noise=1.0, prior_kappa=0.0,
                     lambda_eid=5.0, tau_min=0.1, logit_std=0.01, logit_lr=0.001, freeze="last"),
}


def options_of(preset: str, given: dict[str, Any]) -> Options:
    """A preset with other choices over it."""
    if not isinstance(preset, str) or preset not in PRESETS:
        raise Error(f"preset: found {preset!r}, wanted {' or '.join(map(repr, PRESETS))}")
    known = {field.name for field in dataclasses.fields(Options)}
    for name in given:
        if name not in known:
            raise Error(f"{name}: found a choice of this name, wanted one of {', '.join(sorted(known))}")
    return dataclasses.replace(PRESETS[preset], **given)


def _geometric(low: float, high: float, progress: float) -> float:
    return low * (high / low) ** progress
