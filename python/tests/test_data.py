"""Recordings and frames."""

from __future__ import annotations

import os

import numpy as np
import pytest

import spikenm
from spikenm.data import Events, frames, read_events, samples


def some_events(n: int = 103, side: int = 8) -> Events:
    random = np.random.default_rng(2)
    return Events(
        t=np.sort(random.integers(0, 1000, n)),
        x=random.integers(0, side, n).astype(np.uint16),
        y=random.integers(0, side, n).astype(np.uint16),
        p=random.integers(0, 2, n).astype(np.uint8),
        width=side,
        height=side,
    )


def counted(events: Events, piece: np.ndarray, T: int, side: int = 8) -> np.ndarray:
    out = np.zeros((T, 2, side, side), np.float32)
    np.add.at(out, (piece, events.p, events.y, events.x), 1)
    return out


@pytest.mark.parametrize("name", ["aedat2/events", "aedat3/packets", "aedat4/zstd", "prophesee_dat/events"])
def test_an_event_file_is_read_as_columns(clone, name):
    events = read_events(clone / "fuzz/corpus" / name)
    assert events.format and len(events) > 0
    assert len(events.x) == len(events.y) == len(events.p) == len(events)
    assert (events.t.dtype, events.x.dtype, events.p.dtype) == (np.int64, np.uint16, np.uint8)
    assert events.array().dtype.names == ("t", "x", "y", "p")
    assert frames(events, T=2).sum() == len(events)


def test_frames_by_number_have_equal_numbers_and_the_last_has_the_rest():
    events = some_events(103)
    piece = np.minimum(np.arange(103) // (103 // 4), 3)
    np.testing.assert_array_equal(frames(events, T=4), counted(events, piece, 4))


def test_frames_by_time_have_equal_spans():
    events = some_events(103)
    span = (int(events.t[-1]) - int(events.t[0])) // 4
    piece = np.minimum((events.t - events.t[0]) // span, 3)
    np.testing.assert_array_equal(frames(events, T=4, by="time"), counted(events, piece, 4))


def test_frames_may_be_binary_resized_and_without_polarity():
    events = some_events()
    assert set(np.unique(frames(events, T=2, binary=True))) <= {0.0, 1.0}
    assert frames(events, T=2, resize=4).shape == (2, 2, 4, 4)
    whole = frames(events, T=2)
    np.testing.assert_array_equal(frames(events, T=2, polarities=1)[:, 0], whole.sum(1))


def test_frames_take_what_other_packages_give(tmp_path):
    events = some_events()
    expected = frames(events, T=4)
    array = events.array()
    np.testing.assert_array_equal(frames(array, T=4, width=8, height=8), expected)
    as_dict = {name: array[name].astype(np.int32) for name in "txyp"}
    np.testing.assert_array_equal(frames(as_dict, T=4, width=8, height=8), expected)
    np.save(tmp_path / "e.npy", array)
    np.testing.assert_array_equal(frames(tmp_path / "e.npy", T=4, width=8, height=8), expected)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"x": np.full(103, 9)}, "wanted it on the 8x8 sensor"),
        ({"x": np.full(103, -1)}, "events: x: found -1 to -1, wanted 0 to 65535"),
        ({"p": np.full(103, 2)}, "polarity 2"),
        ({"t": np.zeros(103)}, "events: t: found 1-d float64, wanted one row of whole numbers"),
        ({"y": np.zeros(5, int)}, "5 of y, 103 of p, wanted as many of each"),
    ],
)
def test_bad_events_are_refused(change, sentence):
    events = some_events()
    fields = {name: getattr(events, name) for name in "txyp"} | change
    with pytest.raises(spikenm.Error, match=sentence):
        frames(fields, T=4, width=8, height=8)


def test_bad_arguments_are_named():
    for key, value in [("T", 0), ("by", "size"), ("polarities", 3), ("resize", -1)]:
        with pytest.raises(spikenm.Error, match=f"^{key}: found"):
            frames(some_events(), **{key: value})
    with pytest.raises(spikenm.Error, match="events: found no field 't'"):
        frames({"x": 1})


def test_a_file_of_no_known_format_is_refused(tmp_path):
    (tmp_path / "x.bin").write_text("hello")
    with pytest.raises(spikenm.Error, match="x.bin"):
        read_events(tmp_path / "x.bin")
    with pytest.raises(spikenm.Error, match="missing.aedat"):
        read_events(tmp_path / "missing.aedat")


def test_samples_of_a_data_set():
    found = samples("moving-shapes", T=4, limit=7, test_size=50)
    assert found.frames.shape == (7, 4, 2, 34, 34) and len(found) == 7
    assert found.labels.max() < len(found.classes)
    with pytest.raises(spikenm.Error, match="no-such-set"):
        samples("no-such-set")
    with pytest.raises(spikenm.Error, match="data.colour"):
        samples("moving-shapes", colour="red")


@pytest.mark.parametrize(("key", "value"), [("T", 0), ("T", -1), ("T", 1 << 21), ("T", 2.0), ("limit", -1), ("seed", -1), ("seed", 1 << 64)])
def test_settings_of_samples_are_named(key, value):
    with pytest.raises(spikenm.Error, match=f"^{key}: found {value}, wanted a whole number from"):
        samples("moving-shapes", **({"limit": 1} | {key: value}))
    if key == "T" and isinstance(value, int):  # and where Python's side has let it pass
        with pytest.raises(spikenm.Error, match=f"^T: found {value}"):
            spikenm._core.samples(['name="moving-shapes"'], "test", value, 1, 0)


def test_a_name_that_is_no_utf_8_is_an_error_of_ours(tmp_path):
    name = os.fsdecode(b"caf\xe9.bin")
    with pytest.raises(spikenm.Error, match="caf\udce9.bin"):
        read_events(tmp_path / name)
    for bad in ("a\0b", "\ud800", ""):
        with pytest.raises(spikenm.Error, match="wanted the name of a file"):
            read_events(bad)
