"""The `spikenm` program, which trains in a process of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ._core import Error


def find_program() -> str:
    """The path of the `spikenm` program.

    $SPIKENM_PROGRAM, else the one that came with the package, else the first on $PATH. An Error when
    there is none: training needs it, and it needs torch.
    """
    named = os.environ.get("SPIKENM_PROGRAM")
    if named:
        if not _is_program(named):
            raise Error(f"$SPIKENM_PROGRAM: found '{named}', wanted the path of a program")
        return named
    beside = Path(__file__).parent / "bin" / "spikenm"
    if _is_program(beside):
        return str(beside)
    found = shutil.which("spikenm")
    if found is None:
        raise Error(
            "spikenm: found no program of this name on $PATH, wanted it for training; "
            "`make` builds it (build/spikenm), and $SPIKENM_PROGRAM may name it"
        )
    return found


def _is_program(path: str | Path) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def sentence_of(stderr: str, code: int) -> str:
    """Why the program failed: its last sentence, without its name."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("spikenm: ")]
    if own:
        return own[-1].removeprefix("spikenm: ")
    return lines[-1] if lines else f"the program ended with exit code {code} and said nothing"
