"""The library of our kernels as torch operations (`torch.ops.spikenm`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from .._core import Error


def _load() -> Any:
    path = Path(__file__).with_name("libspikenm_ops.so")
    if not path.exists():
        raise Error("spikenm.torch: this package was built where no torch was found; wanted one built beside torch 2.11 or newer (docs/python.md)")
    try:
        torch.ops.load_library(str(path))
    except OSError as e:
        raise Error(f"spikenm.torch: torch {torch.__version__} does not load {path.name} ({e}), wanted torch 2.11 or newer") from None
    return torch.ops.spikenm


ops = _load()


# Shapes alone, for torch.compile: what a graph may contain. Draws are made between steps, outside of it.
@torch.library.register_fake("spikenm::nm_straight_through")
def _(grad: Any, logits: Any, *rest: Any) -> Any:
    return torch.empty_like(logits)


@torch.library.register_fake("spikenm::nm_top")
def _(logits: Any, weight: Any, n: int, *rest: Any) -> Any:
    return logits.new_empty((logits.shape[0], n), dtype=torch.uint8)


@torch.library.register_fake("spikenm::nm_mask")
def _(draws: Any, weight: Any, *rest: Any) -> Any:
    return torch.empty_like(weight, dtype=torch.uint8)


@torch.library.register_fake("spikenm::add_credit")
def _(part: Any, grad: Any, credit: Any) -> None:
    return None
