"""A model file, read and checked as the program reads it."""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class Model:
    """What is in it.

    graph: the network, its nodes in forward order.
    tensors: name -> array; masks are bytes 0 and 1.
    steps: time steps of a sample.
    has_time: a sample has a frame for each step; else it is an image that lasts all of them.
    """

    graph: dict[str, Any]
    tensors: dict[str, NDArray[Any]]
    steps: int
    has_time: bool


def read_model(path: str | os.PathLike[str]) -> Model:
    """An Error is the sentence that the program would print of this file; its notes are warnings."""
    said, tensors = _core.read_model(path)
    facts = json.loads(said)
    warn(facts["notes"])
    return Model(facts["graph"], tensors, facts["steps"], facts["has_time"])


def warn(notes: list[str]) -> None:
    """Warns at the line outside of the package that has asked."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        level, frame = level + 1, frame.f_back
    for note in notes:
        warnings.warn(note, stacklevel=level)
