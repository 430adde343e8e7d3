"""Trained networks as ONNX files, which onnxruntime and others run. Needs the `onnx` package; no torch.

    spikenm.onnx.export(run, "m.onnx")

The time steps are unrolled. Input "frames": [T,B,C,H,W], or [B,C,H,W] where the network reads images; output
"scores": [B,classes], the mean over all steps.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._core import Error
from ._files import file_name, write_whole
from ._model import read_model
from ._run import Run

__all__ = ["export"]

_OPSET = 17


def export(
    run: Run | str | os.PathLike[str], path: str | os.PathLike[str], best: bool = False, images: bool | None = None
) -> None:
    """Writes the network of a run, of its last epoch or of the best one on validation.

    images: whether it reads images that last all steps; None: as its data set does. Pixels are not
    normalised in the file: it reads what the network reads.
    """
    try:
        import onnx
    except ImportError as e:
        raise Error(f"onnx: found no package that can be imported ({e}), wanted it to write {os.fspath(path)}") from None
    name = file_name(path)
    run = run if isinstance(run, Run) else Run(run)
    trained = read_model(run.model_path(best))
    has_time = trained.has_time if images is None else not images
    model = _Writer(onnx, trained.graph, trained.tensors, trained.steps, has_time).model()
    onnx.checker.check_model(model)
    write_whole(name, model.SerializeToString())


class _Writer:
    """Walks the nodes of a graph; values are folded, [T*B,...], time outermost."""

    def __init__(self, onnx: Any, graph: Mapping[str, Any], tensors: Mapping[str, Any], steps: int, has_time: bool) -> None:
        self._onnx, self._graph, self._tensors = onnx, graph, tensors
        self._T, self._has_time = steps, has_time
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._count = 0

    def model(self) -> Any:
        """The whole file."""
        helper, real = self._onnx.helper, self._onnx.TensorProto.FLOAT
        frame = list(self._graph["frame"])
        found = {"input": self._input(frame)}
        rank = {"input": 3}
        for node in self._graph["node"]:
            inputs = [found[name] for name in node["inputs"]]
            rank[node["name"]] = 1 if node["op"] in ("flatten", "mean") else rank[node["inputs"][0]]
            found[node["name"]] = self._node(node, inputs, rank[node["inputs"][0]])
        classes = len(self._graph["classes"])
        by_step = self._reshape(found[self._graph["node"][-1]["name"]], [self._T, -1, classes])
        self._add("ReduceMean", [by_step], name="scores", axes=[0], keepdims=0)
        shape = [self._T, "batch", *frame] if self._has_time else ["batch", *frame]
        graph = helper.make_graph(
            self._nodes, self._graph["name"], [helper.make_tensor_value_info("frames", real, shape)],
            [helper.make_tensor_value_info("scores", real, ["batch", classes])],
            [self._onnx.numpy_helper.from_array(value, name) for name, value in self._constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8, producer_name="spikenm")
        helper.set_model_props(model, {"classes": "\n".join(self._graph["classes"])})
        return model

    def _input(self, frame: list[int]) -> str:
        x = "frames"
        if not self._has_time:  # an image lasts all steps
            x = self._add("Tile", [self._reshape(x, [1, -1, *frame]), self._constant([self._T, 1, 1, 1, 1])])
        return self._reshape(x, [-1, *frame])

    def _node(self, node: Mapping[str, Any], inputs: list[str], rank: int) -> str:
        op, x = node["op"], inputs[0]
        if op == "synapse":
            return self._synapse(node, x, rank)
        if op == "norm":
            parts = [self._weights(f"{node['name']}.{part}") for part in ("weight", "bias", "running_mean", "running_var")]
            return self._add("BatchNormalization", [x, *parts], epsilon=1e-5)
        if op == "neuron":
            return self._neuron(node, x)
        if op == "pool":
            size, stride, padding = [node["size"]] * 2, [node["stride"]] * 2, [node["padding"]] * 4
            if node["kind"] == "average":
                return self._add("AveragePool", [x], kernel_shape=size, strides=stride)
            return self._add("MaxPool", [x], kernel_shape=size, strides=stride, pads=padding)
        if op == "sum":
            return self._add("Sum", inputs)
        if op == "flatten":
            return self._add("Flatten", [x], axis=1)
        if op == "mean":
            return self._add("ReduceMean", [x], axes=[2, 3], keepdims=0)
        votes = self._reshape(x, [-1, len(self._graph["classes"]), node["voters"]])
        return self._add("ReduceMean", [votes], axes=[2], keepdims=0)

    def _synapse(self, node: Mapping[str, Any], x: str, rank: int) -> str:
        name = node["name"]
        weight = self._tensors[f"{name}.weight"]
        bias = [self._weights(f"{name}.bias")] if f"{name}.bias" in self._tensors else []
        if rank == 1:
            flat = self._constant(weight.reshape(len(weight), -1))
            return self._add("Gemm", [x, flat, *bias], transB=1)
        return self._add("Conv", [x, self._weights(f"{name}.weight"), *bias], kernel_shape=list(weight.shape[2:]),
                         strides=[node["stride"]] * 2, pads=[node["padding"]] * 4)

    def _neuron(self, node: Mapping[str, Any], x: str) -> str:
        """The steps one after another; Eq. (1) to (3) as in training."""
        kind, soft = node["kind"], node["reset"] == "soft"
        rest = 0.0 if soft else node["v_reset"]
        leak = self._tensors.get(f"{node['name']}.w")
        k = 1 / (1 + np.exp(-leak.astype(np.float64).item())) if leak is not None else 1 / node["tau"]
        number = {name: self._number(value) for name, value in
                  {"rest": rest, "k": k, "threshold": node["threshold"], "one": 1.0,
                   "keep": 1 - 1 / node.get("tau_syn", 1.0)}.items()}
        batch = self._add("Shape", [x], start=1)
        shape = self._add("Concat", [self._constant([self._T, -1]), batch], axis=0)
        parts = self._split(self._add("Reshape", [x, shape]))
        v, current, spikes = number["rest"], None, []
        for part in parts:
            if kind == "cuba-lif" and current is not None:
                part = self._add("Add", [self._add("Mul", [current, number["keep"]]), part])
            current = part
            h = self._charge(node, v, part, number)
            spike = self._add("Cast", [self._add("GreaterOrEqual", [h, number["threshold"]])], to=self._onnx.TensorProto.FLOAT)
            if soft:
                v = self._add("Sub", [h, self._add("Mul", [spike, number["threshold"]])])
            else:
                kept = self._add("Mul", [self._add("Sub", [number["one"], spike]), h])
                v = self._add("Add", [kept, self._add("Mul", [spike, number["rest"]])])
            spikes.append(spike)
        folded = self._add("Reshape", [self._add("Concat", spikes, axis=0), self._add("Concat", [self._constant([-1]), batch], axis=0)])
        mask = self._tensors.get(f"{node['name']}.mask")
        return folded if mask is None else self._add("Mul", [folded, self._constant(mask.astype(np.float32))])

    def _charge(self, node: Mapping[str, Any], v: str, x: str, number: Mapping[str, str]) -> str:
        if node["kind"] == "if":
            return self._add("Add", [v, x])
        above = self._add("Sub", [v, number["rest"]])
        if node["decay_input"] or node["kind"] == "cuba-lif":
            return self._add("Add", [v, self._add("Mul", [self._add("Sub", [x, above]), number["k"]])])
        return self._add("Add", [self._add("Sub", [v, self._add("Mul", [above, number["k"]])]), x])

    def _split(self, x: str) -> list[str]:
        if self._T == 1:
            return [x]
        self._count += 1
        names = [f"step{self._count}_{t}" for t in range(self._T)]
        self._nodes.append(self._onnx.helper.make_node("Split", [x, self._constant([1] * self._T)], names, axis=0))
        return names

    def _add(self, op: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        self._count += 1
        out = name or f"{op}_{self._count}"
        self._nodes.append(self._onnx.helper.make_node(op, inputs, [out], **attributes))
        return out

    def _reshape(self, x: str, shape: list[int]) -> str:
        return self._add("Reshape", [x, self._constant(shape)])

    def _constant(self, value: Any) -> str:
        self._count += 1
        name = f"constant_{self._count}"
        self._constants[name] = np.ascontiguousarray(value, dtype=None if isinstance(value, np.ndarray) else np.int64)
        return name

    def _number(self, value: float) -> str:
        return self._constant(np.array(value, dtype=np.float32))

    def _weights(self, name: str) -> str:
        self._constants[name] = np.ascontiguousarray(self._tensors[name], dtype=np.float32)
        return name
