#!/usr/bin/env python3
"""Times a .snm file in our runtime and in onnxruntime, in one run, and compares their scores.

  python3 -m venv .venv-onnx && .venv-onnx/bin/pip install onnx onnxruntime numpy
  .venv-onnx/bin/python tools/onnx_compare.py MODEL.snm [--input FILE.npy] [--batch 1] [--threads 2] [--save MODEL.onnx]

The network becomes ONNX as a user of onnxruntime would write it for speed: dense floats, norms folded into the weights before
them, all time steps of a layer in one convolution, an image's first convolution once, neurons unrolled over the steps. FILE.npy is a sample
as spikenm-run takes it; without one it is noise, whose firing rates are not those of real data. Both sides take turns.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import snm_file  # noqa: E402

try:
    import numpy
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
except ImportError as e:
    sys.exit(f"onnx_compare: {e}; pip install onnx onnxruntime numpy")


class Writer:
    """Builds the ONNX graph. A value is [steps * batch, …]; one of an image that lasts has a single step."""

    def __init__(self, model, batch):
        self.model, self.batch, self.steps = model, batch, model.meta["steps"]
        self.nodes, self.constants, self.names = [], [], 0
        self.shape, self.value, self.lasts = {}, {}, {}  # by node: [C,H,W] or [C]; ONNX name; one step alone
        self.readers = {name: 0 for name in model.index}
        for node in model.nodes:
            for each in node["inputs"]:
                self.readers[each] += 1

    def constant(self, array):
        self.names += 1
        self.constants.append(numpy_helper.from_array(numpy.asarray(array), f"c{self.names}"))
        return f"c{self.names}"

    def number(self, value):
        return self.constant(numpy.float32(value))

    def add(self, op, inputs, outputs=1, **attributes):
        out = []
        for _ in range(outputs):
            self.names += 1
            out.append(f"v{self.names}")
        self.nodes.append(helper.make_node(op, inputs, out, **attributes))
        return out[0] if outputs == 1 else out

    def write(self):
        frame = list(self.model.graph["frame"])
        image = self.model.meta["input"]["kind"] == "image"
        rows = self.batch * (1 if image else self.steps)
        self.shape["input"], self.value["input"], self.lasts["input"] = frame, "input", image
        last = "input"
        for node in self.model.nodes[1:]:
            last = node["name"]
            if last in self.value:  # a norm that became part of its synapse
                continue
            self.lasts[last] = all(self.lasts[each] for each in node["inputs"]) and node["op"] != "neuron"
            getattr(self, "write_" + node["op"])(node)
        classes = self.shape[last][0]
        steps = 1 if self.lasts[last] else self.steps
        by_step = self.add("Reshape", [self.value[last], self.constant(numpy.array([steps, self.batch, classes]))])
        self.nodes.append(helper.make_node("ReduceMean", [by_step, self.constant(numpy.array([0]))], ["scores"], keepdims=0))
        graph = helper.make_graph(
            self.nodes, self.model.graph["name"] or "network",
            [helper.make_tensor_value_info("input", TensorProto.FLOAT, [rows, *frame])],
            [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [self.batch, classes])], self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
        onnx.checker.check_model(made)
        return made

    def norm_behind(self, name):
        """The norm that alone reads a synapse."""
        for node in self.model.nodes:
            if node["op"] == "norm" and node["inputs"] == [name] and self.readers[name] == 1:
                return node["name"]
        return None

    def write_synapse(self, node):
        name, source = node["name"], node["inputs"][0]
        before = self.shape[source]
        kernel = node["kernel"] if isinstance(node["kernel"], list) else [node["kernel"]] * 2
        shape = [node["out"], before[0], *kernel]
        weight = numpy.array(self.model.weight(name, shape), dtype=numpy.float32).reshape(shape)
        bias = self.model.bias(name)
        bias = numpy.zeros(shape[0], numpy.float32) if bias is None else numpy.array(bias, dtype=numpy.float32)
        norm = self.norm_behind(name)
        if norm:
            scale, shift = (numpy.array(part, dtype=numpy.float32) for part in self.model.norm(norm))
            weight, bias = weight * scale[:, None, None, None], bias * scale + shift
        if len(before) == 1:
            out = self.add("Gemm", [self.value[source], self.constant(weight.reshape(shape[0], -1)), self.constant(bias)],
                           transB=1)
            self.shape[name] = [shape[0]]
        else:
            stride, pad = node["stride"], node["padding"]
            out = self.add("Conv", [self.value[source], self.constant(weight), self.constant(bias)], kernel_shape=kernel,
                           strides=[stride] * 2, pads=[pad] * 4)
            self.shape[name] = [shape[0], *((length + 2 * pad - k) // stride + 1 for length, k in zip(before[1:], kernel))]
        self.value[name] = out
        if norm:
            self.value[norm], self.shape[norm], self.lasts[norm] = out, self.shape[name], self.lasts[name]

    def write_norm(self, node):
        source, name = node["inputs"][0], node["name"]
        shape = [-1] + [1] * (len(self.shape[source]) - 1)
        scale, shift = (numpy.array(part, dtype=numpy.float32).reshape(shape) for part in self.model.norm(name))
        scaled = self.add("Mul", [self.value[source], self.constant(scale)])
        self.value[name], self.shape[name] = self.add("Add", [scaled, self.constant(shift)]), self.shape[source]

    def write_neuron(self, node):
        name, source = node["name"], node["inputs"][0]
        p, shape = self.model.neuron(name), self.shape[source]
        current = self.value[source]
        if p["gain"] != 1:
            current = self.add("Mul", [current, self.number(p["gain"])])
        if p["pull"] != 0:
            current = self.add("Add", [current, self.number(p["pull"])])
        one = self.lasts[source] or self.steps == 1
        parts = [current] * self.steps if one else self.add("Split", [current], self.steps, axis=0, num_outputs=self.steps)
        keep, threshold, fired_to = self.number(p["keep"]), self.number(p["threshold"]), self.number(p["reset"])
        membrane, spikes = None, []
        for t in range(self.steps):
            if membrane is None:
                start = p["keep"] * p["rest"]
                h = self.add("Add", [parts[t], self.number(start)]) if start != 0 else parts[t]
            else:
                h = self.add("Add", [self.add("Mul", [membrane, keep]) if p["keep"] != 1 else membrane, parts[t]])
            fired = self.add("GreaterOrEqual", [h, threshold])
            if t + 1 < self.steps:
                down = self.add("Sub", [h, threshold]) if p["soft"] else fired_to
                membrane = self.add("Where", [fired, down, h])
            spikes.append(self.add("Cast", [fired], to=TensorProto.FLOAT))
        out = self.add("Concat", spikes, axis=0) if len(spikes) > 1 else spikes[0]
        mask = self.model.neuron_mask(name, int(numpy.prod(shape)))
        if mask is not None:
            out = self.add("Mul", [out, self.constant(numpy.array(mask, dtype=numpy.float32).reshape(shape))])
        self.value[name], self.shape[name] = out, shape

    def write_pool(self, node):
        name, source, size, pad = node["name"], node["inputs"][0], node["size"], node["padding"]
        before = self.shape[source]
        more = {"count_include_pad": 1} if node["kind"] == "average" else {}
        self.value[name] = self.add("AveragePool" if node["kind"] == "average" else "MaxPool", [self.value[source]],
                                    kernel_shape=[size] * 2, strides=[node["stride"]] * 2, pads=[pad] * 4, **more)
        self.shape[name] = [before[0], *((length + 2 * pad - size) // node["stride"] + 1 for length in before[1:])]

    def write_sum(self, node):
        values = [self.at_all_steps(each, self.lasts[node["name"]]) for each in node["inputs"]]
        self.value[node["name"]], self.shape[node["name"]] = self.add("Sum", values), self.shape[node["inputs"][0]]

    def at_all_steps(self, name, lasts):
        if lasts or not self.lasts[name]:
            return self.value[name]
        return self.add("Concat", [self.value[name]] * self.steps, axis=0)

    def write_flatten(self, node):
        source = node["inputs"][0]
        self.value[node["name"]] = self.add("Flatten", [self.value[source]], axis=1)
        self.shape[node["name"]] = [int(numpy.prod(self.shape[source]))]

    def write_mean(self, node):
        source = node["inputs"][0]
        self.value[node["name"]] = self.add("ReduceMean", [self.value[source], self.constant(numpy.array([2, 3]))], keepdims=0)
        self.shape[node["name"]] = [self.shape[source][0]]

    def write_vote(self, node):
        source, voters = node["inputs"][0], node["voters"]
        classes = self.shape[source][0] // voters
        groups = self.add("Reshape", [self.value[source], self.constant(numpy.array([-1, classes, voters]))])
        self.value[node["name"]] = self.add("ReduceMean", [groups, self.constant(numpy.array([2]))], keepdims=0)
        self.shape[node["name"]] = [classes]


def sample_of(model, path):
    """[frames,C,H,W] as a file holds it: pixels 0..255, or counts of events."""
    image = model.meta["input"]["kind"] == "image"
    shape = [1 if image else model.meta["steps"], *model.graph["frame"]]
    if path:
        values = numpy.load(path).astype(numpy.float32)
        if values.size != numpy.prod(shape):
            sys.exit(f"onnx_compare: {path}: found {values.size} values, wanted {shape}")
        return values.reshape(shape)
    random = numpy.random.default_rng(1)
    if not image:
        return (random.random(shape) < 0.1).astype(numpy.float32)
    pixels = random.integers(0, 256, shape) if model.meta["input"]["mean"] else random.standard_normal(shape)
    return pixels.astype(numpy.float32)


def normalized(model, sample):
    mean, std = (numpy.array(model.meta["input"][key], dtype=numpy.float32) for key in ("mean", "std"))
    if mean.size == 0:
        return sample
    return (sample / 255 - mean[:, None, None]) / std[:, None, None]


def best_ms(call, rounds):
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        best = min(best, 1e3 * (time.perf_counter() - begin))
    return best


def ours(program, *arguments):
    found = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(found.stderr.strip())
    return json.loads(found.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--input")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--save", help="keep the ONNX file here")
    parser.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parents[1] / "build/spikenm-run"))
    a = parser.parse_args()

    model = snm_file.Snm(pathlib.Path(a.model).read_bytes())
    made = Writer(model, a.batch).write()
    if a.save:
        pathlib.Path(a.save).write_bytes(made.SerializeToString())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = a.threads
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])

    sample = sample_of(model, a.input)
    # [frames,batch,C,H,W], the same sample again and again, as spikenm-run bench does.
    feed = {"input": numpy.repeat(normalized(model, sample)[:, None], a.batch, 1).reshape(-1, *sample.shape[1:])
            .astype(numpy.float32)}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sample.npy"
        numpy.save(file, sample)
        wanted = ours(a.program, a.model, file, "--threads", a.threads)[0]["scores"]
        found = session.run(None, feed)[0][0]
        session.run(None, feed)
        mine = theirs = float("inf")
        for _ in range(3):  # in turns, so that what else the machine does hits both
            bench = ours(a.program, "bench", a.model, file, "--batch", a.batch, "--threads", a.threads, "--rounds", a.rounds)
            mine = min(mine, bench["ms_per_sample"])
            theirs = min(theirs, best_ms(lambda: session.run(None, feed), a.rounds) / a.batch)
        profile = ours(a.program, "profile", a.model, file, "--threads", a.threads, "--rounds", 1)
    rates = [row["rate"] for row in profile if "rate" in row and "kernel" in row]
    print(f"scores differ by at most {max(abs(x - y) for x, y in zip(wanted, found)):.2g}; "
          f"same class: {int(numpy.argmax(wanted)) == int(numpy.argmax(found))}")
    print(f"layers fire at {100 * min(rates):.1f} to {100 * max(rates):.1f} %, mean {100 * sum(rates) / len(rates):.1f} %")
    print(f"batch {a.batch}, {a.threads} threads, ms a sample: onnxruntime {onnxruntime.__version__} {theirs:.3f}, "
          f"spikenm-run {mine:.3f} ({bench['isa']}): {theirs / mine:.1f} times as fast")


if __name__ == "__main__":
    main()
