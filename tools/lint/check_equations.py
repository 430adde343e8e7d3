"""Fails when the table of equations in docs/method.md and the tags in the code do not agree.

A tag is "Eq. (7)" in a comment. A row of the table is "| 7 | what | home | test |". Its home names files with
their functions or classes: the tag must stand in each, inside it or in the comment above it. Its test names
files with their tests, and each must be there. Rows whose home is marked *stated* need neither. Every tag
needs a row.

    check_equations.py [ROOT]
"""
import pathlib
import re
import sys

TAG = re.compile(r"Eq\. \((\d+)\)(?:-\((\d+)\))?")


def numbers_of(low, high):
    return range(int(low), int(high or low) + 1)


def tags_in(text):
    return {n for low, high in TAG.findall(text) for n in numbers_of(low, high)}


def rows_of(table):
    """(numbers, home cell, test cell) of every row."""
    for line in table.splitlines():
        row = re.match(r"\| (\d+)(?:[–-](\d+))? \|", line)
        if row:
            _, _, home, test = [cell.strip() for cell in line.strip().strip("|").split("|")][:4]
            yield list(numbers_of(row[1], row[2])), home, test


def places_of(cell):
    """[(file, [names])] of a cell such as "`a/b.h` `one`, `c/d.cpp` `two` `three`"."""
    places = []
    for word in re.findall(r"`([^`]+)`", cell):
        if "/" in word:
            places.append((word, []))
        elif places:
            places[-1][1].append(word)
    return places


def end_of(lines, start):
    """The line after what is declared at `start`: the first ';' outside braces, or the closing brace."""
    indent = re.match(r" *", lines[start])[0]
    opened = False
    for at in range(start, len(lines)):
        line = lines[at]
        if not opened and (line.endswith(";") or re.search(r"\{.*\}$", line)):
            return at + 1
        if opened and line.startswith(indent + "}"):
            return at + 1
        opened = opened or "{" in line
    return len(lines)


def texts_of(source, name):
    """Every declaration or definition of the function or class, with the comment above it."""
    lines = source.splitlines()
    declares = re.compile(
        rf" *(?!return\b|//)(?:[\w:<>,*& ]|\[\[nodiscard\]\])+[ *&]{name}\(| *(?:class|struct) {name}\b"
    )
    for at, line in enumerate(lines):
        if declares.match(line):
            start = at
            while start > 0 and re.match(r" *(//|template <)", lines[start - 1]):
                start -= 1
            yield "\n".join(lines[start : end_of(lines, at)])


def home_errors(root, numbers, cell):
    places = places_of(cell)
    for file, names in places:
        path = root / "src/spikenm" / file
        if not path.is_file():
            yield f"names {file}, which does not exist"
            continue
        source = path.read_text()
        if not names:
            yield f"names no function of {file}"
        for name in names:
            texts = list(texts_of(source, name))
            if not texts:
                yield f"names {name} of {file}, which is not there"
            for n in numbers:
                if texts and not any(n in tags_in(text) for text in texts):
                    yield f"names {name} of {file}, where no tag Eq. ({n}) stands"
    if not places:
        yield "names no home"


def test_errors(root, cell):
    places = places_of(cell)
    for file, names in places:
        path = root / "tests" / file
        if not path.is_file():
            yield f"names the test file {file}, which does not exist"
            continue
        macros = re.findall(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", path.read_text())
        tests = {f"{suite}.{name}" for suite, name in macros}
        if not names:
            yield f"names no test of {file}"
        for name in names:
            if name not in tests:
                yield f"names the test {name} of {file}, which is not there"
    if not places:
        yield "names no test"


def check(root):
    """(errors, number of rows, number of tagged equations)."""
    errors, rows = [], set()
    for numbers, home, test in rows_of((root / "docs/method.md").read_text()):
        rows.update(numbers)
        if "*stated*" not in home:
            found = [*home_errors(root, numbers, home), *test_errors(root, test)]
            errors += [f"docs/method.md: equation {numbers[0]} {error}" for error in found]
    tags = {}
    for path in sorted((root / "src/spikenm").rglob("*")):
        if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
            for n in tags_in(path.read_text()):
                tags.setdefault(n, path.relative_to(root))
    errors += [f"{tags[n]}: Eq. ({n}) has no row in docs/method.md" for n in sorted(set(tags) - rows)]
    return errors, len(rows), len(tags)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    errors, rows, tags = check(root.resolve())
    print("\n".join(errors) if errors else f"equations: {rows} rows, {tags} tagged, ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
