"""spikenm-run as a user meets it: what it links, prints and refuses. run_program_test.py PROGRAM MODEL IMAGE_MODEL"""
import csv
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

PROGRAM, MODEL, IMAGE_MODEL = sys.argv[1:4]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def write_npy(path, shape, value=1):
    """An array of one value, or of a list of them."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    count = 1
    for size in shape:
        count *= size
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + (
        struct.pack(f"<{count}f", *value) if isinstance(value, list) else struct.pack("<f", value) * count))


def npy_bytes(descr, values):
    """A row of numbers of one type: '<i8', '<u2' or '|u1'."""
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    letter = {"<i8": "q", "<u2": "H", "|u1": "B"}[descr]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}{letter}", *values)


# Events are (t, x, y, ON) with t in microseconds.
def atis(events):
    """40 bits each: x, y, polarity and 23 bits of time."""
    return b"".join(struct.pack(">BI", x, y << 24 | on << 23 | t) for t, x, y, on in events)


def dat(events, side):
    """Prophesee DAT, version 2: lines of text, the event's type and size, then pairs of 32 bits."""
    text = f"% Data file containing CD events.\n% Version 2\n% Width {side}\n% Height {side}\n".encode()
    return text + b"\x0c\x08" + b"".join(struct.pack("<II", t, x | y << 14 | on << 28) for t, x, y, on in events)


def npz(events):
    """The arrays t, x, y and p of an archive, which is packed."""
    columns = list(zip(*events))
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, descr, values in zip("txyp", ("<i8", "<u2", "<u2", "|u1"), columns):
                archive.writestr(name + ".npy", npy_bytes(descr, values))
        file.seek(0)
        return file.read()


def lz4_frame(content):
    """One block, stored as it is."""
    return bytes.fromhex("04224d18604082") + struct.pack("<I", 1 << 31 | len(content)) + content + bytes(4)


def aedat4(events, side, lz4=False):
    """AEDAT 4.0 with one stream of one packet. The FlatBuffers have their tables at fixed places."""
    path = "/outInfo/0/"
    attribute = '<attr key="{}" type="string">{}</attr>'.format
    xml = ('<dv version="2.0"><node name="outInfo" path="/outInfo/">'
           f'<node name="0" path="{path}">{attribute("compression", "LZ4" if lz4 else "NONE")}{attribute("typeIdentifier", "EVTS")}'
           f'<node name="info" path="{path}info/">{attribute("sizeX", side)}{attribute("sizeY", side)}</node></node></node></dv>')
    rows = b"".join(struct.pack("<qHHB3x", t, x, y, on) for t, x, y, on in events)
    body = struct.pack("<I4sHHH2xiII", 16, b"EVTS", 6, 8, 4, 8, 4, len(events)) + rows
    body = struct.pack("<I", len(body)) + body
    body = lz4_frame(body) if lz4 else body
    packet = struct.pack("<ii", 0, len(body)) + body

    def header(table_at):
        content = (struct.pack("<I4sHHHHH2xiiIqI", 20, b"IOHE", 10, 20, 4, 12, 8, 12, int(lz4), 12, table_at, len(xml)) + xml.encode() + b"\0")
        return b"#!AER-DAT4.0\r\n" + struct.pack("<I", len(content)) + content

    return header(len(header(0)) + len(packet)) + packet + b"list of packets"


