"""Runs become packed networks without torch and without the program, and files that it would refuse are refused alike."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from conftest import CLONE, NETWORKS

import spikenm
from spikenm._program import sentence_of

safetensors = pytest.importorskip("safetensors")
numpy_files = pytest.importorskip("safetensors.numpy")


def parts_of(path) -> tuple[dict, dict]:
    """The sections of a .snm file but META, and META without the commit of the program that wrote it."""
    sys.path.insert(0, str(CLONE / "tools"))
    try:
        from snm_file import Snm
    finally:
        sys.path.pop(0)
    snm = Snm(path.read_bytes())
    snm.meta["provenance"].pop("commit")
    return {key: value for key, value in snm.sections.items() if key[0] != "META"}, snm.meta


# Every network as fp32: tests/deploy/both_readers_test.cpp.
@pytest.mark.parametrize(("name", "dtype"), [*((name, "int8") for name in NETWORKS), ("soft_plif", "fp32")])
def test_the_file_is_that_of_the_program(name, dtype, trained, program, tmp_path):
    run = trained(name)
    assert run.export(tmp_path / "ours.snm", dtype) == tmp_path / "ours.snm"
    subprocess.run([program, "export", run.path, "-o", tmp_path / "theirs.snm", "--dtype", dtype], check=True, capture_output=True)
    assert parts_of(tmp_path / "ours.snm") == parts_of(tmp_path / "theirs.snm")


def test_a_type_that_is_not_known_is_refused(small_run, tmp_path):
    with pytest.raises(spikenm.Error, match="^dtype: found 'int3', wanted fp32 or int8$"):
        small_run.export(tmp_path / "a.snm", dtype="int3")
    assert not (tmp_path / "a.snm").exists()


def test_all_but_training_works_where_there_is_neither_torch_nor_the_program(small_run, tmp_path):
    pytest.importorskip("nir")
    pytest.importorskip("onnx")
    code = """
