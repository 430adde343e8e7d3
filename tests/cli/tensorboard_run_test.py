"""The tensorboard package finds every number of a run that was killed and went on: as in metrics.jsonl, each once.

usage: tensorboard_run_test.py PROGRAM     (needs the packages tensorboard and numpy)
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

BATCHES = 5  # 60 samples, 10 of them validation, 10 in a batch
SETTINGS = ["data.train_size=60", "data.test_size=20", "model.width=4", "model.T=2", "train.epochs=8", "train.search_epochs=5",
            "train.batch_size=10", "data.val_fraction=0.17", "method.name=spikenm", "checkpoints.every_minutes=0.0005"]
EVERYWHERE = {"loss", "val_loss", "train_accuracy", "val_accuracy", "lr", "density", "samples_per_second", "memory_gb", "seconds"}
IN_SEARCH = {"tau", "noise", "logit_entropy"}
LAYERS = {"firing_rate/mean", "firing_rate/lif_conv1", "firing_rate/lif_conv2", "firing_rate/lif_conv3"}


def lines_of(folder):
    path = folder / "metrics.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def kill_after(program, folder, epochs):
    """Starts the run, or goes on with it, and kills it once it has this many epochs."""
    child = subprocess.Popen([program, "train", "--quiet", "--out", folder, "--resume=auto", *SETTINGS], stdout=subprocess.DEVNULL)
    while len(lines_of(folder)) < epochs and child.poll() is None:
        time.sleep(0.002)
    child.kill()
    child.wait()


def numbers_of(line):
    """Tags and values that a line of metrics has as curves."""
    found = {}
    for name, value in line.items():
        if isinstance(value, dict):
            found.update({f"{name}/{layer}": number for layer, number in value.items()})
        elif name not in ("epoch", "phase"):
            found[name] = value
    return {name: value for name, value in found.items() if isinstance(value, (int, float))}


def check(program, folder):
    for epochs in (2, 4, 6):
        kill_after(program, folder, epochs)
    subprocess.run([program, "train", "--quiet", "--out", folder, "--resume"], check=True, stdout=subprocess.DEVNULL)
    lines = lines_of(folder)
    assert [line["epoch"] for line in lines] == list(range(1, 9)), lines

    events = EventAccumulator(str(folder / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    found = {}
    for tag in events.Tags()["scalars"]:
        for event in events.Scalars(tag):
            assert (tag, event.step) not in found, f"{tag} has step {event.step} twice"
            found[tag, event.step] = np.float32(event.value)
    wanted = {(tag, line["epoch"] * BATCHES): np.float32(value) for line in lines for tag, value in numbers_of(line).items()}
    assert found == wanted, set(found.items()) ^ set(wanted.items())

    for line in lines:
        expected = EVERYWHERE | LAYERS | (IN_SEARCH if line["phase"] == "search" else set()) | ({"flip_rate"} if line["epoch"] > 1 else set())
        missing = expected - set(numbers_of(line))
        assert not missing, f"epoch {line['epoch']} lacks {missing}: {sorted(numbers_of(line))}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        check(program, pathlib.Path(folder) / "run")
    print("ok")


if __name__ == "__main__":
    main()
