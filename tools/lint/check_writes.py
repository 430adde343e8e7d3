"""Fails when code outside core/file.cpp opens a file for writing, renames or cuts a file, or makes a folder.

The functions of core/file.h handle full disks, interrupted calls and short writes, and leave no half-written file. Comments
and strings are ignored. Tests are not checked.

    check_writes.py [ROOT]
"""
import pathlib
import re
import sys

from check_layers import SUFFIXES, bare

HOME = "src/spikenm/core/file.cpp"
# Files that may do so too: in how many places, and why.
ALLOWED = {
    "src/spikenm/data/cache.cpp": (2, "the folder of caches, and a lock in it that holds no bytes; both can be made anew"),
    "src/spikenm/core/run_owner.cpp": (2, "the record of an owner, written in place because the lock is on it"),
    "src/spikenm/sweep/jobs.cpp": (2, "the log that becomes a child's standard output, and a lock on it"),
}

STREAM = re.compile(r"\b(?:basic_)?(?:o?fstream|filebuf)\b(?!\s*>)")
WRITER = re.compile(r"\b(?:fopen(?:64)?|freopen|creat(?:64)?|mkstemps?|mkostemps?|tmpfile)\s*\(|\btorch\s*::\s*save\b")
CHANGE = re.compile(r"\b(?:renameat2?|truncate(?:64)?|ftruncate(?:64)?|mkdirat|resize_file|copy_file|create_director(?:y|ies))\s*\("
                    r"|(?:::\s*|\bstd::)(?:rename|mkdir)\s*\(")
OPEN = re.compile(r"(?<![\w>)])::\s*open(?:at)?(?:64)?\s*\(|\bopenat(?:64)?\s*\(")
WHAT = "writes by itself; core/file.h is there for it"


def arguments(code, begin):
    """The text from an opening parenthesis to its closing one."""
    depth = 0
    for at in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return code[begin : at + 1]
    return code[begin:]


def places(code):
    """Offsets of what writes. An open is one, unless its arguments say that it only reads."""
    for pattern in (STREAM, WRITER, CHANGE):
        yield from (found.start() for found in pattern.finditer(code))
    for found in OPEN.finditer(code):
        flags = arguments(code, found.end() - 1)
        if "O_RDONLY" not in flags or re.search(r"\bO_(CREAT|TRUNC)\b", flags):
            yield found.start()


def check(root):
    """One line per error."""
    errors = []
    for path in sorted([*(root / "src").rglob("*"), *(root / "apps").rglob("*")]):
        name = path.relative_to(root).as_posix()
        if path.suffix not in SUFFIXES or name == HOME:
            continue
        code = bare(path.read_text())
        lines = sorted({code.count("\n", 0, at) + 1 for at in places(code)})
        if len(lines) <= ALLOWED.get(name, (0, ""))[0]:
            continue
        errors += [f"{name}:{line}: {WHAT}" for line in lines]
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    errors = check(root)
    print("\n".join(errors) if errors else "writes: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
