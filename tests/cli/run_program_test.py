"""spikenm-run as a user meets it: what it links, prints and refuses. run_program_test.py PROGRAM MODEL IMAGE_MODEL"""
import csv
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data_files import aedat4, atis, dat, gray_jpeg, npy, npz, png  # noqa: E402

PROGRAM, MODEL, IMAGE_MODEL = sys.argv[1:4]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def write_npy(path, shape, value=1):
    """An array of one value, or of a list of them."""
    path.write_bytes(npy("<f4", shape, value if isinstance(value, list) else [value] * math.prod(shape)))


class RunProgram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return pathlib.Path(self.folder.name) / name

    def test_links_no_torch(self):
        lines = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()
        linked = " ".join(line.split()[0] for line in lines)  # an address may read like a name
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
