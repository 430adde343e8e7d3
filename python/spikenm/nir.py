"""Trained networks as NIR graphs (Neuromorphic Intermediate Representation), which other SNN frameworks read.

    spikenm.nir.export(run, "m.nir")

Needs the `nir` package; no torch. Norms become part of the layers before them, a residual sum is two edges, a vote is
a linear layer, and a max pool of spikes an average pool with neurons behind it that fire at any spike. The file has no steps: the reader runs it with the same `dt` for each frame, and the mean over the frames
is the score.
"""

from __future__ import annotations

import io
import numbers
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._core import Error
from ._files import file_name, write_whole
from ._model import read_model
from ._run import Run

__all__ = ["export"]

_EPSILON = 1e-5  # of batch norms
_DT = (1e-30, 1e30)  # seconds: float32 holds them, 1/dt, and both times what a neuron has


def export(run: Run | str | os.PathLike[str], path: str | os.PathLike[str], best: bool = False, dt: float = 1e-4) -> None:
    """Writes the network of a run, of its last epoch or of the best one on validation.

    dt: seconds of a time step; 1e-4 is what most readers expect. What NIR cannot say (a soft reset, pruned
    neurons, a max pool of more than spikes, a current-based LIF with our gain) is an Error that names the node.
    """
    try:
        import nir
    except ImportError as e:
        raise Error(f"nir: found no package that can be imported ({e}), wanted it to write {os.fspath(path)}") from None
    if not isinstance(dt, numbers.Real) or not _DT[0] <= dt <= _DT[1]:
        raise Error(f"dt: found {dt!r}, wanted {_DT[0]} to {_DT[1]} seconds")
    name = file_name(path)
    run = run if isinstance(run, Run) else Run(run)
    model = read_model(run.model_path(best))
    made = io.BytesIO()
    nir.write(made, _Writer(nir, model.graph, model.tensors, float(dt)).graph())
    write_whole(name, made.getvalue())


