#!/usr/bin/env python3
"""Times trained runs without torch: writes a CSV with the milliseconds that a sample of the test part takes, a row for each run.

  tools/time_runs.py RUNS… -o ms.csv [--dtype int8|fp32] [--limit 100] [--rounds 5] [--root DIR]
  spikenm plot points RUNS… --with ms.csv --x milliseconds --y test_accuracy -o cost.svg

Each run below RUNS becomes a .snm file, whose layers fire at the rates that it was trained to. Batch 1, one thread; of the means of
`rounds` rounds the least counts, since other programs only make them larger. The rounds go over all runs in turn. `--root` names the
data's folder where it is not that of training.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

BUILD = pathlib.Path(__file__).resolve().parents[1] / "build"


class Wrong(Exception):
    """One sentence for the user."""


def call(*command):
    found = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if found.returncode != 0:
        raise Wrong(found.stderr.strip().splitlines()[-1] if found.stderr.strip() else f"{command[0]} ended with {found.returncode}")
    return json.loads(found.stdout)


def runs_below(folders):
    """Finished runs by the end of their path, from the folder given on: several are called seed0."""
    runs = {}
    for folder in folders:
        if not folder.is_dir():
            raise Wrong(f"{folder}: found no folder, wanted runs")
        top = pathlib.Path(os.path.abspath(folder))  # as `plot points` calls it: links are not followed
        for result in sorted(top.rglob("result.json")):
            name = str(result.parent.relative_to(top.parent))
            if runs.setdefault(name, result.parent) != result.parent:
                raise Wrong(f"{folder}: found a run {name}, and another in {runs[name]}, wanted different names")
    if not runs:
        raise Wrong(f"{folders[0]}: found no finished run, wanted folders with a result.json below it")
    return runs


def data_of(run, root):
    """How spikenm-run finds the samples of a run: all that it says of its data."""
    data = tomllib.loads((run / "config.toml").read_text()).get("data", {})
    options = ["--data", data.pop("name", "moving-shapes")]
    root = root or data.get("root")
    data.pop("root", None)
    if root:
        options += ["--root", root]
    for key, value in data.items():
        options += ["--set", f"{key}={json.dumps(value)}"]
    return options


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("-o", "--out", required=True, type=pathlib.Path)
    parser.add_argument("--dtype", default="int8", choices=["int8", "fp32"])
    parser.add_argument("--limit", default=100, type=int, help="samples of a round")
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--root", help="the data's folder")
    parser.add_argument("--programs", default=BUILD, type=pathlib.Path, help="where spikenm and spikenm-run lie")
    a = parser.parse_args(arguments)
    runs, best = runs_below(a.runs), {}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / f"{i}.snm" for i, name in enumerate(runs)}
        for name, run in runs.items():
            call(a.programs / "spikenm", "export", run, "-o", files[name], "--dtype", a.dtype, "--json")
        for _ in range(a.rounds):
            for name, run in runs.items():
                took = call(a.programs / "spikenm-run", files[name], *data_of(run, a.root), "--limit", a.limit, "--threads", 1,
                            "--json")["ms_per_sample"]
                best[name] = min(took, best.get(name, took))
    with open(a.out, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["run", "milliseconds"])
        writer.writerows([name, f"{ms:.4f}"] for name, ms in best.items())


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (Wrong, OSError) as error:
        sys.exit(f"time_runs: {error}")
