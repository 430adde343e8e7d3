"""What the peers' scripts share: options, a training step timed, one JSON line per setting."""

import argparse
import gc
import itertools
import json
import pathlib
import statistics
import sys
import time
from typing import NamedTuple

import torch
import torch.nn.functional as F

# Where tools/pack_deps puts them.
PACKAGES = pathlib.Path(__file__).resolve().parents[2] / ".deps" / "python"
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


class Task(NamedTuple):
    T: int
    batch: int
    frame: tuple  # channels, height, width
    events: bool  # frames differ from step to step


TASKS = {
    "6conv2fc": Task(8, 64, (3, 32, 32), False),
    "vggsnn": Task(10, 64, (2, 48, 48), True),
    "sew_resnet18": Task(4, 128, (3, 32, 32), False),
}


def parse_arguments(description, nets):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--net",
        nargs="+",
        default=nets,
        choices=nets,
        metavar="NET",
        help=f"default: all of {' '.join(nets)}",
    )
    parser.add_argument(
        "--precision",
        nargs="+",
        default=["bf16"],
        choices=["bf16", "fp16", "tf32", "fp32"],
        metavar="P",
        help="bf16 (default), fp16, tf32, fp32",
    )
    parser.add_argument(
        "--graph", action="store_true", help="also capture the step in a CUDA graph"
    )
    parser.add_argument("--T", type=int, help="time steps (default: the network's)")
    parser.add_argument("--batch", type=int, help="samples (default: the network's)")
    parser.add_argument("--steps", type=int, default=12, help="timed steps (default 12)")
    parser.add_argument("--warmup", type=int, default=5, help="steps before them (default 5)")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument(
        "--packages",
        default=str(PACKAGES),
        help="folder that holds the package spikingjelly (default .deps/python of the clone)",
    )
    args = parser.parse_args()
    sys.path.insert(0, args.packages)
    return args


class Setting:
    """One row: what is run and how. `method` names what the plain method's rows differ in."""

    def __init__(self, args, net, precision, channels_last, graph, method="dense"):
        self.task, self.device = TASKS[net], args.device
        self.T, self.batch = args.T or self.task.T, args.batch or self.task.batch
        self.net, self.method, self.precision = net, method, precision
        self.channels_last, self.graph = channels_last, graph
        self.dtype = TYPES.get(precision, torch.float32)

    def describe(self):
        return {
            "net": self.net,
            "method": self.method,
            "T": self.T,
            "batch": self.batch,
            "precision": self.precision,
            "channels_last": self.channels_last,
            "graph": self.graph,
        }

    def random_batch(self):
        """Frames, and labels as one-hot rows."""
        times = (self.T,) if self.task.events else ()
        frames = torch.rand(*times, self.batch, *self.task.frame, device=self.device)
        labels = torch.randint(0, 10, (self.batch,), device=self.device)
        return frames, F.one_hot(labels, 10).float()

    def autocast(self):
        return torch.autocast(self.device, dtype=self.dtype, enabled=self.precision in TYPES)


def make_step(setting, network, groups, after_backward=None):
    """A function that runs one whole training step: forward, loss, backward, Adam."""
    from spikingjelly.activation_based import functional

    optimiser = torch.optim.Adam(
        groups, lr=1e-4, fused=setting.device == "cuda", capturable=setting.graph
    )
    frames, target = setting.random_batch()

    def step():
        optimiser.zero_grad(set_to_none=True)
        with setting.autocast():
            scores = network(frames)
        F.mse_loss(scores.float().mean(0), target).backward()
        if after_backward:
            after_backward()
        optimiser.step()
        functional.reset_net(network)

    return step


def time_on_cpu(step, args):
    for _ in range(args.warmup):
        step()
    times = []
    for _ in range(args.steps):
        start = time.perf_counter()
        step()
        times.append(1e3 * (time.perf_counter() - start))
    return times, None


def time_on_gpu(step, args, graph):
    """Milliseconds of each step, and the bytes that tensors held at most in one."""
    side, run = torch.cuda.Stream(), step
    with torch.cuda.stream(side):  # where a graph may be captured
        for _ in range(max(args.warmup, 2)):  # the optimiser's state must be there before a capture
            step()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        if graph:
            captured = torch.cuda.CUDAGraph()
            with torch.cuda.graph(captured, stream=side):
                step()
            run = captured.replay
    torch.cuda.synchronize()
    run()
    times = []
    for _ in range(args.steps):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        begin.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return times, torch.cuda.max_memory_allocated()


def measure(setting, build, args):
    torch.backends.cudnn.benchmark = True
    tf32 = setting.precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    step = build(setting)
    if setting.device == "cpu":
        if setting.graph:
            raise ValueError("found a CUDA graph on the CPU, wanted --device cuda")
        times, peak = time_on_cpu(step, args)
    else:
        times, peak = time_on_gpu(step, args, setting.graph)
    median = statistics.median(times)
    quartiles = statistics.quantiles(times, n=4) if len(times) > 1 else [median] * 3
    found = {
        "ms": round(median, 3),
        "spread_ms": round(quartiles[2] - quartiles[0], 3),
        "images_per_s": round(setting.batch / median * 1e3),
    }
    if peak is not None:
        found["peak_memory_gb"] = round(peak / 1e9, 3)
    return found


def run_all(args, build, methods=("dense",)):
    """Every setting, one JSON line each; a setting that fails is a line with an `error`.

    Captured steps come last: a capture that breaks may leave the process unable to go on.
    """
    from importlib import metadata

    about = {"torch": torch.__version__, "device": args.device}
    try:
        about["spikingjelly"] = metadata.version("spikingjelly")
    except metadata.PackageNotFoundError:
        about["spikingjelly"] = "unknown"
    graphs = [False, True] if args.graph else [False]
    for net, precision, graph, channels_last, method in itertools.product(
        args.net, args.precision, graphs, (False, True), methods
    ):
        setting = Setting(args, net, precision, channels_last, graph, method)
        try:
            found = measure(setting, build, args)
        except Exception as error:  # whatever it is, the other settings are still worth their lines
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps({**setting.describe(), **found, **about}), flush=True)
        gc.collect()
        if args.device == "cuda":
            torch.cuda.empty_cache()