import sys
sys.modules["torch"] = None  # as where it is not installed
import numpy as np, spikenm
run = spikenm.load(sys.argv[1])
print(sorted(run.masks()), run.result["test_accuracy"])
rt = run.runtime(threads=1)
print(rt(np.ones(rt.sample_shape, np.float32)).shape)
spikenm.nir.export(run, "m.nir")
spikenm.onnx.export(run, "m.onnx")
"""
    alone = {key: value for key, value in os.environ.items() if key not in ("PATH", "SPIKENM_PROGRAM")} | {"PATH": ""}
    said = subprocess.run([sys.executable, "-c", code, os.path.abspath(small_run.path)], cwd=tmp_path, env=alone, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert said.stdout.splitlines() == [f"{sorted(small_run.masks())} {small_run.result['test_accuracy']}", "(10,)"]
    assert (tmp_path / "m.nir").exists() and (tmp_path / "m.onnx").exists()


@pytest.fixture(scope="module")
def content(small_run) -> tuple[dict, dict]:
    """The tensors and the metadata of a good model."""
    with safetensors.safe_open(small_run.model_path(), framework="numpy") as file:
        metadata = file.metadata()
    return numpy_files.load_file(small_run.model_path()), metadata


def write_run(folder, small_run, tensors: dict, metadata: dict) -> spikenm.Run:
    """A run of these alone; the file has no checksums."""
    (folder / "config.toml").write_bytes((small_run.path / "config.toml").read_bytes())
    numpy_files.save_file(tensors, folder / "model.safetensors", {key: value for key, value in metadata.items() if "crc" not in key})
    return spikenm.load(folder)


def set_value(tensors: dict, name: str, place: tuple, value: float) -> None:
    tensors[name] = tensors[name].copy()
    tensors[name][place] = value


# What is done to the tensors and the metadata of a good model.
FAULTS = {
    "another format": lambda t, m: m.update(format="pt"),
    "no config": lambda t, m: m.update(config="[model\n"),
    "an unknown data set": lambda t, m: m.update(config="[data]\nname = 'mine'\n"),
    "half a graph": lambda t, m: m.update(graph=m["graph"][: len(m["graph"]) // 2]),
    "another graph": lambda t, m: m.update(graph=json.dumps({"format": "spikenm-graph", "version": 1})),
    "half the rules": lambda t, m: m.update(masks=m["masks"][: len(m["masks"]) // 2]),
    "a tensor too few": lambda t, m: t.pop("conv2.weight"),
    "a mask too few": lambda t, m: t.pop("fc1.mask"),
    "a tensor too many": lambda t, m: t.update(more=np.zeros(1, np.float32)),
    "another shape": lambda t, m: t.update({"conv2.weight": t["conv2.weight"].swapaxes(0, 1).copy()}),
    "another type": lambda t, m: t.update({"conv2.weight": t["conv2.weight"].astype(np.float64)}),
    "not a number": lambda t, m: set_value(t, "conv1.weight", (0, 0, 0, 0), np.nan),
    "a negative variance": lambda t, m: set_value(t, "bn_conv2.running_var", (1,), -1),
    "a mask that breaks 2:4": lambda t, m: t.update({"conv2.mask": np.ones_like(t["conv2.mask"])}),
    "a mask that is none": lambda t, m: set_value(t, "conv2.mask", (0, 0, 0, 0), 2),
    "a weight that its mask drops": lambda t, m: t.update({"fc1.weight": np.ones_like(t["fc1.weight"])}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_spoilt_model_is_refused_in_the_words_of_the_program(fault, content, small_run, program, tmp_path):
    tensors, metadata = content[0].copy(), content[1].copy()
    FAULTS[fault](tensors, metadata)
    run = write_run(tmp_path, small_run, tensors, metadata)
    said = subprocess.run([program, "eval", tmp_path / "model.safetensors"], capture_output=True, text=True)
    assert said.returncode == 1
    sentence = sentence_of(said.stderr, 1)
    assert sentence.startswith(f"{tmp_path}/model.safetensors")

    calls = [run.masks, run.tensors, run.graph, run.runtime, lambda: spikenm.onnx.export(run, tmp_path / "m.onnx"),
             lambda: spikenm.nir.export(run, tmp_path / "m.nir")]
    for call in calls:
        with pytest.raises(spikenm.Error) as raised:
            call()
        assert str(raised.value) == sentence
    assert not (tmp_path / "m.onnx").exists() and not (tmp_path / "m.nir").exists()


def test_a_file_without_checksums_is_told_at_the_line_that_asked(content, small_run, tmp_path):
    run = write_run(tmp_path, small_run, *content)
    calls = {
        "masks": run.masks,
        "tensors": run.tensors,
        "graph": run.graph,
        "export": lambda: run.export(tmp_path / "a.snm"),
        "runtime": run.runtime,
        "onnx": lambda: spikenm.onnx.export(run, tmp_path / "m.onnx"),
        "nir": lambda: spikenm.nir.export(run, tmp_path / "m.nir"),
    }
    if importlib.util.find_spec("torch"):
        calls["to_torch"] = run.to_torch
    for name, call in calls.items():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
        notes = [each for each in told if "has no checksum" in str(each.message)]
        assert [str(each.message).partition(":")[0] for each in notes] == [str(tmp_path / "model.safetensors")], name
        assert notes[0].filename == __file__, name


def test_a_model_of_an_older_program_is_read_but_not_packed(content, small_run, tmp_path):
    tensors, metadata = content
    run = write_run(tmp_path, small_run, tensors, {key: value for key, value in metadata.items() if key != "masks"})
    with pytest.warns(UserWarning, match="model.safetensors: has no checksum"):
        masks = run.masks()
    for name, keep in small_run.masks().items():
        np.testing.assert_array_equal(masks[name], keep)
    with pytest.raises(spikenm.Error, match="found masks without their rules.*'spikenm export'"):
        run.runtime()
