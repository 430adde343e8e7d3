"""Trained networks (.snm files) on NumPy arrays, without torch.

    rt = spikenm.runtime.load("a.snm", threads=2)
    scores = rt(frames)                       # [T,C,H,W] -> [classes], [B,T,C,H,W] -> [B,classes]
    for scores in rt.stream(camera): ...      # frame by frame
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import check_range, float_array
from ._core import Error
from ._files import file_name

__all__ = ["Runtime", "load"]


class Runtime:
    """A network that is ready to run.

    Its threads are those of a pool that all of them share; those of torch, NumPy or OpenMP are neither used nor changed. Several
    Python threads may share it; their calls wait for each other, without the interpreter's lock.
    """

    def __init__(self, path: str | os.PathLike[str], threads: int = 0, batch: int = 16) -> None:
        """Loads a .snm file.

        threads: how many it may use; 0: all cores.
        batch: samples that run at once. A call may have more: they run one batch after another.
        """
        check_range("threads", threads, 0, 1024)
        check_range("batch", batch, 1, 4096)
        self._core = _core.Runtime(file_name(path), threads, batch)
        facts: dict[str, Any] = json.loads(self._core.facts())
        self.path = os.fspath(path)
        self.network: str = facts["network"]
        self.steps: int = facts["steps"]
        self.classes: list[str] = facts["classes"]
        self.reads_events: bool = facts["events"]
        self.sample_shape: tuple[int, int, int, int] = (facts["frames"], *facts["frame"])
        self.provenance: dict[str, Any] = facts["provenance"]
        self.layers: list[dict[str, Any]] = facts["layers"]

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.sample_shape))
        return f"<spikenm.Runtime {self.path}: {self.network}, {self.steps} steps, samples of {shape}>"

    def __call__(self, frames: Any) -> NDArray[np.float32]:
        """The scores of each class, the mean over all steps.

        frames: float32 in the model's shape, `sample_shape`, or a batch of them. Event counts, or
        pixels as `normalize` and `read` give them. A stream that `step` has begun is not touched.
        """
        values = float_array(frames, "frames")
        if values.shape == self.sample_shape:
            return self._core.run(values, 1)[0]
        if values.shape[1:] == self.sample_shape:
            return self._core.run(values, values.shape[0])
        raise Error(
            f"frames: found an array of {_text(values.shape)}, wanted {_text(self.sample_shape)} "
            "or a batch of them"
        )

    def labels(self, frames: Any) -> NDArray[np.int64]:
        """The class with the largest score of each sample of a batch; the first of equals."""
        scores = self(frames)
        return np.argmax(np.atleast_2d(scores), axis=1)

    def step(self, frame: Any) -> NDArray[np.float32]:
        """The scores of one more step of a stream: float32 [C,H,W]."""
        values = float_array(frame, "frame")
        if values.shape != self.sample_shape[1:]:
            raise Error(f"frame: found an array of {_text(values.shape)}, wanted {_text(self.sample_shape[1:])}")
        return self._core.step(values)

    def stream(self, frames: Iterable[Any]) -> Iterator[NDArray[np.float32]]:
        """Begins a stream and gives the scores of each step as its frame comes."""
        self.reset()
        for frame in frames:
            yield self.step(frame)

    def reset(self) -> None:
        """A stream begins anew."""
        self._core.reset()

    @property
    def state(self) -> NDArray[np.float32]:
        """A copy of the membranes of the stream; put one back to go on from there."""
        return self._core.state()

    @state.setter
    def state(self, value: Any) -> None:
        self._core.set_state(float_array(value, "state"))

    def read(self, path: str | os.PathLike[str]) -> NDArray[np.float32]:
        """A file as a sample of this network: an event file, a .npy array, a PNG or JPEG picture."""
        return self._core.read(file_name(path))

    def normalize(self, pixels: Any) -> NDArray[np.float32]:
        """Pixels 0..255 of one sample as the network reads them; event counts stay as they are."""
        values = float_array(pixels, "pixels")
        if values.shape != self.sample_shape:
            raise Error(f"pixels: found an array of {_text(values.shape)}, wanted {_text(self.sample_shape)}")
        return self._core.normalize(values)


def load(path: str | os.PathLike[str], threads: int = 0, batch: int = 16) -> Runtime:
    """The network of a .snm file (`spikenm export`, `Run.export`)."""
    return Runtime(path, threads, batch)


def _text(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "no axes"
