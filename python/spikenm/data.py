"""Event recordings, frames and data sets as NumPy arrays.

    events = spikenm.data.read_events("x.aedat4")     # AEDAT 2, 3.1 and 4, .dat, .bin, .npy, .npz
    frames = spikenm.data.frames(events, T=8)         # [8,2,H,W] counts
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import check_range, whole_column
from ._core import Error
from ._files import file_name
from ._toml import assignment

__all__ = ["Events", "Samples", "frames", "read_events", "samples"]

_MOST_FRAMES = 1 << 20  # of a sample


@dataclasses.dataclass(frozen=True)
class Events:
    """A recording, event by event in the order of the file.

    t: time in µs
    x: column, from the left
    y: row, from the top
    p: 1: brighter (ON), 0: darker (OFF)
    width, height: of the sensor; 0: the file does not say
    format: of the file, such as "AEDAT 4.0"
    """

    t: NDArray[np.int64]
    x: NDArray[np.uint16]
    y: NDArray[np.uint16]
    p: NDArray[np.uint8]
    width: int = 0
    height: int = 0
    format: str = ""

    def __len__(self) -> int:
        return len(self.t)

    def array(self) -> NDArray[Any]:
        """One structured array with the fields t, x, y and p, as Tonic has it."""
        fields = [("t", np.int64), ("x", np.uint16), ("y", np.uint16), ("p", np.uint8)]
        out = np.empty(len(self), dtype=fields)
        for name, _ in fields:
            out[name] = getattr(self, name)
        return out


@dataclasses.dataclass(frozen=True)
class Samples:
    """Samples of a data set.

    frames: [samples,T,C,H,W]; an image has one frame, of pixels 0..255
    labels: the class of each, a number
    classes: the names of the classes
    """

    frames: NDArray[np.float32]
    labels: NDArray[np.int64]
    classes: list[str]

    def __len__(self) -> int:
        return len(self.labels)


def read_events(path: str | os.PathLike[str]) -> Events:
    """An event file of any known format, which is recognised by its content."""
    return Events(*_core.read_events(file_name(path)))


def frames(
    events: Any,
    T: int = 10,
    *,
    by: str = "number",
    binary: bool = False,
    width: int = 0,
    height: int = 0,
    polarities: int = 2,
    resize: int = 0,
) -> NDArray[np.float32]:
    """Events as counts per pixel and polarity, [T,polarities,height,width]; OFF first, then ON.

    events: what `read_events` gives, a path, a structured array or a dict with t, x, y and p.
    by: "number" cuts the recording into equal numbers of events, "time" into equal spans.
    binary: 0/1 instead of counts.
    width, height: the sensor's; 0: as the file says, or as large as the events need.
    resize: side of the frames after an antialiased bilinear resize; 0: none.
    """
    if isinstance(events, (str, os.PathLike)):
        events = read_events(events)
    if by not in ("number", "time"):
        raise Error(f"by: found {by!r}, wanted 'number' or 'time'")
    check_range("T", T, 1, _MOST_FRAMES)
    check_range("polarities", polarities, 1, 2)
    check_range("resize", resize, 0, 1 << 14)
    check_range("width", width, 0, 1 << 16)
    check_range("height", height, 0, 1 << 16)
    t, x, y, p = _columns(events)
    width = width or getattr(events, "width", 0) or _extent(x)
    height = height or getattr(events, "height", 0) or _extent(y)
    return _core.frames(t, x, y, p, T, by == "time", binary, polarities, resize, height, width)


def samples(name: str, T: int = 10, *, part: str = "test", limit: int = 0, seed: int = 0, **keys: Any) -> Samples:
    """Samples of a data set that the program knows: `samples("n-mnist", T=8, root="DIR", limit=100)`.

    part: "test" or "train". limit: only so many; 0: all. keys: others of `[data]`, such as root.
    """
    if part not in ("train", "test"):
        raise Error(f"part: found {part!r}, wanted 'train' or 'test'")
    check_range("T", T, 1, _MOST_FRAMES)
    check_range("limit", limit, 0, (1 << 63) - 1)
    check_range("seed", seed, 0, (1 << 64) - 1)
    assignments = [assignment("name", name), *(assignment(key, value) for key, value in keys.items())]
    return Samples(*_core.samples(assignments, part, T, limit, seed))


def _columns(events: Any) -> tuple[NDArray[Any], ...]:
    def column(name: str) -> Any:
        if isinstance(events, Events):
            return getattr(events, name)
        try:
            return events[name]
        except (KeyError, IndexError, TypeError, ValueError):
            raise Error(f"events: found no field {name!r}, wanted t, x, y and p") from None

    types = {"t": np.int64, "x": np.uint16, "y": np.uint16, "p": np.uint8}
    found = {name: whole_column(column(name), dtype, name) for name, dtype in types.items()}
    if len({len(values) for values in found.values()}) != 1:
        sizes = ", ".join(f"{len(values)} of {name}" for name, values in found.items())
        raise Error(f"events: found {sizes}, wanted as many of each")
    return tuple(found.values())


def _extent(column: NDArray[np.uint16]) -> int:
    return int(column.max()) + 1 if column.size else 1
