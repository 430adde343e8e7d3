"""Fails when code prints past core/say.h (stderr) and core/show.h (standard output).

Those two make control characters printable and live with a stream that cannot be written.
"""
import pathlib
import re
import sys

HOMES = {"src/spikenm/core/say.cpp", "src/spikenm/core/show.cpp"}
PRINTS = re.compile(
    r"\bfmt::print\b|\bstd::(cerr|cout|clog|puts|printf|fprintf|fputs|fputc|perror|print|println)\b"
    r"|\b(stderr|stdout|STDERR_FILENO|STDOUT_FILENO)\b|\b(printf|fprintf|puts|perror)\s*\("
)
# A process that is started, and the questions whether a terminal is there and how large it is, need the number itself.
ALLOWED = re.compile(r"\bisatty\(|\b(?:posix_spawn_file_actions_add)?dup2\(|\bioctl\(STDERR_FILENO, TIOCGWINSZ,")

root = pathlib.Path(__file__).resolve().parents[2]
errors = []
for folder in ("src", "apps"):
    for path in sorted((root / folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in {".h", ".cpp", ".cu", ".cuh", ".inc"} or name in HOMES:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]
            if PRINTS.search(code) and not ALLOWED.search(code):
                errors.append(f"{name}:{number}: prints by itself; say() and show() are there for it")
print("\n".join(errors) if errors else "output: ok")
sys.exit(1 if errors else 0)
