"""A layer's mask as a parametrization of its weight: drawn from logits, with straight-through gradients."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import nn
from torch.autograd.function import once_differentiable

from .._core import Error
from ._ops import DEVICES, ops
from ._options import Options
from ._state import check_draw, check_extra, description


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
    @once_differentiable
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

    The credit is handed out as the gradient of `sink`, which autograd adds up over all uses: sum_t |g_t|. That of
    `uses` is their number.
    """

    @staticmethod
    def forward(ctx: Any, weight: Any, sink: Any, uses: Any) -> Any:
        return weight.view_as(weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        return grad, grad.abs(), grad.new_ones(())


def check_weight(name: str, weight: torch.Tensor) -> None:
    """Refuses what the kernels could read only through a copy."""
    if weight.dtype != torch.float32:
        raise Error(f"{name}.weight: found {str(weight.dtype)[6:]}, wanted float32 (autocast computes in others)")
    if weight.device.type not in DEVICES:
        raise Error(f"{name}.weight: found it on {weight.device}, wanted {' or '.join(DEVICES)}: this build has no other kernels")
    if not weight.is_contiguous():
        raise Error(f"{name}.weight: found a transposed layout, wanted one that lies in order")


class NmMask(nn.Module):
    """The mask search of one layer. `sparsify` makes it; state_dict holds all that it needs to go on."""

    logits: nn.Parameter
    numbers: torch.Tensor
    draws: torch.Tensor

    def __init__(self, name: str, weight: torch.Tensor, n: int, rule: Rule, options: Options, steps: int) -> None:
        super().__init__()
        self.name, self.n, self.rule, self.options, self.steps = name, n, rule, options, steps
        self.interval = options.interval(steps)
        self.time_steps = 0  # of inputs that the net itself folds; 0: seen at each call
        self.container_steps = 0  # the same, of inputs that a container folds in the call at hand
        self.seen: tuple[Any, ...] = (0, 0, ())  # steps of the last call, 0 for one step of a loop; its batch; the shape of its input
        logits = ops.nm_logits(list(weight.shape), *rule.blocks, options.logit_std, rule.seed, rule.layer)
        self.logits = nn.Parameter(logits.to(weight.device))
        most = max(n, options.n_draws(n, rule.m, 0.0))
        self.register_buffer("draws", torch.zeros(len(logits) * most, dtype=torch.uint8, device=weight.device))
        self.register_buffer("numbers", torch.zeros(4, dtype=torch.float64))  # tau, noise, number, positions; on the CPU
        self.register_buffer("mask", torch.ones_like(weight), persistent=False)  # float 0/1
        self._shape = weight.shape
        self.frozen = False
        self.ended = False  # by `freeze`: the layer has its own forward again
        self.step = 0
        self.make_sink()
        self.begin_step(weight)

    def extra_repr(self) -> str:
        """Shown by print()."""
        return f"{self.n}:{self.rule.m}, {len(self.logits)} blocks, step {self.step} of {self.steps}{', frozen' if self.frozen else ''}"

    def make_sink(self) -> None:
        """What receives the credit, and the number of uses, as its gradient.

        Neither a parameter nor a buffer: no optimiser may take it.
        """
        self.sink = torch.zeros(self._shape, device=self.logits.device, requires_grad=True)
        self.uses = torch.zeros((), device=self.logits.device, requires_grad=True)

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        """The weight under the mask of the step, for one use; in evaluation, under the mask that `freeze` would keep."""
        if self.frozen:
            return weight * self.mask
        if self.training:
            return Use.apply(self.masked(weight), self.sink, self.uses)
        check_weight(self.name, weight)
        return weight * self.hard_mask(weight)

    def masked(self, weight: torch.Tensor) -> torch.Tensor:
        """The weight under the mask of the step. Whoever uses it gives `sink` its gradient."""
        check_weight(self.name, weight)
        return _Masked.apply(weight, self.logits, self.mask, self.draws, self.numbers, self.rule)

    @torch.no_grad()
    def begin_step(self, weight: torch.Tensor) -> None:
        """Draws the mask where the step asks for one, and sets the temperature."""
        check_weight(self.name, weight)
        progress = self.step / self.steps
        self.numbers[0] = self.options.temperature(progress)
        if self.step % self.interval != 0:
            return
        n_draws = self.options.n_draws(self.n, self.rule.m, progress)
        self.numbers[1:] = torch.tensor([self.options.noise_at(progress), self.step // self.interval, n_draws])
        rule = self.rule
        drawn = ops.nm_draw(self.logits, weight, self.numbers, n_draws, rule.m, rule.share, rule.flat, rule.replace,
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
        check_weight(self.name, weight)
        credit = self.sink.grad.contiguous()
        added = ops.nm_distill(self.logits.detach(), weight.detach(), credit, *self.rule.blocks, self.rule.kappa, scale)
        self.logits.grad = added if self.logits.grad is None else self.logits.grad.add_(added)
        self.forget_credit()

    def forget_credit(self) -> None:
        """What the sinks have received belongs to a step that has ended."""
        self.sink.grad = self.uses.grad = None

    @torch.no_grad()
    def freeze(self, weight: torch.Tensor) -> None:
        """Keeps the hard mask from here on; dropped weights become 0."""
        self.mask = self.hard_mask(weight)
        weight.mul_(self.mask)
        self.frozen = self.ended = True
        self.logits.requires_grad_(False)
        self.forget_credit()

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
        return {"step": self.step, "frozen": self.mask.to(torch.uint8) if self.frozen else None, "told": description(self)}

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Checks before anything is copied: what is refused leaves the search as it is."""
        if (extra := f"{prefix}_extra_state") in state_dict:
            check_extra(self, state_dict[extra])
        draws, numbers = (state_dict.get(prefix + name, getattr(self, name)) for name in ("draws", "numbers"))
        check_draw(self, draws, numbers)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """From state_dict, after the tensors."""
        self.step = state["step"]
        self.frozen = state["frozen"] is not None
        self.logits.requires_grad_(not self.frozen)
        if self.frozen:
            self.mask = state["frozen"].to(self.mask)
        else:
            self._set_mask(self.mask)
