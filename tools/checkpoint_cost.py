#!/usr/bin/env python3
"""Measures what checkpoints and TensorBoard's curves cost a run: the same training with checkpoints and without, pair by pair.

  tools/checkpoint_cost.py --config configs/demo/spikenm_2x4.toml --out DIR --every-minutes 0.05
  tools/checkpoint_cost.py --config C --out DIR --pairs 5 threads=2 train.epochs=200

Every pair is two runs one after the other, the second pair in the other order, so that a machine that grows slower favours neither.
Prints a table; DIR/cost.json has all numbers, DIR the runs. Compared are the seconds of the phases: starting the program and
measuring its model are left out. Training must be longer than --every-minutes: where no checkpoint was written there is nothing to measure.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Of checkpoint_waits in result.json.
WAITS = ["count", "checkpoints", "seconds", "longest", "longest_copy", "worst", "rehearsals", "slowest_step_beside", "slowest_step_alone"]


class Wrong(Exception):
    """One sentence for the user."""


def train(arguments, out, every_minutes):
    """What result.json says of a run that saves every so many minutes; 0: never."""
    command = [arguments.program, "train", "--quiet", "--config", arguments.config, "--out", out, *arguments.overrides]
    done = subprocess.run([*map(str, command), f"checkpoints.every_minutes={every_minutes:g}"], capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise Wrong(f"{out}: the run ended with {done.returncode}: {last}")
    result = json.loads((out / "result.json").read_text())
    try:
        run = {
            "seconds": sum(result["phase_seconds"].values()),
            "waits": {name: result["checkpoint_waits"][name] for name in WAITS},
            "tensorboard_seconds": result["tensorboard_seconds"],
        }
    except KeyError as missing:
        raise Wrong(f"{out}/result.json: found no {missing}, wanted a result of this version's program") from None
    if every_minutes > 0 and run["waits"]["checkpoints"] == 0:
        raise Wrong(f"{out}: found no checkpoint in {run['seconds']:.3g} s of training, wanted longer training or a smaller --every-minutes")
    return run


def measure(arguments):
    pairs = []
    for number in range(arguments.pairs):
        pair = {}
        kinds = [("with", arguments.every_minutes), ("without", 0)]
        for name, every_minutes in kinds if number % 2 == 0 else kinds[::-1]:
            pair[name] = train(arguments, arguments.out / f"{number}-{name}", every_minutes)
        pairs.append(pair)
    return pairs


def spread(values, unit=""):
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:.4g}{unit}" if low == high else f"{middle:.4g}{unit} ({low:.4g} to {high:.4g})"


def rows(pairs):
    """Lines of the table: what it is, and its median with its range over the pairs."""
    def over(number):
        return [number(pair) for pair in pairs]

    def of(kind, number):
        return over(lambda pair: number(pair[kind]))

    def waits(name):
        return of("with", lambda run: run["waits"][name])

    yield "phases without checkpoints, s", spread(of("without", lambda run: run["seconds"]))
    yield "phases with checkpoints, s", spread(of("with", lambda run: run["seconds"]))
    yield "more time with them, %", spread(over(lambda p: 100 * (p["with"]["seconds"] / p["without"]["seconds"] - 1)))
    yield "checkpoints", spread(waits("checkpoints"))
    yield "waits, for the best models too", spread(waits("count"))
    yield "their share of the phases, %", spread(of("with", lambda run: 100 * run["waits"]["seconds"] / run["seconds"]))
    yield "longest wait, s", spread(waits("longest"))
    yield "longest for check and copy, s", spread(waits("longest_copy"))
    yield "rehearsals, s", spread(waits("rehearsals"))
    yield "slowest step beside a file, s", spread(waits("slowest_step_beside"))
    yield "slowest step without a file, s", spread(waits("slowest_step_alone"))
    yield "TensorBoard's share of the phases, %", spread(of("without", lambda r: 100 * r["tensorboard_seconds"] / r["seconds"]))


def read_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="a folder that is new or empty")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/spikenm")
    parser.add_argument("--every-minutes", type=float, default=2, help="between checkpoints (2)")
    parser.add_argument("--pairs", type=int, default=3, help="of runs (3)")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="for both runs of each pair")
    arguments = parser.parse_args(words)
    if arguments.every_minutes <= 0 or arguments.pairs < 1:
        raise Wrong("--every-minutes and --pairs: wanted numbers above 0")
    arguments.out.mkdir(parents=True, exist_ok=True)
    if any(arguments.out.iterdir()):
        raise Wrong(f"{arguments.out}: found files, wanted a folder that is new or empty")
    return arguments


def main(words):
    try:
        arguments = read_arguments(words)
        pairs = measure(arguments)
        (arguments.out / "cost.json").write_text(json.dumps(pairs, indent=2) + "\n")
    except (Wrong, OSError, ValueError) as error:
        print(f"checkpoint_cost: {error}", file=sys.stderr)
        return 1
    print(f"{len(pairs)} pairs, a checkpoint every {arguments.every_minutes:g} minutes: median (range)")
    for name, value in rows(pairs):
        print(f"  {name:<38}{value}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
