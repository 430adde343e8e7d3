"""Figures of tools/measure_gpu beside their targets, from what the programs printed."""

import json
import re
import statistics
from typing import NamedTuple


class Net(NamedTuple):
    """A network at the size its targets are stated for; None where none is."""

    name: str
    T: int
    batch: int
    speedup: float  # of the dense step over the peer's fastest
    dense_ms: float = None
    dense_gb: float = None
    search_ms: float = None

    def title(self):
        return f"{self.name} T{self.T} B{self.batch}"


NETS = {
    net.name: net
    for net in (
        Net("6conv2fc", 8, 64, speedup=2.5, dense_ms=9.3, dense_gb=1.9, search_ms=11.4),
        Net("vggsnn", 10, 64, speedup=3.0, dense_ms=12.6, dense_gb=2.0, search_ms=15.0),
        Net("sew_resnet18", 4, 128, speedup=2.0),
    )
}
SEARCH_OVER_DENSE = 25.0  # per cent

SEARCHES = {"search": "search step 2:4 with EID", "search-paper": "the same, preset paper"}

# What the tests prove, by the names that prove it.
CLAIMS = {
    "masks, bit for bit the CPU's for the same seed": r"^Cuda(Draw|Mask)\.|StartsFromTheMasks",
    "spikes and gradients against the CPU's": r"^Cuda(NormNeuron|Neuron|Synapse|Pool)\.",
}


class Figure(NamedTuple):
    name: str
    ours: str
    target: str = "–"
    peer: str = "–"
    ratio: str = "–"
    verdict: str = "–"


def json_object(text):
    """The object among what a program printed; ValueError where there is none."""
    start = text.find("{")
    if start < 0:
        raise ValueError("printed no JSON object")
    return json.JSONDecoder().raw_decode(text[start:])[0]


def json_lines(text):
    """The objects among the lines; a line cut short is left out."""
    found = []
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def test_outcomes(text):
    """{test: passed} from a gtest log, and whether the program came to its end."""
    found = re.findall(r"^\[ +(OK|FAILED) +\] (\S+)(?:, where .*)? \(\d+ ms\)$", text, re.MULTILINE)
    ended = re.search(r"^\[=+\] \d+ tests? from .* ran\.", text, re.MULTILINE) is not None
    return {name: outcome == "OK" for outcome, name in found}, ended


def sanitizer_count(text):
    """Errors or hazards that compute-sanitizer summed up; None where it printed no summary."""
    found = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)", text)
    return int(found[1]) if found else None


def fastest(lines, **wanted):
    """The quickest line that has a time and the wanted fields, or None."""
    timed = [
        line for line in lines if "ms" in line and all(line.get(k) == v for k, v in wanted.items())
    ]
    return min(timed, key=lambda line: line["ms"], default=None)


def setting_text(line):
    parts = [line["precision"], "channels-last" if line["channels_last"] else "NCHW"]
    return ", ".join(parts + (["graph"] if line["graph"] else []))


def step_ms(runs):
    """Median over the rounds of a round's median."""
    return statistics.median(run["step"]["median_ms"] for run in runs)


def at_most(value, limit):
    return "–" if limit is None else "met" if value <= limit else "missed"


def time_figure(name, runs, limit, peer):
    ms = step_ms(runs)
    spread = statistics.median(run["step"]["spread_ms"] for run in runs)
    return Figure(
        name,
        f"{ms:.2f} ms (spread {spread:.2f})",
        f"≤ {limit:g} ms" if limit else "–",
        f"{peer['ms']:.2f} ms ({setting_text(peer)})" if peer else "–",
        f"{peer['ms'] / ms:.2f}×" if peer else "–",
        at_most(ms, limit),
    )


def memory_figure(name, runs, limit, peer):
    gb = max(run["peak_memory_gb"] for run in runs)
    peer_gb = peer.get("peak_memory_gb") if peer else None
    return Figure(
        name,
        f"{gb:.2f} GB",
        f"≤ {limit:g} GB" if limit else "–",
        f"{peer_gb:.2f} GB" if peer_gb else "–",
        f"{peer_gb / gb:.2f}×" if peer_gb else "–",
        at_most(gb, limit),
    )


def floor_figure(name, runs):
    floors = [run["floor"] for run in runs if "floor" in run]
    if not floors:
        return []
    ms = statistics.median(f["sum_ms"] for f in floors)
    return [Figure(name, f"{ms:.2f} ms, {100 * ms / step_ms(runs):.0f} % of the step")]


def dense_figures(net, runs, rival):
    title = f"{net.title()} bf16, dense step"
    rows = [
        time_figure(title, runs, net.dense_ms, rival),
        memory_figure(f"{title}, peak memory", runs, net.dense_gb, rival),
    ]
    if rival:
        ratio = rival["ms"] / step_ms(runs)
        limit, name = net.speedup, f"{title} against the peer's fastest"
        verdict = "met" if ratio >= limit else "missed"
        rows.append(Figure(name, f"{ratio:.2f}×", f"≥ {limit:g}×", verdict=verdict))
    return rows + floor_figure(f"{net.title()} bf16, convolutions and products alone", runs)


def search_figures(net, text, runs, dense, rival):
    title = f"{net.title()} bf16, {text}"
    rows = [
        time_figure(title, runs, net.search_ms, rival),
        memory_figure(f"{title}, peak memory", runs, None, rival),
    ]
    if dense:
        more, limit = 100 * (step_ms(runs) / step_ms(dense) - 1), SEARCH_OVER_DENSE
        target, verdict = f"≤ {limit:g} % more", at_most(more, limit)
        rows.append(Figure(f"{title}, over dense", f"{more:+.0f} %", target, verdict=verdict))
    return rows


def net_figures(net, ours, peer, plain):
    """Rows of one network, from {kind: [results of the rounds]} and the peers' JSON lines."""
    dense, rows = ours.get("dense"), []
    if dense:
        half = [line for line in peer if line.get("precision") in ("bf16", "fp16")]
        rows += dense_figures(net, dense, fastest(half, net=net.name))
    for kind, text in SEARCHES.items():
        if ours.get(kind):
            rival = fastest(plain, net=net.name, method="eid")
            rows += search_figures(net, text, ours[kind], dense, rival)
    if ours.get("fp32"):
        rival = fastest(peer, net=net.name, precision="fp32")
        rows.append(time_figure(f"{net.title()} fp32, dense step", ours["fp32"], None, rival))
    return rows


def claim_figures(outcomes):
    """Rows for what the tests that ran prove."""
    rows = []
    for claim, pattern in CLAIMS.items():
        chosen = [passed for name, passed in outcomes.items() if re.search(pattern, name)]
        if chosen:
            verdict = "met" if all(chosen) else "missed"
            found = f"{sum(chosen)} of {len(chosen)} tests pass"
            rows.append(Figure(claim, found, "all", verdict=verdict))
    return rows


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def report(about, figures, stages):
    """The page: figures, then how every stage ended, then where it was measured."""
    text = [
        markdown(["figure", "ours", "target", "peer's fastest", "ratio", ""], figures),
        "",
        markdown(["stage", "outcome"], stages),
        "",
    ]
    text += [f"{key}: {value}" + "  " for key, value in about.items()]
    return "\n".join(text).rstrip() + "\n"