class _Writer:
    """Walks the nodes of a graph. A value is known by the NIR nodes that give it: several are a sum."""

    def __init__(self, nir: Any, graph: Mapping[str, Any], tensors: Mapping[str, Any], dt: float) -> None:
        self._nir, self._graph, self._tensors, self._dt = nir, graph, tensors, dt
        self._nodes: dict[str, Any] = {}
        self._edges: list[tuple[str, str]] = []
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._sources: dict[str, list[str]] = {}
        self._spikes: set[str] = set()  # nodes whose values are 0 and 1
        self._norms = {node["inputs"][0]: node for node in graph["node"] if node["op"] == "norm"}

    def graph(self) -> Any:
        """The whole network."""
        frame = tuple(self._graph["frame"])
        self._nodes["input"] = self._nir.Input({"input": np.array(frame)})
        self._sources["input"], self._shapes["input"] = ["input"], frame
        self._check_norms()
        for node in self._graph["node"]:
            self._add_node(node)
        last = self._graph["node"][-1]["name"]
        self._put("output", self._nir.Output({"output": np.array(self._shapes[last])}), last, self._shapes[last])
        return self._nir.NIRGraph(self._nodes, self._edges)

    def _check_norms(self) -> None:
        ops = {node["name"]: node["op"] for node in self._graph["node"]}
        readers = [name for node in self._graph["node"] for name in node["inputs"]]
        for source, norm in self._norms.items():
            if ops.get(source) != "synapse" or readers.count(source) > 1:
                raise Error(f"{norm['name']}: found a norm of '{source}', wanted one that alone reads a synapse: NIR has no norm")

    def _add_node(self, node: Mapping[str, Any]) -> None:
        name, op, source = node["name"], node["op"], node["inputs"][0]
        shape = self._shapes[source]
        if op == "norm":
            self._sources[name], self._shapes[name] = self._sources[source], shape
        elif op == "sum":
            self._sources[name] = [each for one in node["inputs"] for each in self._sources[one]]
            self._shapes[name] = shape
            if len(set(self._sources[name])) != len(self._sources[name]):
                raise Error(f"{name}: found a sum that reads a value twice, which two edges of NIR cannot say")
        elif op == "synapse":
            self._put(name, *self._synapse(node, shape))
        elif op == "neuron":
            self._put(name, self._neuron(node, shape), source, shape)
            self._spikes.add(name)
        elif op == "pool" and node["kind"] == "average":
            self._pool(name, source, (node["size"],) * 2, (node["stride"],) * 2)
        elif op == "pool":
            self._max_pool(node, source)
        elif op == "flatten":
            self._flatten(name, source)
        elif op == "mean":
            self._pool(f"{name}_pool", source, shape[1:], shape[1:])
            self._flatten(name, f"{name}_pool")
        else:
            classes = len(self._graph["classes"])
            weight = np.kron(np.eye(classes, dtype=np.float32), np.full((1, node["voters"]), 1 / node["voters"], np.float32))
            self._put(name, self._nir.Linear(weight), source, (classes,))

    def _synapse(self, node: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[Any, str, tuple[int, ...]]:
        name, source = node["name"], node["inputs"][0]
        weight = self._tensors[f"{name}.weight"].astype(np.float64)
        bias = self._tensors.get(f"{name}.bias", np.zeros(len(weight))).astype(np.float64)
        if name in self._norms:
            gamma, beta, mean, variance = (self._tensors[f"{self._norms[name]['name']}.{part}"].astype(np.float64)
                                           for part in ("weight", "bias", "running_mean", "running_var"))
            scale = gamma / np.sqrt(variance + _EPSILON)
            weight = weight * scale.reshape(-1, *[1] * (weight.ndim - 1))
            bias = (bias - mean) * scale + beta
        weight, bias = weight.astype(np.float32), bias.astype(np.float32)
        if len(shape) == 1:
            return self._nir.Affine(weight.reshape(len(weight), -1), bias), source, (len(weight),)
        stride, padding = node["stride"], node["padding"]
        out = tuple((side + 2 * padding - k) // stride + 1 for side, k in zip(shape[1:], weight.shape[2:]))
        made = self._nir.Conv2d(shape[1:], weight, (stride,) * 2, (padding,) * 2, (1, 1), 1, bias)
        return made, source, (len(weight), *out)

    def _neuron(self, node: Mapping[str, Any], shape: tuple[int, ...]) -> Any:
        name = node["name"]
        if node["kind"] == "cuba-lif":
            raise Error(f"{name}: found a 'cuba-lif' neuron, whose gain readers of NIR do not take; wanted if, lif or plif")
        if node["reset"] == "soft":
            raise Error(f"{name}: found a soft reset, which NIR cannot say; wanted a hard one")
        if not self._tensors.get(f"{name}.mask", np.ones(1)).all():
            raise Error(f"{name}: found pruned neurons, which NIR cannot say; wanted all of them")

        def every(value: float) -> Any:
            return np.full(shape, value, np.float32)

        threshold, reset = every(node["threshold"]), every(node["v_reset"])
        if node["kind"] == "if":
            return self._nir.IF(r=every(1 / self._dt), v_threshold=threshold, v_reset=reset)
        leak = self._tensors.get(f"{name}.w")
        tau = float(1 + np.exp(-leak.astype(np.float64).item())) if leak is not None else node["tau"]
        return self._nir.LIF(tau=every(tau * self._dt), r=every(1.0 if node["decay_input"] else tau), v_leak=reset,
                             v_threshold=threshold, v_reset=reset)

    def _pool(self, name: str, source: str, size: tuple[int, ...], stride: tuple[int, ...], padding: int = 0) -> None:
        shape = self._shapes[source]
        out = tuple((side + 2 * padding - k) // s + 1 for side, k, s in zip(shape[1:], size, stride))
        made = self._nir.AvgPool2d(kernel_size=np.array(size), stride=np.array(stride), padding=np.array([padding] * 2))
        self._put(name, made, source, (shape[0], *out))

    def _max_pool(self, node: Mapping[str, Any], source: str) -> None:
        """The largest of spikes is 1 where there is any: an average of at least 1/size², and neurons that keep nothing."""
        name, size = node["name"], node["size"]
        if source not in self._spikes:
            raise Error(f"{name}: found a max pool of '{source}', which is more than spikes; wanted one of a neuron, since NIR has no max pool")
        self._pool(f"{name}_mean", source, (size,) * 2, (node["stride"],) * 2, node["padding"])
        shape = self._shapes[f"{name}_mean"]
        ones = np.ones(shape, np.float32)
        fires = self._nir.IF(r=ones / np.float32(self._dt), v_threshold=ones * np.float32(0.5 / size**2), v_reset=0 * ones)
        self._put(name, fires, f"{name}_mean", shape)
        self._spikes.add(name)

    def _flatten(self, name: str, source: str) -> None:
        shape = self._shapes[source]
        made = self._nir.Flatten({"input": np.array(shape)}, start_dim=0, end_dim=-1)
        self._put(name, made, source, (int(np.prod(shape)),))

    def _put(self, name: str, made: Any, source: str, shape: tuple[int, ...]) -> None:
        self._nodes[name] = made
        self._edges += [(each, name) for each in self._sources[source]]
        self._sources[name], self._shapes[name] = [name], shape
