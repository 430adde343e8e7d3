"""Fails when an equation tag in the code has no row in docs/method.md, or a row has no tag.

A tag is "Eq. (7)" in a comment. A row of the table starts "| 7 |"; rows whose home is marked *stated*
need no tag.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
rows, stated, errors = set(), set(), []
for line in (root / "docs/method.md").read_text().splitlines():
    row = re.match(r"\| (\d+)(?:[–-](\d+))? \|", line)
    if row:
        numbers = set(range(int(row[1]), int(row[2] or row[1]) + 1))
        rows |= numbers
        if "*stated*" in line:
            stated |= numbers
        for file in re.findall(r"`([\w/.]+\.(?:h|cpp|cu))`", line):
            if not any((root / base / file).exists() for base in ("src/spikenm", "tests")):
                errors.append(f"docs/method.md: equation {row[1]} names {file}, which does not exist")
tags = {}
for path in sorted((root / "src/spikenm").rglob("*")):
    if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
        for low, high in re.findall(r"Eq\. \((\d+)\)(?:-\((\d+)\))?", path.read_text()):
            for number in range(int(low), int(high or low) + 1):
                tags.setdefault(number, path.relative_to(root))
errors += [f"{tags[n]}: Eq. ({n}) has no row in docs/method.md" for n in sorted(set(tags) - rows)]
errors += [f"docs/method.md: equation {n} has no tag in the code" for n in sorted(rows - stated - set(tags))]
print("\n".join(errors) if errors else f"equations: {len(rows)} rows, {len(tags)} tagged, ok")
sys.exit(1 if errors else 0)
