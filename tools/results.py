#!/usr/bin/env python3
"""Makes the tables of docs/results.md, and pictures, from docs/results/*.csv.

  tools/results.py                           writes the tables
  tools/results.py --check                   says what differs from what would be written, and exits with 1
  tools/results.py --take CSV NAME COMMIT    first adds the runs of a sweep's results.csv to docs/results/NAME.csv; a run that is
                                             there already (row, pattern, seed) is replaced
  tools/results.py --pictures SPIKENM        writes the tables, and makes the pictures that docs/pictures.md draws from docs/results

In docs/results.md a table stands between <!-- results: NAME OPTIONS --> and <!-- end of results -->:

  NAME against=ROW,ROW    a line for each row and pattern of NAME.csv: means over seeds with their sample standard deviations, and
                          the mean difference to each ROW at the same pattern (or to the one that has none), seed by seed, with
                          its 95 % interval (Student's t). Where configs/studies/NAME.toml lists rows or seeds that NAME.csv has
                          not, the table says so; where it names published figures, they stand beside
  NAME but=GLOB,GLOB      without these rows
  NAME choose=ROW         a line for each row: validation, mean over the patterns, beside that of ROW; the best first
  targets                 what targets.csv wants of rows, and what was seen

Runs are pairs only when they are of one build, or of one commit where their build was not recorded.
"""

import csv
import fnmatch
import io
import itertools
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tomllib

from paired import Wrong, difference, interval_text, mean_text, numbers, verdict

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = ["member", "pattern", "seed", "val_accuracy", "test_accuracy", "test_accuracy_best_val", "weight_pct", "conn_pct",
           "sops_m", "seconds", "config_md5", "build", "commit"]
BLOCK = re.compile(r"(<!-- results: (?P<name>\w+)(?P<options>(?: \w+=\S+)*) -->\n)(?P<text>.*?)(?P<end><!-- end of results -->\n)", re.S)
PICTURE = re.compile(r"^ {4}(spikenm plot points docs/results/(?:.*\\\n)*.*)$", re.M)


def read_rows(file):
    """{(member, pattern): {seed: cells}} in the order of the file."""
    rows = {}
    for cells in csv.DictReader(io.StringIO(file.read_text())):
        seeds = rows.setdefault((cells["member"], cells["pattern"]), {})
        if cells["seed"] in seeds:
            raise Wrong(f"{file.name}: {cells['member']} {cells['pattern']} has seed {cells['seed']} twice")
        seeds[cells["seed"]] = cells
    return rows


def study(root, name):
    """([(member, pattern)], seeds, published figures) of configs/studies/NAME.toml; empty where there is none."""
    file = root / "configs/studies" / f"{name}.toml"
    if not file.exists():
        return [], 0, {}
    spec = tomllib.loads(file.read_text())
    base = tomllib.loads((file.parent / spec["base"]).read_text()).get("method", {})
    grid, rows = spec.get("grid", {}), []
    for member in spec["member"]:
        own = {} if "method" in member.get("drop", []) else {f"method.{key}": value for key, value in base.items()}
        own |= dict(word.split("=", 1) for word in member.get("set", []))
        for values in itertools.product(*grid.values()) if member.get("grid", True) else [()]:
            point = dict(zip(grid, values))
            named = [f",{key.split('.')[-1]}={value}" for key, value in point.items() if key != "method.pattern"]
            rows.append((member["name"] + "".join(named), point.get("method.pattern", own.get("method.pattern", ""))))
    seeds = spec.get("seeds", 1)
    theirs = csv.DictReader(io.StringIO((file.parent / spec["published"]).read_text())) if "published" in spec else []
    return rows, seeds if isinstance(seeds, int) else len(seeds), {next(iter(cells.values())): cells["acc"] for cells in theirs}


def markdown(head, lines):
    rows = ["| " + " | ".join(cells) + " |" for cells in [head, *lines]]
    return "\n".join([rows[0], "|" + "---|" * len(head), *rows[1:]]) + "\n"


def partner(rows, member, pattern):
    return rows.get((member, pattern)) or rows.get((member, "")) or {}


def table(rows, name, against, planned):
    listed, wanted, published = planned
    for other in against:
        if rows and not any(member == other for member, _ in rows):
            raise Wrong(f"{name}: found no row '{other}' to compare with")
    lines = []
    for member, pattern in [*rows, *(row for row in listed if row not in rows)]:
        seeds = rows.get((member, pattern), {})
        weight = f"{statistics.fmean(numbers(seeds, 'weight_pct') or [100]):.2f}" if seeds else ""
        cells = [f"`{member}`", pattern, weight, mean_text(numbers(seeds, "val_accuracy")),
                 mean_text(numbers(seeds, "test_accuracy")) if seeds else "not run"]
        for other in against:
            found = difference(seeds, partner(rows, other, pattern), f"{name}: {member} {pattern}") if member != other else None
            cells += [interval_text(found), "" if found is None else verdict(*found)]
        cells += [published.get(member, "")] if published else []
        lines.append([*cells, f"{len(seeds)} of {wanted}" if len(seeds) < wanted else str(len(seeds))])
    compared = [word for other in against for word in (f"Δ `{other}`, 95 %", "verdict")]
    return markdown(["row", "pattern", "weight %", "val %", "test %", *compared, *(["published %"] if published else []), "seeds"], lines)


