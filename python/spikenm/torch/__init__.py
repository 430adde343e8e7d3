"""The search for N:M masks in anybody's training loop. Needs torch 2.11 or newer.

    from spikenm.torch import sparsify

    opt = torch.optim.Adam(net.parameters())
    nm = sparsify(net, "2:4", steps=total_steps, seed=0)
    opt.add_param_group({"params": nm.logits(), "lr": nm.options.logit_lr})
    for x, y in loader:
        opt.zero_grad(); loss(net(x), y).backward(); nm.after_backward(); opt.step(); nm.end_step()
    nm.freeze(); nm.save("m.safetensors")
"""

from __future__ import annotations

import fnmatch
import os
import re
import types
from collections.abc import Iterable
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from .. import _core
from .._core import Error
from . import _folded
from ._mask import NmMask, Rule, check_weight
from ._ops import block_count
from ._options import PRESETS, Options, is_number, is_whole, options_of
from ._time import check_seen, watch_containers

__all__ = ["PRESETS", "NmMask", "Options", "Sparsifier", "sparsify"]

_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d)


class Sparsifier:
    """The mask search of a network; `sparsify` makes it."""

    def __init__(self, net: nn.Module, layers: dict[str, nn.Module], options: Options, steps: int, hooks: list[Any]) -> None:
        self.net, self.options, self.steps = net, options, steps
        self._layers = layers
        self._n_blocks = sum(len(search.logits) for search in self.searches.values())
        self._hooks = hooks
        self._has_seen_time = False

    @property
    def searches(self) -> dict[str, NmMask]:
        """Layer -> its search."""
        return {name: layer.parametrizations.weight[0] for name, layer in self._layers.items()}  # type: ignore[union-attr,index,misc]

    @property
    def step(self) -> int:
        """Steps that have ended."""
        return next(iter(self.searches.values())).step

    @property
    def frozen(self) -> bool:
        """Whether the masks stay as they are."""
        return all(search.frozen for search in self.searches.values())

    def logits(self) -> list[nn.Parameter]:
        """The parameters that masks are drawn from, for the optimiser."""
        return [search.logits for search in self.searches.values()]

    def masks(self) -> dict[str, torch.Tensor]:
        """Layer -> the mask that is frozen, or would be now: bool in the weight's shape."""
        return {name: self.searches[name].hard_mask(_original(layer)).bool() for name, layer in self._layers.items()}

    def after_backward(self, scale: float = 1.0) -> None:
        """Once per step, behind `backward` and before the optimiser: distils credits into the logits' gradient.

        scale: what the loss was multiplied with, if its gradients are still so much too large: `scaler.get_scale()` of a
        `torch.amp.GradScaler` that has not yet unscaled them. Behind `scaler.unscale_(opt)` there is nothing to say.
        """
        if not is_number(scale) or scale <= 0:
            raise Error(f"scale: found {scale!r}, wanted a number above 0")
        if self.frozen or self.options.lambda_eid == 0:
            return
        if not self._has_seen_time:  # once: on a GPU it waits for the step
            self._has_seen_time = check_seen(self.searches)
        for name, layer in self._layers.items():
            self.searches[name].distill(_original(layer), scale * self.options.lambda_eid / self._n_blocks)

    def end_step(self) -> None:
        """Once per step, behind the optimiser: the next step begins, with a new mask where one is due."""
        if self.frozen or self.step >= self.steps:
            return
        for name, layer in self._layers.items():
            search = self.searches[name]
            search.step += 1
            search.forget_credit()
            if search.step < search.steps:
                search.begin_step(_original(layer).detach())

    def freeze(self) -> None:
        """Ends the search: at most n of m weights are kept, the others are 0 and stay so while training goes on."""
        for name, layer in self._layers.items():
            self.searches[name].freeze(_original(layer))
            vars(layer).pop("forward", None)
        for hook in self._hooks:
            hook.remove()

    def remove(self) -> None:
        """Leaves plain layers with the masked weights. The masks are forgotten: training would fill them."""
        if not self.frozen:
            raise Error("remove: found masks that are still searched for, wanted freeze() before")
        for layer in self._layers.values():
            parametrize.remove_parametrizations(layer, "weight")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes every tensor of the network under its usual name, and `<layer>.mask`, as safetensors."""
        if not self.frozen:
            raise Error("save: found masks that are still searched for, wanted freeze() before")
        tensors: dict[str, Any] = {}
        for name, value in self.net.state_dict().items():
            if not isinstance(value, torch.Tensor) or ".parametrizations.weight.0." in f".{name}":
                continue
            tensors[re.sub(r"parametrizations\.weight\.original$", "weight", name)] = value
        for name, mask in self.masks().items():
            tensors[f"{name}.mask"] = mask.to(torch.uint8)
        wanted = {torch.float32, torch.float64, torch.int64, torch.uint8}
        for name, value in tensors.items():
            if value.dtype not in wanted:
                raise Error(f"{name}: found values of type {str(value.dtype)[6:]}, wanted float32, float64, int64 or uint8")
        _core.write_tensors(path, {name: value.detach().cpu().contiguous().numpy() for name, value in tensors.items()})


def sparsify(
    net: nn.Module,
    pattern: str = "2:4",
    *,
    steps: int,
    preset: str = "default",
    seed: int = 0,
    share: int = 1,
    layers: str | Iterable[str] = "*",
    time_steps: int = 0,
    **options: Any,
) -> Sparsifier:
    """Puts the mask search on the convolutions and linear layers of a network, in their order.

    pattern: "n:m". steps: optimiser steps of the search. share: output channels that share a mask.
    preset, options: as `[method]` of the program (`Options`). seed: with the same seed, layer, step, logits
    and weights, masks are bit for bit the program's.
    layers: globs over the names of modules. A layer without a whole block stays dense.
    time_steps: for nets that fold time into the batch themselves, [T*B,...] with time outermost; 1: there is no time.
    Loops over steps, SpikingJelly's layers in step mode "m", its SeqToANNContainer and `Run.to_torch()` need nothing:
    their credits are found. Steps that are folded where they are not seen are refused by the first `after_backward`.

    Make the optimiser before, and add `logits()` to it. Weights are float32, on the CPU or, where the package was built
    with nvcc, on a GPU; the net may be moved at any time.
    """
    match = re.fullmatch(r"([0-9]+):([0-9]+)", pattern) if isinstance(pattern, str) else None
    n, m = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= n <= m <= 64:
        raise Error(f"pattern: found {pattern!r}, wanted n:m with 1 <= n <= m <= 64")
    _check_numbers(steps=(steps, 1, 63), seed=(seed, 0, 63), share=(share, 1, 31), time_steps=(time_steps, 0, 63))
    chosen = options_of(preset, options)
    found = _find_layers(net, layers)
    searches: dict[str, NmMask] = {}
    for number, (name, layer) in enumerate(found.items()):
        rule = Rule(m, share, chosen.axis == "flat", chosen.replace, chosen.prior_kappa, chosen.or_grad == "soft",
                    chosen.weight_grad == "dense", seed, number)
        weight: torch.Tensor = layer.weight.detach()  # type: ignore[union-attr,assignment,operator]
        if block_count(name, weight.shape, *rule.blocks) == 0:
            continue
        if time_steps > 0 or getattr(layer, "step_mode", "s") == "m":
            _folded.check(layer, name)
        searches[name] = NmMask(name, weight, n, rule, chosen, steps)
        searches[name].time_steps = time_steps
    if not searches:
        raise Error(f"pattern: found no whole block of {m} in {', '.join(found)}, wanted one at least")
    masked = {name: found[name] for name in searches}
    hooks = watch_containers(net, masked, searches)
    for name, layer in masked.items():  # nothing is refused from here on: no net is changed by half
        _mask_layer(layer, searches[name])
    return Sparsifier(net, masked, chosen, steps, hooks)


def _check_numbers(**given: tuple[Any, int, int]) -> None:
    for name, (value, low, bits) in given.items():
        if not is_whole(value) or not low <= value < 2**bits:
            raise Error(f"{name}: found {value!r}, wanted a whole number of at least {low}, below 2^{bits}")


def _find_layers(net: nn.Module, layers: str | Iterable[str]) -> dict[str, nn.Module]:
    if not isinstance(net, nn.Module):
        raise Error(f"net: found {type(net).__name__}, wanted a torch.nn.Module")
    globs = [layers] if isinstance(layers, str) else list(layers) if isinstance(layers, Iterable) else []
    if not globs or not all(isinstance(glob, str) for glob in globs):
        raise Error(f"layers: found {layers!r}, wanted globs over the names of modules")
    names = [name for name, module in net.named_modules() if isinstance(module, _LAYERS)]
    for glob in globs:
        if not any(fnmatch.fnmatchcase(name, glob) for name in names):
            raise Error(f"layers: {glob!r} matches no layer; the layers are {', '.join(names) or 'none'}")
    found = {name: net.get_submodule(name) for name in names if any(fnmatch.fnmatchcase(name, glob) for glob in globs)}
    for name, layer in found.items():
        if parametrize.is_parametrized(layer, "weight"):
            raise Error(f"{name}.weight: found a parametrization, wanted a plain weight")
        if nn.parameter.is_lazy(layer.weight):  # type: ignore[arg-type]
            raise Error(f"{name}.weight: found no values yet, wanted a call of the net before")
        check_weight(name, layer.weight)  # type: ignore[arg-type]
        if not layer.weight.isfinite().all():  # type: ignore[union-attr,operator]
            raise Error(f"{name}.weight: found nan or inf, wanted finite numbers")
    _check_untied(net, found)
    return found


def _check_untied(net: nn.Module, found: dict[str, nn.Module]) -> None:
    """Refuses a weight that two modules have: a mask of the one would cut into the other."""
    owners: dict[int, list[str]] = {}
    for name, module in net.named_modules():
        for key, parameter in module.named_parameters(recurse=False):
            owners.setdefault(id(parameter), []).append(f"{name}.{key}" if name else key)
    for layer in found.values():
        names = owners[id(layer.weight)]
        if len(names) > 1:
            raise Error(f"{' and '.join(names)}: found one weight in both, wanted a weight of its own in each layer that gets a mask")


def _mask_layer(layer: nn.Module, search: NmMask) -> None:
    layer.forward = types.MethodType(_folded.forward, layer)  # type: ignore[method-assign]
    search.train(layer.training)
    parametrize.register_parametrization(layer, "weight", search, unsafe=True)


def _original(layer: nn.Module) -> torch.Tensor:
    return layer.parametrizations.weight.original  # type: ignore[union-attr,return-value]
