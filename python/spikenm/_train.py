"""Training as a process of its own: a crash, a signal or a library of the trainer never meets yours."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from ._core import Error
from ._program import find_program, sentence_of
from ._run import Run, read_metrics
from ._toml import assignment, text_of

__all__ = ["train"]

Config = Union[Mapping[str, Any], str, "os.PathLike[str]", None]
_LOOK_EVERY = 0.05  # seconds between two looks at the metrics


def train(
    config: Config = None,
    out: str | os.PathLike[str] | None = None,
    *,
    overrides: Mapping[str, Any] | Sequence[str] = (),
    on_epoch: Callable[[dict[str, Any]], Any] | None = None,
    resume: bool = False,
    force: bool = False,
    start_from: str | os.PathLike[str] | None = None,
    quiet: bool = False,
) -> Run:
    """Trains a network and returns its run.

    config: a nested dict, the path of a TOML file, or None for every key's default.
    out: the folder of the run; without one `runs/` and the name of the config's file.
    overrides: {"train.lr": 0.01} or ["train.lr=0.01"], over the config's.
    on_epoch: called with the metrics of each epoch, in this thread. When it returns False, training
        stops after the step at hand with a checkpoint, and the unfinished run is returned. When it
        raises, training stops in the same way and the exception goes on to the caller. So does Ctrl-C.
    resume: goes on with the run that `out` holds. force: replaces it.
    start_from: a run, model or checkpoint whose weights are taken over.
    quiet: shows no line per epoch.

    An Error has the program's sentence when training fails.
    """
    is_file = isinstance(config, (str, os.PathLike))
    stem = Path(os.fspath(config)).stem if is_file else "run"  # type: ignore[arg-type]
    folder = Path(out) if out is not None else Path("runs") / stem
    arguments = ["train", "--out", str(folder), *_override_words(overrides)]
    arguments += ["--resume"] * resume + ["--force"] * force + ["--quiet"] * quiet
    if start_from is not None:
        arguments += ["--from", os.fspath(start_from)]
    with _config_file(config) as file:
        if file is not None:
            arguments += ["--config", file]
        _Training(folder, arguments, on_epoch).run()
    return Run(folder)


def _override_words(overrides: Mapping[str, Any] | Sequence[str]) -> list[str]:
    if isinstance(overrides, str):
        return [overrides]
    if isinstance(overrides, Mapping):
        return [assignment(key, value) for key, value in overrides.items()]
    return list(overrides)


@contextlib.contextmanager
def _config_file(config: Config) -> Iterator[str | None]:
    """The path of a file with the config, which may be one for this call alone."""
    if config is None:
        yield None
    elif isinstance(config, Mapping):
        config = dict(config)
        if "extends" in config:  # a path of the caller's folder, not of the file's
            config["extends"] = os.path.abspath(config["extends"])
        with tempfile.TemporaryDirectory(prefix="spikenm-") as folder:
            path = Path(folder) / "config.toml"
            path.write_text(text_of(config), encoding="utf-8")
            yield str(path)
    else:
        yield os.fspath(config)


class _Training:
    """One process that trains, the metrics it writes and the end of both."""

    def __init__(self, folder: Path, arguments: list[str], on_epoch: Callable[[dict[str, Any]], Any] | None) -> None:
        self._on_epoch = on_epoch
        self._metrics = folder / "metrics.jsonl"
        self._next_metrics = folder / ".next" / "metrics.jsonl"  # of a run that replaces another
        self._replaced = _file_number(self._metrics) if "--force" in arguments else None
        self._told = len(read_metrics(self._metrics)) if "--resume" in arguments else 0
        self._said: deque[str] = deque(maxlen=50)
        self._stopped = False
        self._command = [find_program(), *arguments]

    def _start(self) -> None:
        # A session of its own: Ctrl-C reaches Python alone, which passes it on once.
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace", start_new_session=True,
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def run(self) -> None:
        """Returns when the process has ended; whatever is raised here ends it first."""
        interrupts = _HeldInterrupts()
        try:
            self._start()
        except BaseException:
            interrupts.release()
            raise
        try:
            interrupts.release()
            while self._process.poll() is None:
                self._tell()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(_LOOK_EVERY)
            self._tell()
        except BaseException:
            self._stop()
            raise
        finally:
            self._listener.join()
        self._check_end()

    def _listen(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._said.append(line.rstrip("\n"))
            if not line.startswith("spikenm: "):  # that one becomes an Error
                sys.stderr.write(line)

    def _tell(self) -> None:
        """Calls back for each epoch that has ended since the last look."""
        if self._stopped:
            return
        rows = self._rows()
        for row in rows[self._told :]:
            self._told += 1
            if self._on_epoch is not None and _is_false(self._on_epoch(row)):
                self._stop()
                return

    def _rows(self) -> list[dict[str, Any]]:
        if self._replaced is not None and _file_number(self._metrics) == self._replaced:
            return read_metrics(self._next_metrics)
        return read_metrics(self._metrics)

    def _stop(self) -> None:
        """Asks for a checkpoint and the end, and waits; a second Ctrl-C ends the process at once."""
        self._stopped = True
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait()
        except KeyboardInterrupt:
            self._process.send_signal(signal.SIGINT)
            time.sleep(0.1)
            self._process.kill()
            self._process.wait()
            raise

    def _check_end(self) -> None:
        code = self._process.returncode
        asked = self._stopped and code in (0, 128 + signal.SIGINT)
        if code != 0 and not asked:
            raise Error(sentence_of("\n".join(self._said), code))


class _HeldInterrupts:
    """Keeps Ctrl-C back until release(), which raises it: a process that has just begun is not left alone."""

    def __init__(self) -> None:
        self._came: list[tuple[int, Any]] = []
        self._usual = signal.getsignal(signal.SIGINT)
        self._holds = callable(self._usual) and threading.current_thread() is threading.main_thread()
        if self._holds:
            signal.signal(signal.SIGINT, lambda number, frame: self._came.append((number, frame)))

    def release(self) -> None:
        if not self._holds:
            return
        signal.signal(signal.SIGINT, self._usual)
        if self._came and callable(self._usual):
            self._usual(*self._came[0])


def _is_false(answer: Any) -> bool:
    """False itself, Python's or NumPy's: a callback that returns nothing goes on."""
    return type(answer).__name__ in ("bool", "bool_") and not answer


def _file_number(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
