"""Packed networks on arrays: shapes, streams, threads, and what is refused."""

from __future__ import annotations

import json
import subprocess
import threading

import numpy as np
import pytest

import spikenm


@pytest.fixture
def rt(golden_model):
    return spikenm.runtime.load(golden_model, threads=2, batch=4)


def some_frames(*shape: int) -> np.ndarray:
    return (np.random.default_rng(1).random(shape) < 0.3).astype(np.float32)


def test_it_says_what_it_reads(rt):
    assert rt.sample_shape == (3, 2, 8, 8)
    assert rt.steps == 3 and rt.reads_events and rt.classes == ["cat", "dog"]
    assert [layer["layer"] for layer in rt.layers] == ["conv1", "conv2", "fc"]


def test_a_batch_of_any_size_gives_the_scores_of_its_samples(rt):
    frames = some_frames(9, 3, 2, 8, 8)  # two batches of 4, and one sample
    scores = rt(frames)
    assert scores.shape == (9, 2) and scores.dtype == np.float32
    for sample, row in zip(frames, scores):
        np.testing.assert_array_equal(rt(sample), row)
    np.testing.assert_array_equal(rt.labels(frames), scores.argmax(1))
    assert rt(np.empty((0, 3, 2, 8, 8), np.float32)).shape == (0, 2)


