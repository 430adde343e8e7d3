"""Training in a process of its own: callbacks, stops, resumes and sentences."""

from __future__ import annotations

import copy
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import SMALL

import spikenm
from spikenm._toml import text_of


def longer(epochs: int) -> dict:
    config = copy.deepcopy(SMALL)
    config["train"]["epochs"] = epochs
    return config


def checkpoints(folder) -> list:
    return list((folder / "checkpoints").glob("step-*.safetensors"))


def test_every_epoch_is_told_once_and_in_order(program, tmp_path):
    told = []
    run = spikenm.train(SMALL, out=tmp_path / "a", on_epoch=told.append, quiet=True)
    assert told == run.metrics() and [row["epoch"] for row in told] == [1, 2]

    told.clear()  # and so where a run replaces another
    spikenm.train(SMALL, out=tmp_path / "a", on_epoch=told.append, quiet=True, force=True, overrides={"seed": 5})
    assert told == spikenm.load(tmp_path / "a").metrics()


def test_a_callback_that_returns_false_stops_with_a_checkpoint_and_the_run_goes_on(program, tmp_path):
    seen = []
    run = spikenm.train(longer(6), out=tmp_path / "a", quiet=True, on_epoch=lambda e: seen.append(e) or np.bool_(len(seen) < 2))
    assert len(seen) == 2 and not run.finished and checkpoints(run.path)

    rest = []
    run = spikenm.train(out=tmp_path / "a", resume=True, quiet=True, on_epoch=rest.append)
    rows = run.metrics()
    assert run.finished and [row["epoch"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[:2] == seen and rows[-len(rest) :] == rest


def test_a_callback_that_raises_stops_with_a_checkpoint_and_its_exception_arrives(program, tmp_path):
    def fail(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        spikenm.train(longer(6), out=tmp_path / "a", on_epoch=fail, quiet=True)
    assert checkpoints(tmp_path / "a") and not spikenm.load(tmp_path / "a").finished


def test_ctrl_c_stops_with_a_checkpoint(program, tmp_path):
    # Where the tests run in the background, Python would begin with this signal ignored.
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += f"import spikenm; spikenm.train({longer(50)!r}, out={str(tmp_path / 'a')!r}, quiet=True, on_epoch=lambda e: print('epoch', flush=True))"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "SPIKENM_PROGRAM": program})
    assert child.stdout.readline() == "epoch\n"
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode != 0 and "KeyboardInterrupt" in said
    assert checkpoints(tmp_path / "a")
    began = time.monotonic()
    assert spikenm.train(out=tmp_path / "a", resume=True, quiet=True, on_epoch=lambda e: False).metrics()  # its folder is free
    assert time.monotonic() - began < 60


def stubborn_program(folder) -> tuple[str, Path]:
    """A program that does not heed Ctrl-C, and the file that it leaves its number in."""
    path, number = folder / "stubborn", folder / "number"
    path.write_text(f"#!{sys.executable}\nimport os, signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                    f"open({str(number)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n")
    path.chmod(0o755)
    return str(path), number


def python_that_trains(program: str, before: str, folder) -> subprocess.Popen:
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + before
    code += f"\nimport spikenm; spikenm.train(out={str(folder)!r}, quiet=True)"
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env={**os.environ, "SPIKENM_PROGRAM": program})


def wait_for(is_so) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("heeds", [True, False])
def test_a_burst_of_ctrl_c_leaves_no_process_behind(heeds, tmp_path):
    program, number = stubborn_program(tmp_path)
    if heeds:
        Path(program).write_text(Path(program).read_text().replace("SIG_IGN", "SIG_DFL"))
    # From a process of its own and hardly with a pause: some come while the first is being answered.
    script = tmp_path / "burst.py"
    script.write_text(f"import os, sys, time\nwhile not os.path.exists({str(number)!r}): time.sleep(0.01)\ntime.sleep(0.2)\n"
                      "for i in range(30):\n    os.kill(int(sys.argv[1]), 2)\n    time.sleep(0.001 * (i % 3))\n")
    burst = f"import os, subprocess, sys; subprocess.Popen([sys.executable, {str(script)!r}, str(os.getpid())])"
    child = python_that_trains(program, burst, tmp_path / "a")
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and not runs(int(number.read_text()))


def test_ctrl_c_works_as_before_after_a_training(program, tmp_path):
    before = signal.getsignal(signal.SIGINT)
    seen = []
    try:
        signal.signal(signal.SIGINT, lambda *_: seen.append(1))  # one that raises nothing is told of each
        spikenm.train(SMALL, out=tmp_path / "a", quiet=True, on_epoch=lambda e: os.kill(os.getpid(), signal.SIGINT))
        assert seen == [1, 1]
        os.kill(os.getpid(), signal.SIGINT)
        assert seen == [1, 1, 1]
    finally:
        signal.signal(signal.SIGINT, before)


def runs(number: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_second_ctrl_c_ends_the_process_at_once(tmp_path):
    program, number = stubborn_program(tmp_path)
    child = python_that_trains(program, "", tmp_path / "a")
    wait_for(lambda: number.exists() and number.read_text())
    trainer = int(number.read_text())
    child.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert child.poll() is None and runs(trainer)  # the first one waits for a checkpoint
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    wait_for(lambda: not runs(trainer))


def test_ctrl_c_while_the_process_begins_leaves_none_behind(tmp_path):
    program = tmp_path / "sleeper"
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(600)\n")
    program.chmod(0o755)
    before = f"""
import os, signal, subprocess
class Late(subprocess.Popen):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        open({str(tmp_path / "number")!r}, "w").write(str(self.pid))
        os.kill(os.getpid(), signal.SIGINT)
subprocess.Popen = Late
"""
    child = python_that_trains(str(program), before, tmp_path / "a")
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    wait_for(lambda: not runs(int((tmp_path / "number").read_text())))


@pytest.mark.parametrize(
    ("config", "overrides", "sentence"),
    [
        ({"train": {"epoch": 3}}, (), "train.epoch"),
        (None, {"method.pattern": "4:2"}, "4:2"),
        (None, ["train.lr=fast"], "train.lr"),
        ({"train": {"lr": None}}, (), "train.lr: found NoneType, wanted a number, text"),
        ({"train": {"lr": float("nan")}}, (), "train.lr: found nan, wanted a finite number"),
        ("missing.toml", (), "missing.toml"),
        (None, ["--force"], "'--force': not understood; wanted an override such as train.lr=0.1"),
        (None, "--help", "'--help': not understood"),
        (None, ["--out=b"], "'--out=b': not understood"),
        (None, ["train.lr =1"], "'train.lr =1': not understood"),
        (None, [5], "5: not understood"),
        (None, 5, "overrides: found int, wanted a dict or a list"),
        (None, {"seed=1\nx": 1}, "found no key, wanted one such as train.lr"),
        (None, {"--force": 1}, "'--force': found no key"),
        (None, ["data.name=a\0"], "found a null character"),
        ({"data": {"name": "\ud800"}}, (), "found text that is not UTF-8"),
    ],
)
def test_mistakes_are_errors_with_the_sentence_of_the_program(program, tmp_path, config, overrides, sentence):
    with pytest.raises(spikenm.Error, match=sentence):
        spikenm.train(config, out=tmp_path / "a", overrides=overrides, quiet=True)


def test_what_cannot_be_called_or_started_is_refused_at_once(monkeypatch, tmp_path):
    with pytest.raises(spikenm.Error, match="on_epoch: found int, wanted a function"):
        spikenm.train(SMALL, out=tmp_path / "a", on_epoch=5)
    (tmp_path / "garbage").write_text("garbage")
    (tmp_path / "garbage").chmod(0o755)
    for name, sentence in ((tmp_path, "wanted the path of a program"), (tmp_path / "garbage", "garbage: cannot start: Exec format error")):
        monkeypatch.setenv("SPIKENM_PROGRAM", str(name))
        with pytest.raises(spikenm.Error, match=sentence):
            spikenm.train(SMALL, out=tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_file_in_the_place_of_the_folder_is_refused(program, tmp_path):
    (tmp_path / "a").write_text("mine")
    for resume in (False, True):
        with pytest.raises(spikenm.Error, match=re.escape(str(tmp_path / "a"))):
            spikenm.train(SMALL, out=tmp_path / "a", quiet=True, resume=resume)
    assert (tmp_path / "a").read_text() == "mine"


def test_a_folder_that_holds_a_run_is_refused(program, small_run):
    with pytest.raises(spikenm.Error, match="--force"):
        spikenm.train(SMALL, out=small_run.path, quiet=True)


@pytest.mark.parametrize("words", [["train.epoch=3"], ["method.pattern=4:2"], ["train.lr=fast"], ["data.name=none"], ["model.T=0"]])
def test_a_sentence_is_to_the_letter_that_of_the_program(words, program, tmp_path):
    said = subprocess.run([program, "train", "--out", tmp_path / "a", *words], capture_output=True, text=True).stderr
    with pytest.raises(spikenm.Error) as found:
        spikenm.train(out=tmp_path / "a", overrides=words, quiet=True)
    assert said.splitlines()[-1] == f"spikenm: {found.value}"


def test_a_config_file_and_its_base_are_found(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.toml").write_text(text_of(SMALL))
    run = spikenm.train({"extends": "base.toml", "seed": 3, "train": {"epochs": 1}}, quiet=True)
    assert os.fspath(run.path) == "runs/run" and run.config["seed"] == 3
    assert run.config["method"]["pattern"] == "2:4"
    run = spikenm.train("base.toml", overrides={"train.epochs": 1}, quiet=True)
    assert os.fspath(run.path) == "runs/base"


def test_without_the_program_there_is_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("SPIKENM_PROGRAM", raising=False)
    with pytest.raises(spikenm.Error, match="found no program of this name"):
        spikenm.train(SMALL, out=tmp_path / "a")
    monkeypatch.setenv("SPIKENM_PROGRAM", str(tmp_path / "x"))
    with pytest.raises(spikenm.Error, match=r"\$SPIKENM_PROGRAM: found"):
        spikenm.find_program()


def test_dicts_become_toml_that_reads_back(tmp_path):
    config = {"a": 1, "b": True, "text": 'q"\\\n\x7f é', "list": [1.0, 2.5], "t": {"x y": {"deep": 1e-30}}, "n": np.float32(0.5)}
    path = tmp_path / "c.toml"
    path.write_text(text_of(config), encoding="utf-8")
    assert json.loads(spikenm._core.toml_to_json(path)) == {**config, "n": 0.5}
