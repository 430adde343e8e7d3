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
#: Where the kernels run.
DEVICES = ("cpu", "cuda") if ops.has_cuda() else ("cpu",)


def block_count(name: str, shape: Any, m: int, share: int, flat: bool) -> int:
    """Whole blocks of a weight; the program's sentence where it cannot be cut into them."""
    try:
        return ops.nm_blocks(list(shape), m, share, flat)
    except RuntimeError as e:
        raise Error(str(e).replace("weight:", f"{name}:", 1)) from None


# Shapes alone, for torch.compile.
@torch.library.register_fake("spikenm::nm_logits")
def _(shape: Any, m: int, share: int, flat: bool, *rest: Any) -> Any:
    return torch.empty((ops.nm_blocks(shape, m, share, flat), m), device="cpu")


@torch.library.register_fake("spikenm::nm_draw")
def _(logits: Any, weight: Any, step: Any, n_draws: int, *rest: Any) -> Any:
    return logits.new_empty((logits.shape[0], n_draws), dtype=torch.uint8)


@torch.library.register_fake("spikenm::nm_top")
def _(logits: Any, weight: Any, n: int, *rest: Any) -> Any:
    return logits.new_empty((logits.shape[0], n), dtype=torch.uint8)


@torch.library.register_fake("spikenm::nm_mask")
def _(draws: Any, weight: Any, *rest: Any) -> Any:
    return torch.empty_like(weight, dtype=torch.uint8)


@torch.library.register_fake("spikenm::nm_straight_through")
def _(grad: Any, logits: Any, *rest: Any) -> Any:
    return torch.empty_like(logits)


@torch.library.register_fake("spikenm::nm_distill")
def _(logits: Any, *rest: Any) -> Any:
    return torch.empty_like(logits)


@torch.library.register_fake("spikenm::sum_credits")
def _(slices: Any) -> Any:
    return torch.empty_like(slices[0]), torch.empty_like(slices[0])
