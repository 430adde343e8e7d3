"""Paths that are taken, and files that are written whole or not at all."""

from __future__ import annotations

import os
from typing import Union

from . import _core
from ._core import Error

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def file_name(path: Path) -> str:
    """The path as text; one that no file can have is an Error."""
    try:
        name = os.fsdecode(path)
        os.fsencode(name)
    except UnicodeError:
        raise Error(f"{path!r}: found characters that no path can have, wanted the name of a file") from None
    if "\0" in name or not name:
        raise Error(f"{name!r}: found {'no path' if not name else 'a null character'}, wanted the name of a file")
    return name


def write_whole(path: Path, content: bytes) -> None:
    """Readers see the old content or the new one. A full disk, a folder and the like are Errors."""
    _core.write_file(file_name(path), content)
