"""The tensorboard package reads our event files: tags, steps, wall times, and values to float32, pictures and
histograms.

usage: tensorboard_python_test.py WRITER     (needs the packages tensorboard and numpy)
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np
from tensorboard.backend.event_processing import io_wrapper
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

TAGS = ["loss/train", "accuracy", "rate_\N{GREEK SMALL LETTER TAU}", "firing/conv1"]
HARD = [0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38, 1e300, 0.1, 1 / 3]


def write(writer, folder, lines):
    subprocess.run([writer, folder], input="\n".join(lines), text=True, encoding="utf-8", check=True)


def add(values):
    return [f"add {tag} {step} {wall!r} {value!r}" for tag, step, wall, value in values]


def read(folder):
    """(tag, step, wall time, value) of all that TensorBoard finds in the folder."""
    found = EventAccumulator(str(folder), size_guidance={"scalars": 0})
    found.Reload()
    assert found.FirstEventTimestamp() > 1.7e9
    return [(tag, e.step, e.wall_time, e.value) for tag in found.Tags()["scalars"] for e in found.Scalars(tag)]


def expect_same(found, wanted):
    def bits(values):
        with np.errstate(over="ignore"):
            return sorted((tag, step, wall, np.float32(value).tobytes()) for tag, step, wall, value in values)
    assert bits(found) == bits(wanted), (sorted(found), sorted(wanted))


def made_up(steps, seed):
    numbers = random.Random(seed)
    return [(tag, step, 1.79e9 + numbers.random(), numbers.gauss(0, 10)) for step in steps for tag in TAGS]


def check_values(writer, folder):
    wanted = [("hard", step, 1.79e9, value) for step, value in enumerate(HARD)]
    wanted += made_up([0, 1, 127, 128, 300, 2**31, 2**40], 1)
    write(writer, folder, add(wanted[:9]) + ["flush"] + add(wanted[9:]))
    expect_same(read(folder), wanted)
    files = list(folder.iterdir())
    assert len(files) == 1 and io_wrapper.IsTensorFlowEventsFile(str(files[0])), files


def check_resume(writer, folder):
    """A run that is killed while it writes a record past its last checkpoint, and goes on: nothing lost or doubled."""
    wanted = made_up(range(20), 2)
    write(writer, folder, add(wanted[:64]))
    [killed] = folder.iterdir()
    killed.write_bytes(killed.read_bytes()[:-7])
    done = len(TAGS) * 13
    write(writer, folder, ["cut 12"] + add(wanted[done:]))
    assert len(list(folder.iterdir())) == 2
    expect_same(read(folder), wanted)


def check_many_resumes(writer, folder):
    """More resumes than seconds: the files are read in the order in which they were written."""
    wanted = made_up(range(15), 3)
    for step in range(15):
        write(writer, folder, [f"cut {step - 1}"] + add(wanted[len(TAGS) * step:len(TAGS) * (step + 2)]))
    expect_same(read(folder), wanted)
    steps = [step for tag, step, _, _ in read(folder) if tag == TAGS[0]]
    assert steps == sorted(steps), steps


def check_pictures(writer, folder):
    """Pictures and histograms are what was added, and after a cut none is lost or doubled."""
    numbers = random.Random(4)
    values = [numbers.gauss(0, 1) for _ in range(500)]
    numbers_text = " ".join(map(repr, values))
    lines = [f"picture masks/conv1 {step} 3 2\nhistogram weights/conv1 {step} 500 {numbers_text}" for step in range(6)]
    write(writer, folder, lines[:5])
    write(writer, folder, ["cut 2"] + lines[3:])
    found = EventAccumulator(str(folder), size_guidance={"images": 0, "histograms": 0})
    found.Reload()
    pictures, histograms = found.Images("masks/conv1"), found.Histograms("weights/conv1")
    for events in (pictures, histograms):
        assert [e.step for e in events] == list(range(6)), events
    for event in pictures:
        assert (event.width, event.height) == (3, 2), event
        png = event.encoded_image_string
        assert png.startswith(b"\x89PNG\r\n\x1a\n") and struct.unpack(">II", png[16:24]) == (3, 2), png
    counted = np.float32(values)
    wanted, edges = np.histogram(counted.astype(float), 40)
    for event in histograms:
        h = event.histogram_value
        assert (h.min, h.max, h.num) == (counted.min(), counted.max(), 500), h
        assert np.isclose(h.sum, counted.sum(dtype=float)) and np.isclose(h.sum_squares, (counted.astype(float)**2).sum()), h
        assert np.allclose(h.bucket_limit, edges[1:]) and list(h.bucket) == list(wanted), (h, wanted)


def main():
    writer = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_values, check_resume, check_many_resumes, check_pictures):
            check(writer, pathlib.Path(folder) / check.__name__)
    print("ok")


if __name__ == "__main__":
    main()
