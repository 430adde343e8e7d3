"""What a training run left in its folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Error
from ._files import file_name
from ._model import Model, read_model, warn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .networks import Network
    from .runtime import Runtime

__all__ = ["Run", "load", "read_metrics"]


class Run:
    """The folder of a run. Files are read when they are asked for, and read again each time."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not (self.path / "config.toml").is_file():
            raise Error(f"{os.fspath(path)}: found no config.toml, wanted the folder of a run")

    def __repr__(self) -> str:
        return f"<spikenm.Run {self.path}{'' if self.finished else ', not finished'}>"

    @property
    def config(self) -> dict[str, Any]:
        """Every key with the value used."""
        return json.loads(_core.toml_to_json(self.path / "config.toml"))

    @property
    def finished(self) -> bool:
        """Whether the run has ended; one that was stopped goes on with `spikenm.train(resume=True)`."""
        try:
            return "unfinished" not in self.result
        except Error:
            return False

    @property
    def result(self) -> dict[str, Any]:
        """What was measured on the test part: accuracy, sparsity, synaptic operations, versions."""
        return _read_json(self.path / "result.json")

    def metrics(self) -> list[dict[str, Any]]:
        """One row per epoch; `pandas.DataFrame(run.metrics())` is a table of them.

        Values are numbers and texts: those of layers have names such as "firing_rate.lif_conv1".
        """
        return read_metrics(self.path / "metrics.jsonl")

    def model_path(self, best: bool = False) -> Path:
        """The model file of the last epoch, or of the best one on validation."""
        path = self.path / ("model_best_val.safetensors" if best else "model.safetensors")
        if not path.is_file():
            raise Error(f"{path}: found no such file, wanted the model of a finished run")
        return path

    def masks(self, best: bool = False) -> dict[str, NDArray[np.bool_]]:
        """Layer -> which weights (of neurons: which neurons) it keeps, in the weight's shape."""
        tensors = self._model(best).tensors
        return {name.removesuffix(".mask"): keep.astype(bool) for name, keep in tensors.items() if name.endswith(".mask")}

    def tensors(self, best: bool = False) -> dict[str, NDArray[Any]]:
        """Every tensor of the model file: "conv1.weight", "bn_conv1.weight", "conv1.mask"."""
        return self._model(best).tensors

    def graph(self, best: bool = False) -> dict[str, Any]:
        """The network: its nodes in forward order (docs/networks.md)."""
        return self._model(best).graph

    def to_torch(self, best: bool = False, per_step: bool = False) -> Network:
        """The trained network as a torch.nn.Module with its masks, in evaluation mode.

        Its scores are those of `spikenm eval`. per_step: scores of each step, for losses over time.
        """
        from .networks import torch_network

        model = self._model(best)
        return torch_network(model.graph, model.tensors, model.steps, per_step)

    def to_spikingjelly(self, best: bool = False, per_step: bool = False) -> Network:
        """The same network of SpikingJelly's layers and neurons, multi-step."""
        from .networks import spikingjelly_network

        model = self._model(best)
        return spikingjelly_network(model.graph, model.tensors, model.steps, per_step)

    def export(self, path: str | os.PathLike[str], dtype: str = "int8", best: bool = False) -> Path:
        """Writes the network as a .snm file, as `spikenm export` does. dtype: "int8" or "fp32"."""
        out = file_name(path)
        warn(_core.export_model(self.model_path(best), out, dtype))
        return Path(out)

    def runtime(self, threads: int = 0, batch: int = 16, dtype: str = "int8", best: bool = False) -> Runtime:
        """The packed network, ready for NumPy arrays; needs neither torch nor the program."""
        import tempfile

        from .runtime import Runtime

        with tempfile.TemporaryDirectory(prefix="spikenm-") as folder:
            return Runtime(self.export(Path(folder) / "model.snm", dtype, best), threads, batch)

    def _model(self, best: bool) -> Model:
        return read_model(self.model_path(best))


def load(path: str | os.PathLike[str]) -> Run:
    """The run in a folder, finished or not."""
    return Run(path)


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The rows of a metrics.jsonl; a last line without its end is still being written."""
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as e:
        raise Error(f"{path}: cannot read: {e.strerror}") from None
    return [_flat(_table(line, f"{path}: line {number}", "the metrics of an epoch")) for number, line in enumerate(lines, 1)]


def _table(text: bytes, source: str, wanted: str) -> dict[str, Any]:
    """The JSON object that `text` is."""
    try:
        value = json.loads(text.decode("utf-8"))
        if isinstance(value, dict):
            _flat(value)  # as deep as Python follows
    except (ValueError, RecursionError):
        raise Error(f"{source}: found no JSON, wanted {wanted}") from None
    if not isinstance(value, dict):
        raise Error(f"{source}: found JSON that is no table, wanted {wanted}")
    return value


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{part}": inner for part, inner in _flat(value).items()}
        else:
            flat[name] = value
    return flat


def _read_json(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        raise Error(f"{path}: found no such file, wanted that of a run that has ended") from None
    except OSError as e:
        raise Error(f"{path}: cannot read: {e.strerror}") from None
    return _table(text, str(path), "what a run has measured")
