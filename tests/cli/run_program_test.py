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


def write_npy(path, shape):
    """An array of ones."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    count = 1
    for size in shape:
        count *= size
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<f", 1) * count)


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
        for part, *arguments in (("cut short", self.path("cut.snm"), "x"), ("version 2", self.path("new.snm"), "x"),
                                 ("damaged", "inspect", self.path("bit.snm")), ("missing.snm", "bench", "missing.snm"),
                                 ("wanted 384", MODEL, self.path("a.npy")), ("no such dataset", MODEL, "--data", "no such dataset")):
            self.assertEqual(self.refuses(1, part, *arguments).count("\n"), 1)
        self.refuses(2, "nothing to run it on", MODEL)
        self.refuses(2, "required")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