def test_the_number_of_threads_changes_no_bit(golden_model):
    frames = some_frames(8, 3, 2, 8, 8)
    one, two = (spikenm.runtime.load(golden_model, threads=n)(frames) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_a_stream_gives_the_mean_that_a_sample_gives(rt):
    sample = some_frames(3, 2, 8, 8)
    steps = list(rt.stream(sample))
    np.testing.assert_allclose(np.mean(steps, axis=0), rt(sample), rtol=1e-5, atol=1e-6)


def test_a_stream_goes_on_from_a_state_that_is_put_back(rt):
    a, b = some_frames(3, 2, 8, 8)[:2]
    rt.reset()
    rt.step(a)
    state = rt.state
    expected = rt.step(b)
    rt.step(a)
    rt.state = state
    np.testing.assert_array_equal(rt.step(b), expected)
    with pytest.raises(spikenm.Error, match="state: found 1 values"):
        rt.state = np.zeros(1, np.float32)


def test_threads_of_python_may_share_one(rt):
    frames = some_frames(4, 3, 2, 8, 8)
    expected, wrong = rt(frames), []

    def work() -> None:
        for _ in range(50):
            if not np.array_equal(rt(frames), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


@pytest.mark.parametrize(
    ("frames", "sentence"),
    [
        (some_frames(3, 2, 8, 8).astype(np.float64), "frames: found values of type float64, wanted float32"),
        (some_frames(3, 2, 8, 8).astype(np.uint8), "frames: found values of type uint8"),
        (some_frames(3, 2, 8, 8).transpose(0, 1, 3, 2), "frames: found a transposed or cut array"),
        (some_frames(3, 2, 8, 9), "frames: found an array of 3x2x8x9, wanted 3x2x8x8 or a batch"),
        ([[1.0]], "frames: found list, wanted an array of float32"),
    ],
)
def test_what_would_be_copied_in_silence_is_refused_by_name(rt, frames, sentence):
    with pytest.raises(spikenm.Error, match=sentence):
        rt(frames)


def test_tensors_of_torch_are_read_in_place_or_refused(rt):
    torch = pytest.importorskip("torch")
    frames = some_frames(3, 2, 8, 8)
    tensor = torch.from_numpy(frames.copy())
    np.testing.assert_array_equal(rt(tensor), rt(frames))
    with pytest.raises(spikenm.Error, match="a gradient, which would be lost"):
        rt(tensor.clone().requires_grad_())
    for dtype in (torch.float64, torch.bfloat16):
        with pytest.raises(spikenm.Error, match=f"type {str(dtype)[6:]}"):
            rt(tensor.to(dtype))


def test_a_bad_file_gives_the_sentence_of_the_program(tmp_path, run_program):
    path = tmp_path / "bad.snm"
    path.write_bytes(b"not a network")
    said = subprocess.run([run_program, str(path), "x.npy"], capture_output=True, text=True).stderr
    with pytest.raises(spikenm.Error) as found:
        spikenm.runtime.load(path)
    assert said.strip() == f"spikenm-run: {found.value}"


@pytest.mark.parametrize(("name", "value"), [("threads", -1), ("batch", 0), ("batch", 1.5)])
def test_numbers_out_of_range_are_named(golden_model, name, value):
    with pytest.raises(spikenm.Error, match=f"{name}: found {value}, wanted a whole number"):
        spikenm.runtime.load(golden_model, **{name: value})


def write_some_events(folder, side: int) -> list:
    files = []
    for i in range(8):
        events = np.zeros(200, dtype=[("t", "<i8"), ("x", "<u2"), ("y", "<u2"), ("p", "u1")])
        random = np.random.default_rng(i)
        events["t"] = np.sort(random.integers(0, 10_000, 200))
        events["x"], events["y"] = random.integers(0, side, (2, 200))
        events["p"] = random.integers(0, 2, 200)
        files.append(folder / f"{i}.npy")
        np.save(files[-1], events)
    return files


def write_some_samples(folder, steps: int) -> list:
    """Frames of what a network was trained on, so that spikes reach the end."""
    files = []
    for i, frames in enumerate(spikenm.data.samples("moving-shapes", T=steps, test_size=50, limit=8).frames):
        files.append(folder / f"frames{i}.npy")
        np.save(files[-1], frames)
    return files


def scores_as_by_the_program(run_program, model, files: list) -> np.ndarray:
    """Of each file; `spikenm-run` has the same scores and labels."""
    rt = spikenm.runtime.load(model, threads=2)
    said = subprocess.run([run_program, model, *files, "--json"], capture_output=True, text=True, check=True)
    rows = json.loads(said.stdout)
    assert len(rows) == len(files)
    found = []
    for file, row in zip(files, rows):
        scores = rt(rt.read(file))
        np.testing.assert_allclose(scores, row["scores"], rtol=1e-5)
        assert int(scores.argmax()) == row["label"]
        found.append(scores)
    return np.stack(found)


def test_labels_are_those_of_spikenm_run(tmp_path, golden_model, run_program):
    scores_as_by_the_program(run_program, golden_model, write_some_events(tmp_path, 8))


def test_labels_of_a_trained_network_are_those_of_spikenm_run(tmp_path, run_program, trained):
    run = trained("soft_plif")
    model = run.export(tmp_path / "a.snm")
    files = [*write_some_samples(tmp_path, run.config["model"]["T"]), *write_some_events(tmp_path, 34)]
    assert np.ptp(scores_as_by_the_program(run_program, model, files), axis=0).max() > 0.05


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_are_refused_and_the_stream_stays_as_it_is(rt, value):
    bad = some_frames(3, 2, 8, 8)
    bad[-1, -1, -1, -1] = value
    with pytest.raises(spikenm.Error, match="frames: found the value .*, wanted finite numbers"):
        rt(bad)
    rt.step(bad[0])
    state = rt.state
    with pytest.raises(spikenm.Error, match="frame: found the value"):
        rt.step(bad[-1])
    with pytest.raises(spikenm.Error, match="state: found the value"):
        rt.state = np.full_like(state, value)
    np.testing.assert_array_equal(rt.state, state)
    with pytest.raises(spikenm.Error, match="pixels: found the value"):
        rt.normalize(bad)


def test_tensors_that_numpy_would_read_otherwise_are_refused(rt):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(some_frames(3, 2, 8, 8))
    with pytest.raises(spikenm.Error, match="yet to be negated, wanted frames.resolve_neg()"):
        rt(torch._neg_view(tensor))
    with pytest.raises(spikenm.Error, match="frames: found a tensor of layout torch.sparse_coo, wanted a dense one"):
        rt(tensor.to_sparse())