def png(side, pixels):
    """A picture of rows of RGB bytes."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes(pixels[3 * side * y : 3 * side * (y + 1)]) for y in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def gray_jpeg():
    """8x8 pixels of 128: one block whose coefficients are all 0. Each Huffman table has one code."""
    def segment(mark, content):
        return b"\xff" + bytes([mark]) + struct.pack(">H", len(content) + 2) + content
    one_code = bytes([1] + 15 * [0]) + b"\0"
    return (b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + segment(0xDB, b"\0" + b"\1" * 64)
            + segment(0xC0, b"\x08\0\x08\0\x08\1\1\x11\0") + segment(0xC4, b"\0" + one_code)
            + segment(0xC4, b"\x10" + one_code) + segment(0xDA, b"\1\1\0\0\x3f\0") + b"\x3f" + b"\xff\xd9")


class RunProgram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def test_links_no_torch(self):
        linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertIn("libc.so", linked)
        for name in ("torch", "c10", "cuda", "gomp"):
            self.assertNotIn(name, linked)

    def test_classifies_files(self):
        write_npy(self.path("a.npy"), (3, 2, 8, 8))
        found = run(MODEL, self.path("a.npy"), "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        answer = json.loads(found.stdout)[0]
        self.assertIn(answer["class"], ("cat", "dog"))
        self.assertEqual(len(answer["scores"]), 2)
        self.assertIn(answer["class"], run(MODEL, self.path("a.npy")).stdout)

    def scores(self, model, name):
        found = run(model, self.path(name), "--json")
        self.assertEqual(found.returncode, 0, found.stderr)
        return json.loads(found.stdout)[0]["scores"]

    def test_an_event_file_is_cut_into_frames(self):
        draw = random.Random(1)
        events = [(1000 * i, draw.randrange(8), draw.randrange(8), draw.randrange(2)) for i in range(100)]
        frames = [0] * (3 * 2 * 8 * 8)
        for i, (_, x, y, on) in enumerate(events):  # 33, 33 and 34 of them
            frames[(min(i // 33, 2) * 2 + on) * 64 + y * 8 + x] += 1
        write_npy(self.path("frames.npy"), (3, 2, 8, 8), frames)
        write_npy(self.path("zeros.npy"), (3, 2, 8, 8), 0)
        wanted = self.scores(MODEL, "frames.npy")
        self.assertNotEqual(wanted, self.scores(MODEL, "zeros.npy"))
        for name, content in (("a.bin", atis(events)), ("a.dat", dat(events, 8)), ("a.npz", npz(events)),
                              ("a.aedat4", aedat4(events, 8)), ("b.aedat4", aedat4(events, 8, lz4=True))):
            self.path(name).write_bytes(content)
            self.assertEqual(self.scores(MODEL, name), wanted, name)

    def test_pictures_are_read_by_channel(self):
        draw = random.Random(2)
        pixels = [draw.randrange(256) for _ in range(8 * 8 * 3)]
        self.path("a.png").write_bytes(png(8, pixels))
        write_npy(self.path("a.npy"), (3, 8, 8), [pixels[3 * p + c] for c in range(3) for p in range(64)])
        self.assertEqual(self.scores(IMAGE_MODEL, "a.png"), self.scores(IMAGE_MODEL, "a.npy"))
        self.path("gray.jpg").write_bytes(gray_jpeg())
        write_npy(self.path("gray.npy"), (3, 8, 8), 128)
        self.assertEqual(self.scores(IMAGE_MODEL, "gray.jpg"), self.scores(IMAGE_MODEL, "gray.npy"))
        self.assertNotEqual(self.scores(IMAGE_MODEL, "gray.jpg"), self.scores(IMAGE_MODEL, "a.png"))
        both = run(IMAGE_MODEL, self.path("a.png"), self.path("gray.jpg"))
        self.assertRegex(both.stdout, r"a\.png: (cat|dog) \(.*\)\n.*gray\.jpg: (cat|dog) ")
        self.path("small.png").write_bytes(png(7, pixels))
        self.refuses(1, "found a picture of 7x7, wanted 8x8", IMAGE_MODEL, self.path("small.png"))

    def test_describes_and_times(self):
        layers = json.loads(run("inspect", MODEL, "--json").stdout)["layers"]
        self.assertEqual([layer["layer"] for layer in layers], ["conv1", "conv2", "fc"])
        self.assertEqual(layers[1]["pattern"], "2:4")
        self.assertGreater(json.loads(run("bench", MODEL, "--rounds", 2, "--batch", 3, "--json").stdout)["ms_per_sample"], 0)
        profile = json.loads(run("profile", MODEL, "--rounds", 2, "--json").stdout)
        self.assertTrue(all("reason" in row for row in profile if "kernel" in row))
        text = run("profile", MODEL, "--rounds", 1).stdout
        self.assertIn("events", text)
        self.assertIn(f"2:4 int8, {layers[1]['stored']} of {layers[1]['weights']} weights: ", text)

    def test_several_networks_are_timed_as_rows(self):
        for name in ("a/seed0.snm", "b,c.snm"):
            self.path(name).parent.mkdir(exist_ok=True)
            self.path(name).write_bytes(pathlib.Path(MODEL).read_bytes())
        write_npy(self.path("in.npy"), (3, 2, 8, 8))
        both = [self.path("a/seed0.snm"), self.path("in.npy"), self.path("b,c.snm")]
        found = run("bench", *both, "--rounds", 2, "--csv")
        self.assertEqual(found.returncode, 0, found.stderr)
        rows = list(csv.reader(found.stdout.splitlines()))
        self.assertEqual(rows[0], ["run", "milliseconds"])
        self.assertEqual([row[0] for row in rows[1:]], [str(self.path("a/seed0")), str(self.path("b,c"))])
        self.assertTrue(all(float(row[1]) > 0 for row in rows[1:]))
        self.assertEqual([row["model"] for row in json.loads(run("bench", *both, "--rounds", 1, "--json").stdout)], [str(both[0]), str(both[2])])
        self.assertEqual(run("bench", *both, "--rounds", 1).stdout.count("ms a sample"), 2)
        self.refuses(2, "found two files to run on", "bench", *both, self.path("other.npy"))
        self.refuses(2, "found --json and --csv", "bench", MODEL, "--json", "--csv")

    def test_pictures_are_known_by_their_content(self):
        for begin in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"):
            self.path("a").write_bytes(begin)
            self.assertIn("a: found a picture, wanted events", run(MODEL, self.path("a")).stderr)

    def test_every_level_gives_the_same(self):
        write_npy(self.path("a.npy"), (3, 2, 8, 8))
        best = json.loads(run("bench", MODEL, "--rounds", 1, "--json").stdout)["isa"]
        levels = ("ref", "avx2", "avx512")
        answers = set()
        for level in levels[: levels.index(best) + 1]:
            environment = {**os.environ, "SPIKENM_ISA": level}
            found = subprocess.run([PROGRAM, MODEL, str(self.path("a.npy")), "--json"], capture_output=True, text=True,
                                   env=environment)
            self.assertEqual(found.returncode, 0, found.stderr)
            answers.add(found.stdout)
        self.assertEqual(len(answers), 1)

    def refuses(self, code, part, *arguments):
        found = run(*arguments)
        self.assertEqual(found.returncode, code, found.stderr)
        self.assertIn(part, found.stderr)
        return found.stderr

    def test_refuses_in_one_sentence(self):
        whole = pathlib.Path(MODEL).read_bytes()
        self.path("cut.snm").write_bytes(whole[:1000])
        self.path("new.snm").write_bytes(whole[:8] + b"\x03" + whole[9:])
        self.path("bit.snm").write_bytes(whole[:2200] + bytes([whole[2200] ^ 1]) + whole[2201:])
        write_npy(self.path("a.npy"), (1, 2, 8, 8))
        write_npy(self.path("last.npy"), (3, 8, 8, 2))  # channels last: as many values
        write_npy(self.path("nan.npy"), (3, 2, 8, 8), float("nan"))
        for name in ("huge.npy", "huge.snm"):
            with open(self.path(name), "wb") as file:
                file.truncate(1 << 42)  # no blocks are taken
        for part, *arguments in (("cut short", self.path("cut.snm"), "x"), ("version 3", self.path("new.snm"), "x"),
                                 ("damaged", "inspect", self.path("bit.snm")), ("missing.snm", "bench", "missing.snm"),
                                 ("found an array of 1x2x8x8, wanted 3x2x8x8", MODEL, self.path("a.npy")),
                                 ("wanted 3x2x8x8", MODEL, self.path("last.npy")), ("finite", MODEL, self.path("nan.npy")),
                                 ("huge.npy: found a file of", MODEL, self.path("huge.npy")),
                                 ("huge.snm: found a file of", "inspect", self.path("huge.snm")),
                                 ("no such dataset", MODEL, "--data", "no such dataset")):
            self.assertEqual(self.refuses(1, part, *arguments).count("\n"), 1)
        self.refuses(2, "nothing to run it on", MODEL)
        self.refuses(2, "required", "bench")
        self.refuses(2, "excludes", MODEL, self.path("a.npy"), "--data", "n-mnist")
        self.refuses(2, "requires --data", MODEL, self.path("a.npy"), "--root", "x")
        self.refuses(2, "not expected", "inspect", MODEL, self.path("a.npy"))

    def test_help_teaches(self):
        whole = run()
        self.assertEqual((whole.returncode, whole.stderr), (0, ""))
        self.assertEqual(whole.stdout, run("--help").stdout)
        for command in ("bench", "inspect", "profile"):
            self.assertIn(f"spikenm-run {command} MODEL", whole.stdout)
            self.assertIn(f"Usage: spikenm-run {command}", run(command, "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
