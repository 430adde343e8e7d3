#!/usr/bin/env python3
"""Makes the tables of docs/results.md from docs/results/*.csv.

  tools/results.py                           writes them
  tools/results.py --check                   says what differs from what would be written, and exits with 1
  tools/results.py --take CSV NAME COMMIT    first adds the runs of a sweep's results.csv to docs/results/NAME.csv; a run that is
                                             there already (row, pattern, seed) is replaced

Between <!-- results: NAME against=ROW --> and <!-- end of results --> in docs/results.md stands the table of NAME.csv: a line
for each row and pattern, the mean over seeds with its sample standard deviation, and the mean difference to ROW at the same
pattern (or to the one ROW that has none), seed by seed, with its 95 % interval (Student's t).
"""

import csv
import io
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = ["member", "pattern", "seed", "val_accuracy", "test_accuracy", "test_accuracy_best_val", "weight_pct", "conn_pct",
           "sops_m", "seconds", "config_md5", "build", "commit"]
BLOCK = re.compile(r"(<!-- results: (?P<name>\w+)(?: against=(?P<against>\S+))? -->\n)(?P<text>.*?)"
                   r"(?P<end><!-- end of results -->\n)", re.S)


class Wrong(Exception):
    """One sentence for the user."""


def t_within(x, freedom):
    """P(|t| <= x), a finite sum for whole degrees of freedom."""
    angle = math.atan(x / math.sqrt(freedom))
    odd = freedom % 2 == 1
    total, term, power = 0.0, math.cos(angle) if odd else 1.0, 1 if odd else 0
    while power + 2 <= freedom:
        total += term
        term *= math.cos(angle) ** 2 * (power + 1) / (power + 2)
        power += 2
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def t_quantile_95(freedom):
    low, high = 0.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_within(middle, freedom) < 0.95 else (low, middle)
    return (low + high) / 2


def read_rows(file):
    """{(member, pattern): {seed: cells}} in the order of the file."""
    rows = {}
    for cells in csv.DictReader(io.StringIO(file.read_text())):
        seeds = rows.setdefault((cells["member"], cells["pattern"]), {})
        if cells["seed"] in seeds:
            raise Wrong(f"{file.name}: {cells['member']} {cells['pattern']} has seed {cells['seed']} twice")
        seeds[cells["seed"]] = cells
    return rows


def numbers(seeds, key):
    return [float(cells[key]) for cells in seeds.values() if cells.get(key)]


def mean_text(values):
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.2f}{spread}"


def build(cells):
    return cells.get("build") or cells.get("commit") or "unknown"


def difference(seeds, others, where):
    """(mean, half width of its 95 % interval or None) of the test accuracies' differences; None without a common seed."""
    found = []
    for seed, cells in seeds.items():
        if seed not in others:
            continue
        if build(cells) != build(others[seed]):
            raise Wrong(f"{where}: seed {seed} is of build {build(cells)} and the row it is compared with of {build(others[seed])}; "
                        "wanted one build for all rows of a seed")
        found.append(float(cells["test_accuracy"]) - float(others[seed]["test_accuracy"]))
    if not found:
        return None
    half = t_quantile_95(len(found) - 1) * statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else None
    return statistics.fmean(found), half


def verdict(mean, half):
    if half is None:
        return "one seed"
    if abs(mean) <= half:
        return "not told apart"
    return "better" if mean > 0 else "worse"


def table(rows, against, name):
    head = ["row", "pattern", "weight %", "val %", "test %"] + ([f"Δ `{against}`, 95 %", "verdict"] if against else []) + ["seeds"]
    if against and not any(member == against for member, _ in rows):
        raise Wrong(f"{name}: found no row '{against}' to compare with")
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for (member, pattern), seeds in rows.items():
        weight = statistics.fmean(numbers(seeds, "weight_pct") or [100])
        cells = [f"`{member}`", pattern, f"{weight:.2f}", mean_text(numbers(seeds, "val_accuracy")),
                 mean_text(numbers(seeds, "test_accuracy"))]
        if against:
            others = rows.get((against, pattern)) or rows.get((against, "")) or {}
            found = difference(seeds, others, f"{name}: {member} {pattern}") if member != against else None
            interval = "" if found is None else f"{found[0]:+.2f}" + (f" ± {found[1]:.2f}" if found[1] is not None else "")
            cells += [interval.replace("-", "−"), "" if found is None else verdict(*found)]
        lines.append("| " + " | ".join(cells + [str(len(seeds))]) + " |")
    return "\n".join(lines) + "\n"


def make(root):
    """{file: text} of all that the CSV files give."""
    page, made = root / "docs/results.md", {}

    def block(match):
        name = match["name"]
        rows = read_rows(root / "docs/results" / f"{name}.csv")
        text = table(rows, match["against"], name)
        return match[1] + text + match["end"]

    made[page] = BLOCK.sub(block, page.read_text())
    return made


def swept(source, commit):
    """The runs of a sweep's results.csv, with the columns of docs/results."""
    for cells in csv.DictReader(io.StringIO(source.read_text())):
        for key in ("val_accuracy", "test_accuracy", "test_accuracy_best_val", "weight_pct", "conn_pct", "sops_m"):
            cells[key] = f"{float(cells[key]):.2f}" if cells.get(key) else ""
        cells["member"] = re.sub(r",pattern=[^,]*$", "", cells["member"])
        cells["pattern"] = cells.get("method.pattern", "")
        cells["seconds"] = f"{float(cells['seconds']):.0f}" if cells.get("seconds") else ""
        cells["build"] = cells.get("build", "")[:12]
        cells["commit"] = commit
        yield cells


def take(source, target, commit):
    """Adds the runs of a sweep: rows in the order in which they first came, their seeds in growing order."""
    rows = read_rows(target) if target.exists() else {}
    for cells in swept(source, commit):
        rows.setdefault((cells["member"], cells["pattern"]), {})[cells["seed"]] = cells
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for seeds in rows.values():
        writer.writerows(seeds[seed] for seed in sorted(seeds, key=int))
    target.write_text(out.getvalue())


def main(arguments, root=ROOT):
    try:
        if arguments[:1] == ["--take"] and len(arguments) == 4:
            take(pathlib.Path(arguments[1]), root / "docs/results" / f"{arguments[2]}.csv", arguments[3])
        elif arguments not in ([], ["--check"]):
            raise Wrong(f"found {' '.join(arguments)}, wanted nothing, --check, or --take CSV NAME COMMIT")
        made = make(root)
    except (Wrong, OSError, KeyError, ValueError) as error:
        print(f"results: {error}", file=sys.stderr)
        return 1
    stale = [file for file, text in made.items() if not file.exists() or file.read_text() != text]
    if arguments == ["--check"]:
        for file in stale:
            print(f"results: {file.relative_to(root)} is not what the CSV files give; run tools/results.py", file=sys.stderr)
        return 1 if stale else 0
    for file in stale:
        file.write_text(made[file])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
