"""Python values as TOML, for configs and overrides."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from typing import Any

from ._core import Error

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_DOTTED = re.compile(r"[^\s\0=-][^\s\0=]*")  # nothing that the command line takes for an option; layer_pattern.conv* is a key


def text_of(config: Mapping[str, Any]) -> str:
    """A nested dict as the text of a TOML file."""
    lines: list[str] = []
    _write_table(config, [], lines)
    return "\n".join(lines) + "\n"


def assignment(key: str, value: Any) -> str:
    """`key=value` as the program takes it on its command line."""
    if not isinstance(key, str) or not _DOTTED.fullmatch(key):
        raise Error(f"{key!r}: found no key, wanted one such as train.lr")
    return f"{key}={_value(value, key)}"


def checked_assignment(word: Any) -> str:
    """`key=value` that a user has written."""
    if not isinstance(word, str) or "=" not in word or not _DOTTED.fullmatch(word.partition("=")[0]):
        raise Error(f"{word!r}: not understood; wanted an override such as train.lr=0.1")
    _check_text(word)
    if "\0" in word:
        raise Error(f"{word!r}: found a null character, wanted an override such as train.lr=0.1")
    return word


def _check_text(value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Error(f"{value!r}: found text that is not UTF-8, which the resolved config needs") from None


def _write_table(table: Mapping[str, Any], path: list[str], lines: list[str]) -> None:
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    for key, value in table.items():
        if key not in tables:
            lines.append(f"{_key(key, path)} = {_value(value, '.'.join([*path, str(key)]))}")
    for key, value in tables.items():
        inner = [*path, str(key)]
        lines.append(f"[{'.'.join(_key(part, path) for part in inner)}]")
        _write_table(value, inner, lines)


def _key(key: Any, path: list[str]) -> str:
    if not isinstance(key, str):
        raise Error(f"{'.'.join(path) or 'config'}: found the key {key!r}, wanted text")
    return key if _BARE.fullmatch(key) else _text(key)


def _text(value: str) -> str:
    _check_text(value)
    # JSON's escapes are TOML's, but for one control character that JSON writes as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value(value: Any, name: str) -> str:
    if hasattr(value, "item") and not getattr(value, "shape", ()):
        value = value.item()  # a scalar of NumPy or torch
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Error(f"{name}: found {value}, wanted a finite number")
        text = repr(value)
        return text if any(c in text for c in ".e") else text + ".0"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(each, name) for each in value) + "]"
    raise Error(f"{name}: found {type(value).__name__}, wanted a number, text, true or false, or a list of them")
