"""Reads a .snm file by docs/format.md alone, in plain Python: its graph, its description and its weights. Sums are not checked."""

import array
import json
import math
import struct

MAGIC = b"\x89SNM\r\n\x1a\n"


def floats(data):
    return array.array("f", data)


def bits_of(data, width):
    """Numbers of `width` bits, lowest bit first."""
    window, held = 0, 0
    for byte in data:
        window |= byte << held
        held += 8
        while held >= width > 0:
            yield window & ((1 << width) - 1)
            window >>= width
            held -= width


def blocks_of(rule, shape):
    """(masks, blocks, stride): for each mask the elements where its blocks begin, in the order of the file."""
    cout, cin, kh, kw = shape
    taps, m, share = kh * kw, rule["m"], rule["share"]
    per_channel = cin * taps
    if rule["axis"] == "flat":
        whole = cout * per_channel
        if share == 1:
            return [[b * m] for b in range(whole // m)], 1
        return [[c * per_channel + b * m for c in range(group, min(group + share, cout))]
                for group in range(0, cout, share) for b in range(per_channel // m)], 1
    masks = []
    for group in range(0, cout, share):
        channels = range(group, min(group + share, cout))
        for places in [range(taps)] if rule["share_taps"] else [[tap] for tap in range(taps)]:
            for b in range(cin // m):
                masks.append([c * per_channel + b * m * taps + tap for c in channels for tap in places])
    return masks, taps


def unpack(values, positions, rule, shape):
    """The weight in memory order. `values`: numbers in the order of the file; `positions`: the bytes of WPOS."""
    size = math.prod(shape)
    if rule is None:
        return array.array("f", values)
    n, m = rule["n"], rule["m"]
    masks, stride = blocks_of(rule, shape)
    weight, in_block = array.array("f", bytes(4 * size)), bytearray(size)
    width = (m - 1).bit_length()
    numbers = bits_of(positions, width) if width else iter([0] * (n * len(masks)))
    slot = 0
    for starts in masks:
        kept, last = [], -1
        for _ in range(n):
            position = next(numbers)
            kept.append(position if position > last else None)  # None: padding
            last = max(last, position)
        for start in starts:
            for position in kept:
                if position is not None:
                    weight[start + position * stride] = values[slot]
                slot += 1
            for s in range(m):
                in_block[start + s * stride] = 1
    for i in range(size):
        if not in_block[i]:
            weight[i] = values[slot]
            slot += 1
    return weight


def unpack_bits(values, bits, size):
    """The weight in memory order. `bits`: the bytes of WBIT, 1 where a value is not 0."""
    weight, rest = array.array("f", bytes(4 * size)), iter(values)
    for i, bit in zip(range(size), bits_of(bits, 1)):
        if bit:
            weight[i] = next(rest)
    return weight


class Snm:
    """graph: nodes as dictionaries, the first is the input. Weights, norms and neuron masks come by the name of their node."""

    def __init__(self, data):
        if data[:8] != MAGIC or struct.unpack_from("<I", data, 8)[0] not in (1, 2):
            raise ValueError("found no .snm file of version 1 or 2")
        self.sections = {}
        for i in range(struct.unpack_from("<I", data, 12)[0]):
            kind, node, offset, size, _, _ = struct.unpack_from("<4sIQQII", data, 24 + 32 * i)
            self.sections[kind.decode(), node] = data[offset:offset + size]
        self.graph = json.loads(self.sections["GRPH", 0])
        self.meta = json.loads(self.sections["META", 0])
        self.nodes = [{"name": "input", "op": "input", "inputs": []}] + self.graph["node"]
        self.index = {node["name"]: i for i, node in enumerate(self.nodes)}

    def section(self, kind, name):
        return self.sections.get((kind, self.index[name]))

    def rule(self, name):
        """How a synapse is packed, or None where it is whole."""
        stored = self.meta["weights"][name]
        if "pattern" not in stored:
            return None
        n, m = map(int, stored["pattern"].split(":"))
        return {"n": n, "m": m, "share": stored.get("share", 1), "axis": stored.get("axis", "in"),
                "share_taps": stored.get("share_taps", False)}

    def weight(self, name, shape):
        """[cout,cin,kh,kw] as floats in memory order."""
        raw = self.section("WVAL", name)
        is_int8 = self.meta["weights"][name]["type"] == "int8"
        values = array.array("b", raw) if is_int8 else floats(raw)
        bits = self.section("WBIT", name)
        if bits is None:
            weight = unpack(values, self.section("WPOS", name) or b"", self.rule(name), shape)
        else:
            weight = unpack_bits(values, bits, math.prod(shape))
        if is_int8:
            scale, per_channel = floats(self.section("WSCL", name)), len(weight) // shape[0]
            for i in range(len(weight)):
                weight[i] *= scale[i // per_channel]
        return weight

    def bias(self, name):
        raw = self.section("BIAS", name)
        return None if raw is None else floats(raw)

    def norm(self, name):
        """(scale, shift) of each channel."""
        both = floats(self.section("NORM", name))
        return both[:len(both) // 2], both[len(both) // 2:]

    def neuron_mask(self, name, size):
        """0 or 1 for each neuron, or None where all are kept."""
        raw = self.section("NMSK", name)
        return None if raw is None else [raw[i // 8] >> i % 8 & 1 for i in range(size)]

    def neuron(self, name):
        """v = keep * v + gain * x + pull; it fires at the threshold and goes to `reset`, or down by it."""
        node = self.nodes[self.index[name]]
        kind, soft = node["kind"], node["reset"] == "soft"
        if kind not in ("if", "lif", "plif"):
            raise ValueError(f"{name}: found neurons '{kind}', wanted if, lif or plif")
        rest = 0.0 if soft else node["v_reset"]
        leak = self.meta["neurons"].get(name, {}).get("leak", 1 / node["tau"]) if kind != "if" else 0.0
        gain = leak if kind != "if" and node["decay_input"] else 1.0
        return {"keep": 1 - leak, "gain": gain, "pull": leak * rest, "rest": rest, "threshold": node["threshold"],
                "soft": soft, "reset": node["v_reset"]}
