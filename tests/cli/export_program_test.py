"""From a trained run to a file that spikenm-run measures. export_program_test.py SPIKENM SPIKENM_RUN"""
import json
import os
import pathlib
import random
import runpy
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data_files import atis  # noqa: E402

PROGRAM, RUN_PROGRAM = map(os.path.abspath, sys.argv[1:3])
TIME_RUNS = pathlib.Path(__file__).resolve().parents[2] / "tools" / "time_runs.py"
TINY = ("data.train_size=200", "data.test_size=40", "model.width=4", "model.T=3", "train.epochs=2", "train.search_epochs=1",
        "train.batch_size=20", "method.name=random", "method.pattern=2:4", "threads=1")


def write_n_mnist(root):
    """Recordings of ten digits, 40 bits an event: each digit is a bar at a place of its own."""
    draw = random.Random(1)
    for part, count in (("Train", 6), ("Test", 3)):
        for digit in range(10):
            folder = root / part / str(digit)
            folder.mkdir(parents=True)
            for number in range(count):
                events = [(1000 * i, 3 * digit + draw.randrange(4), draw.randrange(34), draw.randrange(2)) for i in range(300)]
                (folder / f"{number:05}.bin").write_bytes(atis(events))


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.run_program(PROGRAM, "train", *TINY, "--out", "run")

    @classmethod
    def run_program(cls, *command):
        found = subprocess.run(command, cwd=cls.folder.name, capture_output=True, text=True, timeout=120)
        if found.returncode != 0:
            raise AssertionError(f"{command}: {found.stderr}")
        return found.stdout

    def test_verify_compares_with_training(self):
        for dtype in ("fp32", "int8"):
            text = self.run_program(PROGRAM, "export", "run", "-o", "m.snm", "--dtype", dtype, "--verify", "40")
            self.assertRegex(text, r"^m\.snm: \d+ bytes, 1/[\d.]+ of \d+ floats\n40 samples: [\d.]+ % equal labels, "
                                   r"[\d.]+ % with every spike equal \(\d+ of \d+ spikes differ\); "
                                   r"accuracy [\d.]+ % in training, [\d.]+ % here\n")
            found = json.loads(self.run_program(PROGRAM, "export", "run", "-o", "m.snm", "--dtype", dtype, "--verify", "40",
                                                "--json"))
            verify = found["verify"]
            self.assertEqual((found["dtype"], verify["samples"]), (dtype, 40))
            self.assertGreater(verify["spikes"], 0)
            if dtype == "fp32":
                self.assertGreaterEqual(verify["equal_labels_pct"], 99.5)
                self.assertEqual(verify["samples_far_from_threshold"], 0)
            self.assertIn(f"accuracy {verify['trainer_accuracy']:.2f} % in training, {verify['runtime_accuracy']:.2f} % here", text)
            with open(os.path.join(self.folder.name, "run/result.json")) as file:
                self.assertAlmostEqual(verify["trainer_accuracy"], json.load(file)["test_accuracy"], places=3)

            # The same accuracy by the program that has no torch, on the same samples.
            data = (RUN_PROGRAM, "m.snm", "--data", "moving-shapes", "--set", "train_size=200", "--set", "test_size=40")
            measured = json.loads(self.run_program(*data, "--json"))
            self.assertEqual((measured["samples"], measured["accuracy"]), (40, verify["runtime_accuracy"]))
            text = self.run_program(*data, "--limit", "10")
            self.assertRegex(text, r"^moving-shapes: [\d.]+ % of 10 samples, [\d.]+ ms each\n$")

    def test_the_program_measures_recordings_in_a_folder(self):
        write_n_mnist(pathlib.Path(self.folder.name) / "n-mnist")
        data = ("--data", "n-mnist", "--root", "n-mnist")
        self.run_program(PROGRAM, "train", "data.name=n-mnist", "data.root=n-mnist", "data.cache=off", "data.val_fraction=0",
                         "model.name=mlp", "model.hidden=[32]", "model.T=4", "method.name=random", "method.pattern=2:4",
                         "train.epochs=12", "train.search_epochs=1", "train.batch_size=10", "train.lr=0.01", "threads=1",
                         "--out", "digits")
        for dtype in ("fp32", "int8"):
            exported = json.loads(self.run_program(PROGRAM, "export", "digits", "-o", "digits.snm", "--dtype", dtype,
                                                   "--verify", "30", "--json"))
            measured = json.loads(self.run_program(RUN_PROGRAM, "digits.snm", *data, "--json"))
            self.assertEqual((measured["samples"], measured["accuracy"]), (30, exported["verify"]["runtime_accuracy"]))
            self.assertGreater(measured["accuracy"], 50)  # a tenth are right by chance
        self.assertRegex(self.run_program(RUN_PROGRAM, "digits.snm", *data), r"^n-mnist: [\d.]+ % of 30 samples, ")
        one = json.loads(self.run_program(RUN_PROGRAM, "digits.snm", "n-mnist/Test/7/00001.bin", "--json"))[0]
        self.assertEqual(len(one["scores"]), 10)
        found = subprocess.run((RUN_PROGRAM, "digits.snm", "--data", "n-mnist", "--root", "run"), cwd=self.folder.name,
                               capture_output=True, text=True)
        self.assertEqual(found.returncode, 1)
        self.assertIn("run: found no folder Test; n-mnist is read from", found.stderr)

    def test_runs_are_timed_for_a_plot(self):
        def time_runs(*arguments):
            return subprocess.run((sys.executable, TIME_RUNS, *arguments, "--programs", os.path.dirname(PROGRAM), "--limit", "5",
                                   "--rounds", "2"), cwd=self.folder.name, capture_output=True, text=True)

        found = time_runs("run", "-o", "ms.csv")
        self.assertEqual(found.returncode, 0, found.stderr)
        header, row = (pathlib.Path(self.folder.name) / "ms.csv").read_text().splitlines()
        self.assertEqual((header, row.split(",")[0]), ("run,milliseconds", "run"))
        self.assertGreater(float(row.split(",")[1]), 0)
        options = runpy.run_path(str(TIME_RUNS))["data_of"](pathlib.Path(self.folder.name) / "run", None)
        self.assertIn("test_size=40", options)  # the run's own samples
        self.run_program(PROGRAM, "plot", "points", "run", "--with", "ms.csv", "--x", "milliseconds", "-o", "ms.svg")
        self.assertIn("milliseconds of a sample", (pathlib.Path(self.folder.name) / "ms.svg").read_text())
        os.symlink("run", pathlib.Path(self.folder.name) / "linked")
        self.assertEqual(time_runs("linked", "-o", "linked.csv").returncode, 0)
        self.run_program(PROGRAM, "plot", "points", "linked", "--with", "linked.csv", "--x", "milliseconds", "-o", "linked.svg")
        for wrong, sentence in (("nowhere", "nowhere: found no folder, wanted runs"), ("ms.csv", "ms.csv: found no folder")):
            found = time_runs(wrong, "-o", "never.csv")
            self.assertEqual((found.returncode, found.stderr.count("\n")), (1, 1))
            self.assertIn(f"time_runs: {sentence}", found.stderr)

    def test_the_file_says_where_it_comes_from(self):
        self.run_program(PROGRAM, "export", "run", "-o", "p.snm")
        origin = json.loads(self.run_program(RUN_PROGRAM, "inspect", "p.snm", "--json"))["provenance"]
        self.assertEqual(origin["seed"], 0)
        self.assertRegex(origin["config_crc32c"], "^[0-9a-f]{8}$")
        self.assertRegex(origin["commit"], r"^([0-9a-f]{40}\+?|unknown)$")
        self.assertIn("test_accuracy", origin)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
