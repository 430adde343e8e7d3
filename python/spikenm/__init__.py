"""SpikeNM in Python: train N:M sparse spiking networks, read their runs, and run them packed.

    import spikenm
    run = spikenm.train({"method": {"pattern": "2:4"}}, out="runs/a")     # a process of its own
    run = spikenm.load("runs/a"); run.metrics(); run.result; run.masks()
    rt = run.runtime(threads=2); rt(frames)                               # packed, on NumPy alone
    spikenm.data.read_events("x.aedat4"); spikenm.data.frames(...)

Mistakes raise `spikenm.Error` with the sentence that the program would print. Nothing here imports
torch or NumPy before it is needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Error

if TYPE_CHECKING:
    from . import data, nir, onnx, runtime
    from ._program import find_program
    from ._run import Run, load
    from ._train import train

Error.__module__ = "spikenm"
Error.__doc__ = "A mistake in a config, a file, a shape or an argument, in one sentence."
__version__: str = _core.version

# Where each name is found when it is first asked for: an import of the package stays fast.
_HOMES = {
    "Run": "._run",
    "load": "._run",
    "train": "._train",
    "find_program": "._program",
    "data": None,
    "nir": None,
    "onnx": None,
    "runtime": None,
}
__all__ = ["Error", "Run", "data", "find_program", "load", "nir", "onnx", "runtime", "train"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'spikenm' has no attribute '{name}'")
    home = _HOMES[name]
    if home is None:
        return importlib.import_module(f".{name}", __name__)
    value = getattr(importlib.import_module(home, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
