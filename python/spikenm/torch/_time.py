"""How time reaches a layer: credits are per time step, so a step that is not seen would be lost without a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import nn

from .._core import Error
from ..networks import _EachStep
from ._mask import NmMask


def _is_from_spikingjelly(module: nn.Module, name: str) -> bool:
    return any(each.__name__ == name and each.__module__.startswith("spikingjelly.") for each in type(module).__mro__)


def _folds(module: nn.Module) -> bool:
    """Whether what is inside of the module gets [T*B,...] for the [T,B,...] that the module gets."""
    if _is_from_spikingjelly(module, "StepModeContainer"):
        return module.step_mode == "m" and not module.stateful
    return isinstance(module, _EachStep) or _is_from_spikingjelly(module, "SeqToANNContainer")


def watch_containers(net: nn.Module, layers: Mapping[str, nn.Module], searches: Mapping[str, NmMask]) -> list[Any]:
    """Lets each layer inside of a container that folds time know the steps of each call. Returns the hooks.

    What it refuses, it refuses before there is a hook.
    """
    watched = []
    for name, module in net.named_modules():
        inside = [searches[each] for each, layer in layers.items() if module is not layer and layer in set(module.modules())]
        if inside and _is_from_spikingjelly(module, "TLastSeqToANNContainer"):
            raise Error(f"{inside[0].name}: found it in a TLastSeqToANNContainer ({name}), wanted a SeqToANNContainer, which has time in front")
        if inside and (_folds(module) or _is_from_spikingjelly(module, "StepModeContainer")):
            watched.append((module, inside))
    return [module.register_forward_pre_hook(_Tell(inside)) for module, inside in watched]


class _Tell:
    """Tells searches how many steps a container folds."""

    def __init__(self, searches: list[NmMask]) -> None:
        self.searches = searches

    def __call__(self, module: nn.Module, args: Any) -> None:
        x = args[0][0] if isinstance(args[0], tuple) else args[0]
        for search in self.searches:
            search.container_steps = x.shape[0] if _folds(module) else 0


def check_seen(searches: Mapping[str, NmMask]) -> bool:
    """Refuses a step whose time was folded into the batch where nobody saw it; whether there was a step to look at.

    Credits of a step that is refused are forgotten: the next step would count their uses as its own.

    A layer that is used once in a step is either in front of time, as one that reads an image which lasts all steps,
    or it got all steps at once. In the first case its batch is that of the layers that see time.
    """
    once: dict[str, tuple[int, ...]] = {}
    seen: set[tuple[int, int]] = set()  # (T, B)
    for name, search in searches.items():
        if search.frozen or search.sink.grad is None:
            continue
        T, batch, shape = search.seen
        uses = 0 if T > 0 else int(search.uses.grad)  # type: ignore[arg-type]
        if uses == 1:
            once[name] = shape
        else:
            seen.add((T or uses, batch))
    for name, shape in once.items():
        if not any(shape[:1] == (B,) for _, B in seen) or shape[:2] in seen:
            for search in searches.values():
                search.forget_credit()
            raise Error(f"{name}: found its weight used once in the step, on an input of {'x'.join(map(str, shape))}, wanted one use for "
                        "each time step: a loop, SpikingJelly's step mode 'm' or SeqToANNContainer, or time_steps=T in sparsify (1 where there is no time)")
    return bool(seen)
