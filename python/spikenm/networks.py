"""Trained networks as torch modules, of torch's own layers or of SpikingJelly's. Needs torch.

`Run.to_torch()` and `Run.to_spikingjelly()` are the way in.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from ._core import Error

__all__ = ["KeepMask", "Network", "Neuron", "spikingjelly_network", "torch_network"]


class KeepMask(nn.Module):
    """A parametrization that keeps a layer's mask: dropped weights stay 0 however they are trained."""

    mask: torch.Tensor

    def __init__(self, mask: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        """weight * mask"""
        return weight * self.mask


class _Spike(torch.autograd.Function):
    """1 where h is at least the threshold, with the surrogate's slope."""

    @staticmethod
    def forward(ctx: Any, u: torch.Tensor, surrogate: str, alpha: float) -> torch.Tensor:
        ctx.save_for_backward(u)
        ctx.surrogate, ctx.alpha = surrogate, alpha
        return u.ge(0).to(u.dtype)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:  # type: ignore[override]
        (u,), a = ctx.saved_tensors, ctx.alpha
        if ctx.surrogate == "atan":
            slope = a / 2 / (1 + (math.pi / 2 * a * u).square())
        elif ctx.surrogate == "sigmoid":
            q = torch.sigmoid(a * u)
            slope = a * q * (1 - q)
        else:
            slope = torch.relu(a - a * a * u.abs())
        return grad * slope, None, None


class Neuron(nn.Module):
    """IF, LIF, PLIF or current-based LIF over all steps, [T,B,...] -> spikes of the same shape."""

    def __init__(self, node: Mapping[str, Any], leak: torch.Tensor | None = None) -> None:
        super().__init__()
        self.kind: str = node["kind"]
        self.threshold: float = node["threshold"]
        self.soft: bool = node["reset"] == "soft"
        self.v_reset: float = 0.0 if self.soft else node["v_reset"]
        self.decay_input: bool = node["decay_input"] or self.kind == "cuba-lif"
        self.detach_reset: bool = node["detach_reset"]
        self.surrogate: str = node["surrogate"]
        self.alpha: float = node["alpha"]
        self.k = 1 / node["tau"]
        self.keep_current = 1 - 1 / node["tau_syn"] if self.kind == "cuba-lif" else 0.0
        self.w = nn.Parameter(leak.clone()) if leak is not None else None

    def extra_repr(self) -> str:
        """Shown by print()."""
        return f"{self.kind}, threshold={self.threshold}, {'soft' if self.soft else 'hard'} reset"

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The spikes of currents [T,B,...]; the membrane begins at rest."""
        k: Any = torch.sigmoid(self.w) if self.w is not None else self.k
        v = torch.full_like(x[0], self.v_reset)
        current = torch.zeros_like(x[0])
        spikes = []
        for now in x:
            current = current * self.keep_current + now if self.keep_current else now
            if self.kind == "if":
                h = v + current
            elif self.decay_input:
                h = v + (current - (v - self.v_reset)) * k
            else:
                h = v - (v - self.v_reset) * k + current
            spike = _Spike.apply(h - self.threshold, self.surrogate, self.alpha)
            fired = spike.detach() if self.detach_reset else spike
            v = h - fired * self.threshold if self.soft else (1 - fired) * h + fired * self.v_reset
            spikes.append(spike)
        return torch.stack(spikes)


class _EachStep(nn.Module):
    """A layer that knows no time, on [T,B,...]."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x.flatten(0, 1)).unflatten(0, x.shape[:2])


class _Norm(nn.BatchNorm2d):
    """Batch norm of maps or rows of features."""

    def _check_input_dim(self, input: torch.Tensor) -> None:
        pass


class _KeepNeurons(nn.Module):
    """Silences the neurons that neuron pruning has dropped."""

    def __init__(self, neurons: nn.Module, mask: torch.Tensor) -> None:
        super().__init__()
        self.neurons = neurons
        self.register_buffer("mask", mask)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.neurons(x) * self.mask


class _TorchLayers:
    """Each node as a module of torch on [T,B,...]."""

    def synapse(self, node: Mapping[str, Any], weight: torch.Tensor, bias: bool, is_map: bool) -> tuple[nn.Module, nn.Module]:
        layer = _synapse(nn.Conv2d if is_map else nn.Linear, node, weight, bias)
        return layer, _EachStep(layer)

    def norm(self, channels: int, is_map: bool) -> tuple[nn.Module, nn.Module]:
        layer = _Norm(channels)
        return layer, _EachStep(layer)

    def neuron(self, node: Mapping[str, Any], leak: torch.Tensor | None) -> nn.Module:
        return Neuron(node, leak)

    def pool(self, node: Mapping[str, Any]) -> nn.Module:
        if node["kind"] == "average":
            return _EachStep(nn.AvgPool2d(node["size"], node["stride"]))
        return _EachStep(nn.MaxPool2d(node["size"], node["stride"], node["padding"]))

    def reset(self, network: nn.Module) -> None:
        pass


class _SpikingJellyLayers:
    """Each node as a multi-step module of SpikingJelly."""

    def __init__(self) -> None:
        from spikingjelly.activation_based import functional, layer, neuron, surrogate

        self.layer, self.neurons, self.surrogates, self.functional = layer, neuron, surrogate, functional

    def synapse(self, node: Mapping[str, Any], weight: torch.Tensor, bias: bool, is_map: bool) -> tuple[nn.Module, nn.Module]:
        made = _synapse(self.layer.Conv2d if is_map else self.layer.Linear, node, weight, bias, step_mode="m")
        return made, made

    def norm(self, channels: int, is_map: bool) -> tuple[nn.Module, nn.Module]:
        if is_map:
            made = self.layer.BatchNorm2d(channels, step_mode="m")
            return made, made
        inner = nn.BatchNorm1d(channels)
        return inner, self.layer.SeqToANNContainer(inner)

    def neuron(self, node: Mapping[str, Any], leak: torch.Tensor | None) -> nn.Module:
        surrogate = {"atan": self.surrogates.ATan, "sigmoid": self.surrogates.Sigmoid,
                     "triangle": self.surrogates.PiecewiseQuadratic}[node["surrogate"]]
        options = {"v_threshold": node["threshold"], "v_reset": None if node["reset"] == "soft" else node["v_reset"],
                   "surrogate_function": surrogate(alpha=node["alpha"]), "detach_reset": node["detach_reset"],
                   "step_mode": "m"}
        if node["kind"] == "if":
            return self.neurons.IFNode(**options)
        if node["kind"] == "lif":
            return self.neurons.LIFNode(tau=node["tau"], decay_input=node["decay_input"], **options)
        if node["kind"] == "plif" and leak is not None:
            made = self.neurons.ParametricLIFNode(init_tau=2.0, decay_input=node["decay_input"], **options)
            with torch.no_grad():
                made.w.copy_(leak.reshape(made.w.shape))
            return made
        raise Error(f"{node['name']}: found a '{node['kind']}' neuron, which SpikingJelly charges otherwise; wanted if, lif or plif")

    def pool(self, node: Mapping[str, Any]) -> nn.Module:
        if node["kind"] == "average":
            return self.layer.AvgPool2d(node["size"], node["stride"], step_mode="m")
        return self.layer.MaxPool2d(node["size"], node["stride"], node["padding"], step_mode="m")

    def reset(self, network: nn.Module) -> None:
        self.functional.reset_net(network)


class Network(nn.Module):
    """The network of a run as modules, one for each node, run in their order.

    Masked layers hold their masks (KeepMask). Neurons begin at rest in every call: nothing has to be
    reset between batches.
    """

    def __init__(self, graph: Mapping[str, Any], tensors: Mapping[str, Any], steps: int, layers: Any, per_step: bool) -> None:
        super().__init__()
        self.steps = steps
        self.classes: list[str] = list(graph["classes"])
        self.frame: tuple[int, int, int] = tuple(graph["frame"])
        self.per_step = per_step
        self._makers = layers
        self._nodes: list[dict[str, Any]] = list(graph["node"])
        self.layers = nn.ModuleDict()
        values = {name: torch.from_numpy(value.copy()) for name, value in tensors.items()}
        maps = {"input": True}
        for node in self._nodes:
            maps[node["name"]] = maps[node["inputs"][0]] and node["op"] not in ("flatten", "mean")
            module = self._module(node, values, maps[node["inputs"][0]])
            if module is not None:
                self.layers[_key(node)] = module

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Frames [T,B,C,H,W], or images [B,C,H,W] that last all steps, to scores [B,classes].

        The scores are the mean over all steps, as `spikenm eval` has them; with `per_step` they are
        those of each step, [T,B,classes].
        """
        if x.dim() == 4:
            x = x.unsqueeze(0).expand(self.steps, *x.shape)
        if x.dim() != 5 or tuple(x.shape[2:]) != self.frame:
            raise Error(f"frames: found a tensor of {'x'.join(map(str, x.shape))}, wanted [T,B,C,H,W] or [B,C,H,W] "
                        f"with frames of {'x'.join(map(str, self.frame))}")
        self._makers.reset(self)
        found = {"input": x}
        for node in self._nodes:
            found[node["name"]] = self._run(node, [found[name] for name in node["inputs"]])
        scores = found[self._nodes[-1]["name"]]
        return scores if self.per_step else scores.mean(0)

    def _run(self, node: Mapping[str, Any], inputs: list[torch.Tensor]) -> torch.Tensor:
        x = inputs[0]
        if node["op"] == "sum":
            return sum(inputs[1:], x)
        if node["op"] == "flatten":
            return x.flatten(2)
        if node["op"] == "mean":
            return x.mean((3, 4))
        if node["op"] == "vote":
            return x if node["voters"] == 1 else x.unflatten(2, (-1, node["voters"])).mean(3)
        return self.layers[_key(node)](x)

    def _module(self, node: Mapping[str, Any], values: Mapping[str, torch.Tensor], is_map: bool) -> nn.Module | None:
        name = node["name"]
        own = {key.removeprefix(name + "."): value for key, value in values.items() if key.rpartition(".")[0] == name}
        if node["op"] == "synapse":
            layer, module = self._makers.synapse(node, own["weight"], "bias" in own, is_map)
            _fill(layer, {key: own[key] for key in ("weight", "bias") if key in own})
            if "mask" in own and not bool(own["mask"].all()):
                mask = own["mask"].reshape(layer.weight.shape).to(layer.weight.dtype)
                parametrize.register_parametrization(layer, "weight", KeepMask(mask), unsafe=True)
            return module
        if node["op"] == "norm":
            layer, module = self._makers.norm(len(own["weight"]), is_map)
            _fill(layer, own)
            return module
        if node["op"] == "neuron":
            neurons = self._makers.neuron(node, own.get("w"))
            return _KeepNeurons(neurons, own["mask"].float()) if "mask" in own else neurons
        return self._makers.pool(node) if node["op"] == "pool" else None


def torch_network(graph: Mapping[str, Any], tensors: Mapping[str, Any], steps: int, per_step: bool = False) -> Network:
    """A graph with its tensors as layers of torch."""
    return Network(graph, tensors, steps, _TorchLayers(), per_step).eval()


def spikingjelly_network(graph: Mapping[str, Any], tensors: Mapping[str, Any], steps: int, per_step: bool = False) -> Network:
    """A graph with its tensors as layers of SpikingJelly."""
    try:
        layers = _SpikingJellyLayers()
    except ImportError as e:
        raise Error(f"spikingjelly: found no package that can be imported ({e}), wanted 2.0 or newer") from None
    return Network(graph, tensors, steps, layers, per_step).eval()


def _key(node: Mapping[str, Any]) -> str:
    return node["name"].replace(".", "_")  # torch keeps the dot for itself


def _synapse(kind: Any, node: Mapping[str, Any], weight: torch.Tensor, bias: bool, **more: Any) -> nn.Module:
    out, inputs, *kernel = weight.shape
    if issubclass(kind, nn.Conv2d):
        more |= {"kernel_size": tuple(kernel), "stride": node["stride"], "padding": node["padding"]}
    return kind(inputs, out, bias=bias, **more)


def _fill(layer: nn.Module, values: Mapping[str, torch.Tensor]) -> None:
    with torch.no_grad():
        for name, value in values.items():
            target = getattr(layer, name)
            target.copy_(value.reshape(target.shape))
