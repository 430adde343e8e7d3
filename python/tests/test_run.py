"""Runs that are read, exported and run."""

from __future__ import annotations

import json
import os
import resource

import numpy as np
import pytest

import spikenm


def test_a_run_has_its_config_metrics_and_result(small_run):
    assert small_run.finished
    assert small_run.config["method"]["pattern"] == "2:4"
    rows = small_run.metrics()
    assert [row["epoch"] for row in rows] == [1, 2]
    assert rows[-1]["phase"] == "finetune"
    assert 0 < rows[-1]["firing_rate.lif_conv1"] < 1  # a table has no tables in its cells
    assert {type(value) for row in rows for value in row.values()} <= {int, float, str}
    assert small_run.result["test_accuracy"] == json.loads((small_run.path / "result.json").read_text())["test_accuracy"]
    assert [node["op"] for node in small_run.graph()["node"]][:3] == ["synapse", "norm", "neuron"]


def test_masks_keep_two_of_four_and_the_weights_follow_them(small_run):
    masks, tensors = small_run.masks(), small_run.tensors()
    assert masks["conv2"].dtype == bool
    blocks = masks["conv2"].reshape(16, 2, 4, 3, 3)  # four neighbouring input channels
    assert (blocks.sum(2) == 2).all()
    for name, keep in masks.items():
        assert keep.shape == tensors[f"{name}.weight"].shape
        assert not tensors[f"{name}.weight"][~keep].any()


def test_the_files_are_those_that_other_readers_see(small_run):
    safetensors = pytest.importorskip("safetensors.numpy")
    theirs = safetensors.load_file(small_run.model_path())
    ours = small_run.tensors()
    assert ours.keys() == theirs.keys()
    for name, values in theirs.items():
        np.testing.assert_array_equal(ours[name], values)


def test_the_packed_network_is_as_accurate_as_the_run(small_run):
    data = spikenm.data.samples("moving-shapes", T=4, test_size=50)
    rt = small_run.runtime(threads=2, dtype="fp32")
    accuracy = 100 * float((rt.labels(data.frames) == data.labels).mean())
    assert accuracy == pytest.approx(small_run.result["test_accuracy"])


def test_export_writes_a_file_for_the_runtime(small_run, tmp_path):
    path = small_run.export(tmp_path / "a.snm")
    assert spikenm.runtime.load(path).network == "small_conv"


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(spikenm.Error, match="found no config.toml, wanted the folder of a run"):
        spikenm.load(tmp_path)


def test_what_a_run_has_not_written_is_refused_by_name(tmp_path):
    (tmp_path / "config.toml").write_text("seed = 1\n")
    run = spikenm.load(tmp_path)
    assert run.config == {"seed": 1} and run.metrics() == [] and not run.finished
    with pytest.raises(spikenm.Error, match="result.json: found no such file"):
        run.result
    with pytest.raises(spikenm.Error, match="model.safetensors: found no such file"):
        run.masks()
    (tmp_path / "model.safetensors").write_bytes(b"\x01")
    with pytest.raises(spikenm.Error, match="model.safetensors"):
        run.masks()
    (tmp_path / "metrics.jsonl").write_text('{"epoch": 1}\n{"epo')  # the second is being written
    assert run.metrics() == [{"epoch": 1}]
    (tmp_path / "metrics.jsonl").write_text("what\n")
    with pytest.raises(spikenm.Error, match="line 1: found no JSON"):
        run.metrics()


@pytest.mark.parametrize("text", [b"5", b"null", b"[1, 2]", b"\xff\xfe", b"[" * 200_000, b'{"a":' * 200_000])
def test_what_is_no_table_is_refused_in_one_sentence(tmp_path, text):
    (tmp_path / "config.toml").write_text("seed = 1\n")
    (tmp_path / "result.json").write_bytes(text)
    (tmp_path / "metrics.jsonl").write_bytes(b'{"epoch": 1}\n' + text + b"\n")
    run = spikenm.load(tmp_path)
    assert not run.finished and "not finished" in repr(run)
    with pytest.raises(spikenm.Error, match="result.json: found .*wanted what a run has measured"):
        run.result
    with pytest.raises(spikenm.Error, match="metrics.jsonl: line 2: found .*wanted the metrics of an epoch"):
        run.metrics()


def test_folders_where_files_should_be_are_refused(tmp_path):
    (tmp_path / "config.toml").write_text("seed = 1\n")
    run = spikenm.load(tmp_path)
    for name, read in (("result.json", lambda: run.result), ("metrics.jsonl", run.metrics)):
        (tmp_path / name).mkdir()
        with pytest.raises(spikenm.Error, match=f"{name}: cannot read: Is a directory"):
            read()
    assert not run.finished


def test_a_line_that_is_being_written_may_end_within_a_character(tmp_path):
    (tmp_path / "config.toml").write_text("seed = 1\n")
    (tmp_path / "metrics.jsonl").write_bytes('{"epoch": 1, "a": "\u2028"}\n{"a": "é'.encode()[:-1])
    assert spikenm.load(tmp_path).metrics() == [{"epoch": 1, "a": "\u2028"}]


@pytest.mark.parametrize("kind", ["snm", "onnx", "nir"])
def test_a_full_disk_leaves_the_old_file(kind, small_run, tmp_path):
    if kind != "snm":
        pytest.importorskip(kind)
    path = tmp_path / f"m.{kind}"
    write = {"snm": lambda p: small_run.export(p), "onnx": lambda p: spikenm.onnx.export(small_run, p),
             "nir": lambda p: spikenm.nir.export(small_run, p)}[kind]
    write(path)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, limits[1]))
    try:
        with pytest.raises(spikenm.Error, match=f"m.{kind}: cannot write"):
            write(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before and os.listdir(tmp_path) == [path.name]
    for bad, sentence in ((tmp_path, "wanted a regular file"), (tmp_path / "no" / "m", "cannot write"), ("a\0b", "null character")):
        with pytest.raises(spikenm.Error, match=sentence):
            write(bad)
