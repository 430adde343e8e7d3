"""spikenm-run as a user meets it: what it links, prints and refuses. run_program_test.py PROGRAM MODEL"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MODEL = sys.argv[1], sys.argv[2]


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def write_npy(path, shape, value=1):
    """An array of one value."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    count = 1
    for size in shape:
        count *= size
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<f", value) * count)


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

    def test_describes_and_times(self):
        layers = json.loads(run("inspect", MODEL, "--json").stdout)["layers"]
        self.assertEqual([layer["layer"] for layer in layers], ["conv1", "conv2", "fc"])
        self.assertEqual(layers[1]["pattern"], "2:4")
        self.assertGreater(json.loads(run("bench", MODEL, "--rounds", 2, "--batch", 3, "--json").stdout)["ms_per_sample"], 0)
        profile = json.loads(run("profile", MODEL, "--rounds", 2, "--json").stdout)
        self.assertTrue(all("reason" in row for row in profile if "kernel" in row))
        self.assertIn("events", run("profile", MODEL).stdout)

    def test_pictures_are_known_by_their_content(self):
        for begin in (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0"):
            self.path("a").write_bytes(begin)
            self.assertIn("a: found a picture, wanted events", run(MODEL, self.path("a")).stderr)

    def test_every_level_gives_the_same(self):
        write_npy(self.path("a.npy"), (3, 2, 8, 8))
        answers = {subprocess.run([PROGRAM, MODEL, str(self.path("a.npy")), "--json"], capture_output=True, text=True,
                                  env={"SPIKENM_ISA": level}).stdout for level in ("ref", "")}
        self.assertEqual(len(answers), 1)

    def refuses(self, code, part, *arguments):
        found = run(*arguments)
        self.assertEqual(found.returncode, code, found.stderr)
        self.assertIn(part, found.stderr)
        return found.stderr

    def test_refuses_in_one_sentence(self):
        whole = pathlib.Path(MODEL).read_bytes()
        self.path("cut.snm").write_bytes(whole[:1000])
        self.path("new.snm").write_bytes(whole[:8] + b"\x02" + whole[9:])
        self.path("bit.snm").write_bytes(whole[:2200] + bytes([whole[2200] ^ 1]) + whole[2201:])
        write_npy(self.path("a.npy"), (1, 2, 8, 8))
        write_npy(self.path("last.npy"), (3, 8, 8, 2))  # channels last: as many values
        write_npy(self.path("nan.npy"), (3, 2, 8, 8), float("nan"))
        for name in ("huge.npy", "huge.snm"):
            with open(self.path(name), "wb") as file:
                file.truncate(1 << 42)  # no blocks are taken
        for part, *arguments in (("cut short", self.path("cut.snm"), "x"), ("version 2", self.path("new.snm"), "x"),
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
