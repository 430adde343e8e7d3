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
from ._toml import assignment, checked_assignment, text_of

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
    if on_epoch is not None and not callable(on_epoch):
        raise Error(f"on_epoch: found {type(on_epoch).__name__}, wanted a function")
    is_file = isinstance(config, (str, os.PathLike))
    stem = Path(os.fspath(config)).stem if is_file else "run"  # type: ignore[arg-type]
    folder = Path(out) if out is not None else Path("runs") / stem
    arguments = ["train", "--out", str(folder), *_override_words(overrides)]
    arguments += ["--resume"] * bool(resume) + ["--force"] * bool(force) + ["--quiet"] * bool(quiet)
    if start_from is not None:
        arguments += ["--from", os.fspath(start_from)]
    with _config_file(config) as file:
        if file is not None:
            arguments += ["--config", file]
        _Training(folder, arguments, on_epoch).run()
    return Run(folder)


def _override_words(overrides: Mapping[str, Any] | Sequence[str]) -> list[str]:
    if isinstance(overrides, Mapping):
        return [assignment(key, value) for key, value in overrides.items()]
    if not isinstance(overrides, (str, Sequence)):
        raise Error(f"overrides: found {type(overrides).__name__}, wanted a dict or a list of texts such as train.lr=0.1")
    return [checked_assignment(word) for word in ([overrides] if isinstance(overrides, str) else overrides)]


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
        self._process: subprocess.Popen[str] | None = None
        self._interrupts = _Interrupts()
        self._command = [find_program(), *arguments]

    def _start(self) -> subprocess.Popen[str]:
        try:
            # A session of its own: Ctrl-C reaches Python alone, which passes it on once.
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                text=True, errors="replace", start_new_session=True,
            )
        except (OSError, ValueError) as e:
            raise Error(f"{self._command[0]}: cannot start: {getattr(e, 'strerror', None) or e}") from None
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self._process

    def run(self) -> None:
        """Returns when the process has ended; whatever is raised here ends it first."""
        with self._interrupts:
            try:
                process = self._start()
                while process.poll() is None:
                    self._interrupts.allow()
                    self._tell()
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(_LOOK_EVERY)
                self._tell()
            except BaseException:
                self._stop()
                raise
            finally:
                self._end()
        self._check_end(process.returncode)

    def _listen(self) -> None:
        assert self._process is not None and self._process.stderr is not None
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
        """Asks for a checkpoint and the end, and waits; another Ctrl-C ends the process at once."""
        self._interrupts.hold()
        self._stopped = True
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)
        while self._process.poll() is None:
            if self._interrupts.held:
                with contextlib.suppress(ProcessLookupError):
                    self._process.send_signal(signal.SIGINT)
                time.sleep(0.1)
                return self._end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_LOOK_EVERY)

    def _end(self) -> None:
        """Whatever has happened, no process remains."""
        self._interrupts.hold()
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._listener.is_alive():
            self._listener.join()

    def _check_end(self, code: int) -> None:
        asked = self._stopped and code in (0, 128 + signal.SIGINT)
        if code != 0 and not asked:
            raise Error(sentence_of("\n".join(self._said), code))


class _Interrupts:
    """Ctrl-C while a process trains: one is raised, where it is allowed; others wait, so that none disturbs the end."""

    def __init__(self) -> None:
        self.held = 0  # how many have come and were not raised
        self._allowed = False
        self._usual = signal.getsignal(signal.SIGINT)
        self._mine = callable(self._usual) and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> _Interrupts:
        if self._mine:
            signal.signal(signal.SIGINT, self._came)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._mine and signal.getsignal(signal.SIGINT) == self._came:  # unless a callback has set its own
            signal.signal(signal.SIGINT, self._usual)
        if self.held and not (kind and issubclass(kind, KeyboardInterrupt)):
            self._pass_on(signal.SIGINT, None)

    def allow(self) -> None:
        """One that waits, or the next, is raised; the callback may have caught the one before."""
        self._allowed = True
        if self.held:
            self.held = 0
            self._came(signal.SIGINT, None)

    def hold(self) -> None:
        self._allowed = False

    def _came(self, number: int, frame: Any) -> None:
        if not self._allowed:
            self.held += 1
            return
        self._allowed = False
        self._pass_on(number, frame)
        self._allowed = True  # a handler that raises nothing is told of each

    def _pass_on(self, number: int, frame: Any) -> None:
        if callable(self._usual):
            self._usual(number, frame)


def _is_false(answer: Any) -> bool:
    """False itself, Python's or NumPy's: a callback that returns nothing goes on."""
    return type(answer).__name__ in ("bool", "bool_") and not answer


def _file_number(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
