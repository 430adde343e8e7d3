"""Means over seeds, and differences between the runs of the same seeds, for tools/results.py."""

import math
import statistics


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


def numbers(seeds, key):
    return [float(cells[key]) for cells in seeds.values() if cells.get(key)]


def mean_text(values):
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
    return f"{statistics.fmean(values):.2f}{spread}"


def build(cells, where):
    found = cells.get("build") or cells.get("commit")
    if not found:
        raise Wrong(f"{where}: seed {cells['seed']} has neither build nor commit, so it cannot be compared")
    return found


def difference(seeds, others, where, key="test_accuracy"):
    """(mean, half width of its 95 % interval or None) of the differences of a number; None without a common seed."""
    found = []
    for seed, cells in seeds.items():
        if seed not in others:
            continue
        ours, theirs = build(cells, where), build(others[seed], where)
        if ours != theirs:
            raise Wrong(f"{where}: seed {seed} is of build {ours} and the row it is compared with of {theirs}; "
                        "wanted one build for all rows of a seed")
        found.append(float(cells[key]) - float(others[seed][key]))
    if not found:
        return None
    half = t_quantile_95(len(found) - 1) * statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else None
    return statistics.fmean(found), half


def interval_text(found):
    text = "" if found is None else f"{found[0]:+.2f}" + (f" ± {found[1]:.2f}" if found[1] is not None else "")
    return text.replace("-", "−")


def verdict(mean, half):
    if half is None:
        return "one seed"
    if abs(mean) <= half:
        return "not told apart"
    return "better" if mean > 0 else "worse"
