"""The package itself: what an import costs, brings and offers."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CLONE

import spikenm

MODEL = CLONE / "tests/golden/model_v1.snm"


def in_a_fresh_python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_an_import_is_fast_and_brings_neither_torch_nor_numpy():
    # The processor's time: the machine may be busy.
    code = "import sys, time; t = time.process_time(); import spikenm; print(time.process_time() - t); print([m for m in ('torch', 'numpy') if m in sys.modules])"
    seconds, brought = in_a_fresh_python(code).splitlines()
    assert float(seconds) < 0.1
    assert brought == "[]"


def lines_of_ldd():
    return subprocess.run(["ldd", spikenm._core.__file__], capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_module_links_neither_torch_nor_openmp():
    linked = " ".join(line.split()[0] for line in lines_of_ldd())  # an address may read like a name
    assert "libc.so" in linked
    assert not any(name in linked for name in ("torch", "c10", "gomp", "omp.so", "libpython"))


def test_the_wheel_holds_what_it_links_and_nothing_of_torch_or_openmp():
    package = Path(spikenm.__file__).parent
    inside = {path.name.partition("-")[0] for path in (package.parent / "spikenm.libs").glob("*.so*")}
    if not inside:
        pytest.skip("installed from source, not from the wheel of `make wheel`")
    assert inside <= {"libcrypto", "libfmt", "liblz4", "libpng16", "libturbojpeg", "libzstd", "libz"}
    outside = {line.split()[0] for line in lines_of_ldd() if str(package.parent) not in line}
    assert outside <= {"linux-vdso.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1",
                       "libpthread.so.0", "libdl.so.2", "/lib64/ld-linux-x86-64.so.2"}


def test_without_torch_all_but_its_own_modules_works():
    code = f"""
import sys
sys.modules["torch"] = None  # as where it is not installed
import numpy as np, spikenm
for name in spikenm.__all__:
    getattr(spikenm, name)
rt = spikenm.runtime.load({str(MODEL)!r})
print(rt(np.zeros(rt.sample_shape, np.float32)).shape)
try:
    import spikenm.torch
except ImportError as e:
    print(e)
"""
    said = in_a_fresh_python(code).splitlines()
    assert said[0] == "(2,)" and "torch" in said[1]


def test_every_extra_that_the_docs_name_is_there():
    pages = [CLONE / "README.md", *(CLONE / "docs").rglob("*.md")]
    named = {name for page in pages for group in re.findall(r"'\.\[([\w,]+)\]'", page.read_text(encoding="utf-8")) for name in group.split(",")}
    assert named >= {"nir", "onnx", "torch"}
    assert named <= set(importlib.metadata.metadata("spikenm").get_all("Provides-Extra"))


def check_documented(thing, name: str) -> None:
    """It, and all that it offers, have a text of their own; that of a data class names every field."""
    assert inspect.getdoc(thing), name
    if inspect.ismodule(thing):
        for each in thing.__all__:
            check_documented(getattr(thing, each), f"{name}.{each}")
    if inspect.isclass(thing):
        assert vars(thing).get("__doc__"), name
        for field in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
            assert re.search(rf"^ *(\w+, )*{field.name}(, \w+)*: ", thing.__doc__, re.M), f"{name}.{field.name}"
        for key, member in vars(thing).items():
            if not key.startswith("_") and (callable(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{name}.{key}"


def test_everything_public_is_there_and_documented():
    check_documented(spikenm, "spikenm")


@pytest.mark.parametrize("name", ["spikenm.torch", "spikenm.networks"])
def test_what_needs_torch_is_documented(name):
    pytest.importorskip("torch")
    check_documented(importlib.import_module(name), name)


def test_types_are_right():
    """By mypy, as anybody meets them who checks code that uses the package (py.typed)."""
    pytest.importorskip("mypy")
    pytest.importorskip("torch")  # whose types spikenm.torch is checked against
    said = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir=/dev/null", "--config-file", CLONE / "pyproject.toml"],
                          capture_output=True, text=True, cwd=CLONE)
    assert said.returncode == 0, said.stdout


def test_a_name_that_is_not_there_is_an_attribute_error():
    assert not hasattr(spikenm, "nothing")


def test_an_error_shows_its_public_name():
    assert f"{spikenm.Error.__module__}.{spikenm.Error.__name__}" == "spikenm.Error"


@pytest.mark.parametrize("first", ["torch", "spikenm"])
def test_beside_torch_there_is_one_openmp_and_its_threads_stay(first):
    pytest.importorskip("torch")
    second = "torch" if first == "spikenm" else "spikenm"
    code = f"""
import {first}, {second}, spikenm.runtime, numpy as np
before = torch.get_num_threads()
rt = spikenm.runtime.load({str(MODEL)!r}, threads=1)
rt(np.zeros(rt.sample_shape, np.float32))
import spikenm.torch
maps = open("/proc/self/maps").read().split()
print(len({{word for word in maps if "libgomp" in word or "libomp" in word}}), torch.get_num_threads() == before)
"""
    assert in_a_fresh_python(code) == "1 True\n"
