"""A layer's mask as a parametrization of its weight: drawn from logits, with straight-through gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn

from .._core import Error
from ._ops import ops
from ._options import Options


class Rule(NamedTuple):
    """What does not change from step to step."""

    m: int
    share: int
    flat: bool
    replace: bool
    kappa: float
    soft: bool
    dense_grad: bool
    seed: int
    layer: int

    @property
    def blocks(self) -> tuple[int, int, bool]:
        return self.m, self.share, self.flat


class _Masked(torch.autograd.Function):
    """weight * mask; the logits get the straight-through gradient."""

    @staticmethod
    def forward(ctx: Any, weight: Any, logits: Any, mask: Any, draws: Any, step: Any, rule: Rule) -> Any:
        ctx.save_for_backward(weight, logits, mask, draws, step)
        ctx.rule = rule
        return weight * mask

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        weight, logits, mask, draws, step = ctx.saved_tensors
        rule: Rule = ctx.rule
        grad = grad.contiguous()
        grad_logits = None
        if ctx.needs_input_grad[1]:
            grad_logits = ops.nm_straight_through(grad, logits, weight, draws, step, rule.m, rule.share, rule.flat,
                                                  rule.replace, rule.kappa, rule.soft, rule.seed, rule.layer)
        return grad if rule.dense_grad else grad * mask, grad_logits, None, None, None, None


class Use(torch.autograd.Function):
    """One use of a weight: its gradient is one time step's.

    The credit is handed out as the gradient of `sink`, which autograd adds up over all uses: sum_t |g_t|.
    """

    @staticmethod
    def forward(ctx: Any, weight: Any, sink: Any) -> Any:
        return weight.view_as(weight)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        return grad, grad.abs()


class NmMask(nn.Module):
    """The mask search of one layer. `sparsify` makes it; state_dict holds all that it needs to go on."""

    logits: nn.Parameter

    def __init__(self, name: str, weight: torch.Tensor, n: int, rule: Rule, options: Options, steps: int) -> None:
        super().__init__()
        self.name, self.n, self.rule, self.options, self.steps = name, n, rule, options, steps
        self.interval = options.interval(steps)
        self.folded = False  # the layer's own operation makes the credits
        self.time_steps = 0  # of inputs that are folded already
        with torch.no_grad():
            logits = ops.nm_logits(weight, *rule.blocks, options.logit_std, rule.seed, rule.layer)
        self.logits = nn.Parameter(logits)
        most = max(n, options.n_draws(n, rule.m, 0.0))
        self.register_buffer("draws", torch.zeros(len(logits) * most, dtype=torch.uint8))
        self.register_buffer("numbers", torch.zeros(4, dtype=torch.float64))  # tau, noise, number, positions
        self.register_buffer("mask", torch.ones_like(weight), persistent=False)  # float 0/1
        self._shape = weight.shape
        self.frozen = False
        self.step = 0
        self.make_sink()
        self.begin_step(weight)

    def extra_repr(self) -> str:
        """Shown by print()."""
        return f"{self.n}:{self.rule.m}, {len(self.logits)} blocks, step {self.step} of {self.steps}{', frozen' if self.frozen else ''}"

    def make_sink(self) -> None:
        """What receives the credit as its gradient. Neither a parameter nor a buffer: no optimiser may take it."""
        self.sink = torch.zeros(self._shape, requires_grad=True)

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        """The weight under the mask of the step; in evaluation, under the mask that `freeze` would keep."""
        if weight.dtype != torch.float32:
            raise Error(f"{self.name}.weight: found {str(weight.dtype)[6:]}, wanted float32 (autocast computes in others)")
        if self.frozen:
            return weight * self.mask
        if not self.training:
            return weight * self.hard_mask(weight)
        masked = _Masked.apply(weight, self.logits, self.mask, self.draws, self.numbers, self.rule)
        return masked if self.folded else Use.apply(masked, self.sink)

    @torch.no_grad()
    def begin_step(self, weight: torch.Tensor) -> None:
        """Draws the mask where the step asks for one, and sets the temperature."""
        progress = self.step / self.steps
        self.numbers[0] = self.options.temperature(progress)
        if self.step % self.interval != 0:
            return
        n_draws = self.options.n_draws(self.n, self.rule.m, progress)
        self.numbers[1:] = torch.tensor([self.options.noise_at(progress), self.step // self.interval, n_draws])
        rule = self.rule
        drawn = ops.nm_draw(self.logits, weight.contiguous(), self.numbers, rule.m, rule.share, rule.flat, rule.replace,
                            rule.kappa, rule.seed, rule.layer)
        self.draws[: drawn.numel()] = drawn.flatten()
        self._set_mask(weight)

    def positions(self) -> torch.Tensor:
        """The positions that each block has drawn, [blocks, positions]."""
        n_draws = int(self.numbers[3])
        return self.draws[: len(self.logits) * n_draws].view(len(self.logits), n_draws)

    @torch.no_grad()
    def hard_mask(self, weight: torch.Tensor) -> torch.Tensor:
        """The mask that `freeze` would keep now: at most n of m."""
        if self.frozen:
            return self.mask
        if self.options.freeze == "top-n":
            kept = ops.nm_top(self.logits.detach(), weight.detach(), self.n, *self.rule.blocks, self.rule.kappa)
        else:
            kept = self.positions()[:, : self.n].contiguous()
        return ops.nm_mask(kept, weight.detach(), *self.rule.blocks).to(weight.dtype)

    @torch.no_grad()
    def distill(self, weight: torch.Tensor, scale: float) -> None:
        """Credits of the step become gradient of the logits."""
        if self.frozen or self.sink.grad is None:
            return
        credit = self.sink.grad.contiguous()
        added = ops.nm_distill(self.logits.detach(), weight.detach(), credit, *self.rule.blocks, self.rule.kappa, scale)
        self.logits.grad = added if self.logits.grad is None else self.logits.grad.add_(added)
        self.sink.grad = None

    @torch.no_grad()
    def freeze(self, weight: torch.Tensor) -> None:
        """Keeps the hard mask from here on; dropped weights become 0."""
        self.mask = self.hard_mask(weight)
        weight.mul_(self.mask)
        self.frozen = True
        self.logits.requires_grad_(False)
        self.sink.grad = None

    @torch.no_grad()
    def _set_mask(self, weight: torch.Tensor) -> None:
        self.mask = ops.nm_mask(self.positions(), weight, *self.rule.blocks).to(weight.dtype)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Moves to another device or type; the numbers of the draw keep theirs."""
        numbers = self.numbers.clone()
        super()._apply(fn, recurse)
        self.numbers = numbers
        self.make_sink()
        return self

    def get_extra_state(self) -> dict[str, Any]:
        """For state_dict: what is not a tensor, and the frozen mask."""
        return {"step": self.step, "frozen": self.mask.to(torch.uint8) if self.frozen else None}

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """From state_dict, after the tensors."""
        self.step = state["step"]
        self.frozen = state["frozen"] is not None
        self.logits.requires_grad_(not self.frozen)
        if self.frozen:
            self.mask = state["frozen"].to(self.mask.dtype)
        else:
            self._set_mask(self.mask)
