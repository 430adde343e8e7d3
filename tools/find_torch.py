"""Prints the folder of a torch package of version 2.11 or newer, or exits 1.

Order: $SPIKENM_TORCH, the Python that runs this script, the clone's .venv. Torch is looked at, never
imported: an import costs seconds and needs libraries that a CPU build does without.
"""
import glob
import importlib.util
import os
import re
import sys
import sysconfig

WANTED = (2, 11)


def version(folder):
    try:
        with open(os.path.join(folder, "version.py")) as f:
            found = re.search(r"__version__ = '(\d+)\.(\d+)", f.read())
    except OSError:
        return None
    return (int(found[1]), int(found[2])) if found else None


def candidates():
    if os.environ.get("SPIKENM_TORCH"):
        yield os.environ["SPIKENM_TORCH"]
        return  # what the user named is taken or refused, never replaced by another
    spec = importlib.util.find_spec("torch")
    if spec and spec.submodule_search_locations:
        yield list(spec.submodule_search_locations)[0]
    # pip builds in an environment that hides the packages of the Python it installs into.
    yield from (os.path.join(sysconfig.get_path(kind), "torch") for kind in ("purelib", "platlib"))
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield from glob.glob(os.path.join(root, ".venv/lib/python3*/site-packages/torch"))


for folder in dict.fromkeys(candidates()):
    found = version(folder)
    if found and found >= WANTED:
        print(os.path.abspath(folder))
        sys.exit(0)
    if found:
        print(f"{folder}: found torch {found[0]}.{found[1]}, wanted 2.11 or newer", file=sys.stderr)
sys.exit(1)
