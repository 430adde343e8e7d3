"""Fails when code reads a config key past its declaration (core/key.h).

What is read by name is in no list of keys. Tests may; core holds both.

    check_keys.py [ROOT]
"""
import pathlib
import re
import sys

# Config's own: get_int("width", …); and get(key, fallback), which a FileTable has too.
READS = re.compile(
    r"[.>]\s*(?:get_(?:int|real|choice|table|path)\s*\("
    r"|get\s*(?:<[^;()]*>)?\s*\(\s*(?:\"[^\"]*\"|[A-Za-z_][\w.:]*)\s*,)"
)
TABLE = re.compile(r"\btable\s*$")  # a FileTable: a network's file, not a config


def code_of(text):
    """The text with comments blanked, line for line."""
    keep = lambda match: match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', keep, text, flags=re.DOTALL)


def direct_reads(text):
    """Line numbers of reads by name."""
    code = code_of(text)
    return [
        code.count("\n", 0, read.start()) + 1
        for read in READS.finditer(code)
        if not TABLE.search(code, 0, read.start())
    ]


def check(root):
    errors = []
    for folder in ("src", "apps", "examples"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in {".h", ".cpp", ".cu", ".cuh", ".inc"} or name.startswith("src/spikenm/core/"):
                continue
            for number in direct_reads(path.read_text()):
                errors.append(f"{name}:{number}: reads a key by its name; declare it (core/key.h) and read the declaration")
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    errors = check(root)
    print("\n".join(errors) if errors else "keys: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
