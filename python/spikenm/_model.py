"""A model file, read and checked as the program reads it."""

from __future__ import annotations

import json
import os
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
    for note in facts["notes"]:
        warnings.warn(note, stacklevel=3)
    return Model(facts["graph"], tensors, facts["steps"], facts["has_time"])
