"""Layers that see all time steps in one call: the weight's gradient is made step by step, with its credit."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from .._core import Error
from ._ops import ops


class _Folded(torch.autograd.Function):
    """A convolution or linear layer over [T*B,...], time outermost."""

    @staticmethod
    def forward(ctx: Any, rows: Any, weight: Any, sink: Any, T: int, geometry: Any) -> Any:
        kind = rows.device.type
        if torch.is_autocast_enabled(kind):
            dtype = torch.get_autocast_dtype(kind)
            rows, weight = rows.to(dtype), weight.to(dtype)
        ctx.save_for_backward(rows, weight)
        ctx.T, ctx.geometry = T, geometry
        with torch.autocast(kind, enabled=False):
            return _synapse(rows, weight, geometry)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Any) -> Any:  # type: ignore[override]
        rows, weight = ctx.saved_tensors
        grad = grad.to(rows.dtype)
        steps = zip(rows.chunk(ctx.T), grad.chunk(ctx.T))
        total, credit = ops.sum_credits([_weight_gradient(x, g, weight, ctx.geometry) for x, g in steps])
        grad_rows = _input_gradient(rows, grad, weight, ctx.geometry) if ctx.needs_input_grad[0] else None
        return grad_rows, total, credit, None, None


def _synapse(rows: Any, weight: Any, geometry: Any) -> Any:
    if weight.dim() == 2:
        return F.linear(rows, weight)
    stride, padding, dilation, groups = geometry
    return torch.convolution(rows, weight, None, stride, padding, dilation, False, [0] * len(stride), groups)


def _backward(x: Any, g: Any, weight: Any, geometry: Any, wanted: list[bool]) -> Any:
    return torch.ops.aten.convolution_backward(g, x, weight, None, *geometry[:3], False, [0] * len(geometry[0]), geometry[3], wanted)


def _weight_gradient(x: Any, g: Any, weight: Any, geometry: Any) -> Any:
    if weight.dim() == 2:
        found = g.flatten(0, -2).t() @ x.flatten(0, -2)
    else:
        found = _backward(x, g, weight, geometry, [False, True, False])[1]
    return found.float().contiguous()


def _input_gradient(x: Any, g: Any, weight: Any, geometry: Any) -> Any:
    return g @ weight if weight.dim() == 2 else _backward(x, g, weight, geometry, [True, False, False])[0]


def forward(self: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Takes the place of a layer's own forward while its mask is searched for: sees how time comes in, at each call."""
    search: Any = self.parametrizations.weight[0]  # type: ignore[union-attr,index]
    if search.frozen or not search.training or not torch.is_grad_enabled():
        return type(self).forward(self, x)
    takes_time = getattr(self, "step_mode", "s") == "m"  # [T,B,...]
    T = x.shape[0] if takes_time else search.time_steps or search.container_steps
    search.seen = (T, x.shape[1] if takes_time else x.shape[0] // max(T, 1), tuple(x.shape))
    if T == 0:
        return type(self).forward(self, x)
    check(self, search.name)
    if x.shape[0] % T != 0:
        raise Error(f"{search.name}: found {x.shape[0]} rows, wanted a multiple of time_steps, {T}")
    rows = x.flatten(0, 1) if takes_time else x
    weight = search.masked(self.parametrizations.weight.original)  # type: ignore[union-attr]
    y = _Folded.apply(rows, weight, search.sink, T, geometry_of(self))
    if self.bias is not None:
        bias = self.bias.to(y.dtype)
        y = y + (bias if isinstance(self, nn.Linear) else bias.view(-1, *[1] * (y.dim() - 2)))  # type: ignore[operator]
    return y.unflatten(0, x.shape[:2]) if takes_time else y


def geometry_of(layer: nn.Module) -> Any:
    """(stride, padding, dilation, groups) of a convolution; none of a linear layer."""
    if isinstance(layer, nn.Linear):
        return None
    return list(layer.stride), list(layer.padding), list(layer.dilation), layer.groups  # type: ignore[arg-type,call-overload]


def check(layer: nn.Module, name: str) -> None:
    """Refuses layers whose folded form is not known."""
    if not isinstance(layer, nn.Linear) and (layer.padding_mode != "zeros" or isinstance(layer.padding, str)):
        raise Error(f"{name}: found padding {layer.padding!r} ({layer.padding_mode}), wanted numbers and zeros in a layer that sees all steps at once")
