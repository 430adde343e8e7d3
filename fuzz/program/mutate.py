"""Small damages to files, drawn from a seeded random.Random: in bytes, in text, and inside packed files."""
import gzip
import io
import json
import struct
import zipfile

NUMBERS = ["0", "-1", "1", "2147483648", "9223372036854775807", "18446744073709551616", "1e308", "-1e-308", "nan",
           "inf", "0x7fffffff", "4096", "65537", "1000000", '""', "[]", "{}", "true", '"\x1b[31m"', "'~'"]
TEXTS = [b"\x00", b"\x1b[2J", b"\xff\xfe", b"[" * 300, b"{a=" * 300, b"a." * 300, b"\n[[x]]\n", b"\n", b"\r\n", b"#",
         b'"', b"'''", b"\xc3", b"extends = 'base.toml'\n", b"../../../etc/passwd", b"=", b",", b" " * 1000]


def place(random, data):
    return random.randrange(len(data) + 1)


def overwrite(random, data):
    value = random.choice([0, 1, 127, 128, 255, 256, 32767, 65535, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63 - 1,
                           2**64 - 1, random.getrandbits(64)])
    width = random.choice([1, 2, 4, 8])
    raw = (value % 2 ** (8 * width)).to_bytes(width, random.choice(["little", "big"]))
    at = place(random, data)
    return data[:at] + raw + data[at + width:]


def flip(random, data):
    at = random.randrange(len(data)) if data else 0
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:] if data else data


def cut(random, data):
    return data[:place(random, data)]


def drop(random, data):
    at = place(random, data)
    return data[:at] + data[at + random.randrange(1, 64):]


def repeat(random, data):
    at, n = place(random, data), random.randrange(1, 64)
    return data[:at] + data[at:at + n] * random.choice([2, 3, 50]) + data[at + n:]


def insert(random, data):
    at = place(random, data)
    return data[:at] + random.randbytes(random.randrange(1, 32)) + data[at:]


BYTE_DAMAGES = [overwrite, overwrite, flip, flip, cut, drop, repeat, insert]


def change_number(random, data):
    """Another value where a digit stands."""
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return data
    at = random.choice(places)
    end = at
    while end < len(data) and (48 <= data[end] <= 57 or data[end] in b".e-+"):
        end += 1
    return data[:at] + random.choice(NUMBERS).encode() + data[end:]


def move_lines(random, data):
    lines = data.split(b"\n")
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a] = random.choice([lines[b], b"", lines[b] + lines[a]])
    return b"\n".join(lines)


def insert_text(random, data):
    at = place(random, data)
    return data[:at] + random.choice(TEXTS) + data[at:]


TEXT_DAMAGES = [change_number, change_number, move_lines, insert_text, flip, cut, drop, repeat]


def damage(random, data, damages):
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        data = random.choice(damages)(random, data)
    return data


def damage_zip(random, data):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = random.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, damage(random, content, BYTE_DAMAGES) if name == chosen else content)
    return out.getvalue()


def damage_safetensors(random, data):
    """Keeps the header's length true, and mostly leaves the checksums out, so that what it says is read."""
    size = struct.unpack("<Q", data[:8])[0]
    table = json.loads(data[8:8 + size])
    if random.random() < 0.9:
        for key in ("crc32c", "crc32c.tensors"):
            table["__metadata__"].pop(key, None)
    header = json.dumps(table).encode()
    if random.random() < 0.5:  # the config in the metadata, as JSON text
        key = random.choice(sorted(table["__metadata__"]))
        text = table["__metadata__"][key].encode()
        table["__metadata__"][key] = damage(random, text, TEXT_DAMAGES).decode("latin1")
        header = json.dumps(table).encode()
    else:
        header = damage(random, header, TEXT_DAMAGES)
    return struct.pack("<Q", len(header)) + header + data[8 + size:]


def mutate(random, data):
    """One damaged copy of `data`, whatever kind of file it is."""
    inside = random.random() < 0.6
    if inside and data.startswith(b"\x1f\x8b"):
        return gzip.compress(damage(random, gzip.decompress(data), BYTE_DAMAGES), 1)
    if inside and data.startswith(b"PK\x03\x04"):
        return damage_zip(random, data)
    if inside and data[8:9] == b"{":
        return damage_safetensors(random, data)
    is_text = all(byte >= 32 or byte in b"\t\r\n" for byte in data[:4096])
    return damage(random, data, TEXT_DAMAGES if is_text else BYTE_DAMAGES)
