"""Lets a torch that was installed without its CUDA libraries be imported on a machine that has no GPU.

    stub_cuda.py TORCH OUT

The libraries of TORCH name CUDA libraries of 4 GB, and the loader wants them all, though a CPU calls none. For each
that is not there, OUT gets a library of a few kB with the symbols that torch asks of it; calling one ends the process.
OUT goes into LD_LIBRARY_PATH.
"""
import re
import subprocess
import sys
from pathlib import Path


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], check=True, capture_output=True, text=True).stdout


def needed(libraries):
    """The libraries of CUDA that these name."""
    names = {name for path in libraries for name in re.findall(r"\(NEEDED\).*\[(.+)\]", readelf("-d", path))}
    return sorted(name for name in names if re.match(r"lib(cu|nccl|nv)", name))


def versions(libraries):
    """Library -> the name under which its symbols are asked for; not all have one."""
    pattern = r"File: (lib\S+) .*\n.*Name: (\S+)"
    return {name: version for path in libraries for name, version in re.findall(pattern, readelf("-V", path))}


def wanted_symbols(libraries):
    """(symbol, version or "") of everything that is not defined where it is used."""
    pattern = r" (?:GLOBAL|WEAK) +DEFAULT +UND (\w+)(?:@(\S+))?"
    return {found for path in libraries for found in re.findall(pattern, readelf("--dyn-syms", path))}


def write_stub(path, symbols, version):
    """A library whose every symbol is one trap."""
    source, script = path.with_suffix(".s"), path.with_suffix(".map")
    labels = "".join(f".globl {name}\n.type {name}, @function\n{name}:\n" for name in symbols)
    source.write_text(f".text\n{labels}ud2\n.section .note.GNU-stack\n")
    script.write_text(f"{version} {{ global: *; }};\n" if version else "")
    options = [f"-Wl,--version-script={script}"] if version else []
    subprocess.run(["cc", "-shared", "-nostdlib", f"-Wl,-soname,{path.name}", *options, "-o", path, source], check=True)
    source.unlink()
    script.unlink()


def main(torch, out):
    libraries = sorted((torch / "lib").glob("lib*torch*.so")) + sorted((torch / "lib").glob("libc10*.so"))
    there = {path.name for path in torch.parent.glob("nvidia/*/lib/*.so*")} | {path.name for path in libraries}
    named, symbols = versions(libraries), wanted_symbols(libraries)
    out.mkdir(parents=True, exist_ok=True)
    for library in needed(libraries):
        if library in there:
            continue
        version, stem = named.get(library, ""), re.match(r"lib(\w+)\.so", library)[1].lower()
        own = sorted(name for name, of in symbols if (of == version if version else not of and name.lower().startswith(stem)))
        write_stub(out / library, own, version)


main(Path(sys.argv[1]), Path(sys.argv[2]))