def over_patterns(rows, member, patterns):
    """{seed: cells} with the mean of the validation accuracies over the patterns, of seeds that have all of them."""
    joined = {}
    for seed, cells in rows.get((member, patterns[0]), {}).items():
        found = [rows.get((member, pattern), {}).get(seed) for pattern in patterns]
        if all(found):
            joined[seed] = {**cells, "val_accuracy": statistics.fmean(float(each["val_accuracy"]) for each in found)}
    return joined


def choice(rows, name, against):
    patterns = [pattern for member, pattern in rows if member == against]
    if not patterns:
        raise Wrong(f"{name}: found no row '{against}' to choose beside")
    joined = {member: over_patterns(rows, member, patterns) for member, _ in rows}
    lines = []
    for member, seeds in sorted(joined.items(), key=lambda item: -statistics.fmean(numbers(item[1], "val_accuracy") or [0])):
        found = difference(seeds, joined[against], f"{name}: {member}", "val_accuracy") if seeds and member != against else None
        if seeds:
            lines.append([f"`{member}`", mean_text(numbers(seeds, "val_accuracy")), interval_text(found),
                          "" if found is None else verdict(*found), str(len(seeds))])
    return markdown(["row", f"val %, mean of {' and '.join(patterns)}", f"Δ `{against}`, 95 %", "verdict", "seeds"], lines)


def reached(found, least, above_zero):
    mean, half = found
    low = mean - half if half is not None else -math.inf
    short = [f"{least - mean:.2f} short"] if mean < least else []
    if above_zero and low <= 0:
        short.append(f"the interval begins at {low:.2f}" if half is not None else "one seed has no interval")
    if short:
        return "no: " + ", ".join(short).replace("-", "−")
    return "yes" if above_zero or low >= least else "by the mean; its interval reaches further down"


def targets(root):
    """What targets.csv wants; of several rows to compare with, the one with the best test accuracy counts."""
    lines = []
    for wanted in csv.DictReader(io.StringIO((root / "docs/results/targets.csv").read_text())):
        file = root / "docs/results" / f"{wanted['table']}.csv"
        rows = read_rows(file) if file.exists() else {}
        seeds = rows.get((wanted["row"], wanted["pattern"]), {})
        others = [other for other in wanted["against"].split() if numbers(partner(rows, other, wanted["pattern"]), "test_accuracy")]
        cells = [f"`{wanted['row']}`", wanted["pattern"]]
        least, above_zero = float(wanted["least"]), wanted["interval"] == "above 0"
        text = f"at least {least:+.2f}".replace("-", "−") + (", interval above 0" if above_zero else "")
        if not seeds or not others:
            best = " ".join(f"`{other}`" for other in wanted["against"].split())
            lines.append([wanted["table"], *cells, best, text, "not run", "", "0"])
            continue
        best = max(others, key=lambda other: statistics.fmean(numbers(partner(rows, other, wanted["pattern"]), "test_accuracy")))
        found = difference(seeds, partner(rows, best, wanted["pattern"]), f"targets: {wanted['row']} {wanted['pattern']}")
        if found is None:
            raise Wrong(f"targets: {wanted['row']} {wanted['pattern']} has no seed in common with {best}")
        lines.append([wanted["table"], *cells, f"`{best}`", text, interval_text(found), reached(found, least, above_zero), str(len(seeds))])
    return markdown(["table", "row", "pattern", "beside", "wanted", "seen, 95 %", "reached", "seeds"], lines)


def block_text(root, name, options):
    if name == "targets":
        return targets(root)
    if unknown := set(options) - {"against", "but", "choose"}:
        raise Wrong(f"{name}: found the option {min(unknown)}, wanted against, but or choose")
    planned, file = study(root, name), root / "docs/results" / f"{name}.csv"
    if not file.exists() and not planned[0]:
        raise Wrong(f"{name}: found neither docs/results/{name}.csv nor configs/studies/{name}.toml")
    left_out = options["but"].split(",") if "but" in options else []
    rows = {row: seeds for row, seeds in (read_rows(file) if file.exists() else {}).items()
            if not any(fnmatch.fnmatchcase(row[0], glob) for glob in left_out)}
    if "choose" in options:
        return choice(rows, name, options["choose"])
    return table(rows, name, options["against"].split(",") if "against" in options else [], planned)


def make(root):
    """{file: text} of all that the CSV files give."""
    page = root / "docs/results.md"

    def block(match):
        options = dict(word.split("=", 1) for word in match["options"].split())
        return match[1] + block_text(root, match["name"], options) + match["end"]

    return {page: BLOCK.sub(block, page.read_text())}


def draw(root, program):
    """Runs the commands of docs/pictures.md that draw what is in docs/results."""
    commands = [shlex.split(text.replace("\\\n", " ")) for text in PICTURE.findall((root / "docs/pictures.md").read_text())]
    if not commands:
        raise Wrong("docs/pictures.md: found no command 'spikenm plot points docs/results/…'")
    for words in commands:
        done = subprocess.run([program, *words[1:-1], f"docs/pictures/{words[-1]}"], cwd=root, check=False, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Wrong(f"docs/pictures/{words[-1]} was not drawn: exit {done.returncode} of {program}")


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
        elif arguments[:1] == ["--pictures"] and len(arguments) == 2:
            draw(root, pathlib.Path(arguments[1]).resolve())
        elif arguments not in ([], ["--check"]):
            raise Wrong(f"found {' '.join(arguments)}, wanted nothing, --check, --take CSV NAME COMMIT, or --pictures SPIKENM")
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
