#!/usr/bin/env python3
"""Makes the table of what each method's step costs, in docs/methods.md, from docs/results/method_costs.csv.

  tools/method_costs.py                     writes it
  tools/method_costs.py --check             says whether it differs from what would be written, and exits with 1
  tools/method_costs.py --take COMMIT FILE… first adds what `spikenm bench step --json` printed, a file each, or lists of it under
                                            "methods"; what was measured before of the same method and setting is replaced

The table stands between <!-- method costs --> and <!-- end of method costs -->. Every row is compared with the dense step of the
same commit, network, T, batch, device and precision.
"""

import csv
import io
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SETTING = ["model", "T", "batch", "device", "precision"]
COLUMNS = ["method", *SETTING, "step_ms", "peak_memory_gb", "commit"]
BLOCK = re.compile(r"(<!-- method costs -->\n).*?(<!-- end of method costs -->\n)", re.S)


class Wrong(Exception):
    """One sentence for the user."""


def key_of(row):
    return tuple(row[name] for name in ["method", *SETTING])


def read_rows(file):
    return list(csv.DictReader(io.StringIO(file.read_text())))


def measured(found, commit):
    row = {name: str(found[name]) for name in ["method", *SETTING]}
    memory = found.get("peak_memory_gb")
    return {**row, "step_ms": f"{found['step']['median_ms']:.2f}", "peak_memory_gb": "" if memory is None else f"{memory:.2f}",
            "commit": commit}


def take(files, commit, target):
    rows = {key_of(row): row for row in read_rows(target)}
    for file in files:
        found = json.loads(file.read_text())
        for step in found.get("methods", [found]):
            row = measured(step, commit)
            rows[key_of(row)] = row
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows.values())
    target.write_text(out.getvalue())


def over(value, dense):
    return f"{100 * (float(value) / float(dense) - 1):+.0f} %".replace("-", "−") if value and dense else ""


def table(rows):
    if not rows:
        return "Not measured yet.\n"
    dense = {(key_of(row)[1:], row["commit"]): row for row in rows if row["method"] == "dense"}
    lines = ["| method | network, T, batch, device, precision | step ms | over dense | peak GB | over dense | commit |",
             "|---|---|---:|---:|---:|---:|---|"]
    for row in rows:
        reference = dense.get((key_of(row)[1:], row["commit"]))
        if reference is None:
            raise Wrong(f"method_costs.csv: {row['method']}: found no dense step of the same setting and commit to compare with")
        extra = ["", ""] if row is reference else [over(row[name], reference[name]) for name in ("step_ms", "peak_memory_gb")]
        lines.append(f"| `{row['method']}` | {', '.join(row[name] for name in SETTING)} | {row['step_ms']} | {extra[0]} | "
                     f"{row['peak_memory_gb']} | {extra[1]} | {row['commit']} |")
    return "\n".join(lines) + "\n"


def main(arguments, root=ROOT):
    page, source = root / "docs/methods.md", root / "docs/results/method_costs.csv"
    try:
        if arguments[:1] == ["--take"] and len(arguments) > 2:
            take([pathlib.Path(file) for file in arguments[2:]], arguments[1], source)
        elif arguments not in ([], ["--check"]):
            raise Wrong(f"found {' '.join(arguments)}, wanted nothing, --check, or --take COMMIT FILE…")
        rows = table(read_rows(source))
        made, blocks = BLOCK.subn(lambda match: match[1] + rows + match[2], page.read_text())
        if blocks != 1:
            raise Wrong(f"{page.name}: found {blocks} places for the table, wanted 1")
    except (Wrong, OSError, KeyError, ValueError) as error:
        print(f"method_costs: {error}", file=sys.stderr)
        return 1
    if arguments == ["--check"]:
        if page.read_text() != made:
            print("method_costs: docs/methods.md is not what the CSV file gives; run tools/method_costs.py", file=sys.stderr)
            return 1
        return 0
    page.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
