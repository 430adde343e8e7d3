"""From a trained run to a file that spikenm-run measures. export_program_test.py SPIKENM SPIKENM_RUN"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, RUN_PROGRAM = map(os.path.abspath, sys.argv[1:3])
TINY = ("data.train_size=200", "data.test_size=40", "model.width=4", "model.T=3", "train.epochs=2", "train.search_epochs=1",
        "train.batch_size=20", "method.name=random", "method.pattern=2:4", "threads=1")


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

    def test_the_file_says_where_it_comes_from(self):
        self.run_program(PROGRAM, "export", "run", "-o", "p.snm")
        origin = json.loads(self.run_program(RUN_PROGRAM, "inspect", "p.snm", "--json"))["provenance"]
        self.assertEqual(origin["seed"], 0)
        self.assertRegex(origin["config_crc32c"], "^[0-9a-f]{8}$")
        self.assertRegex(origin["commit"], r"^([0-9a-f]{40}\+?|unknown)$")
        self.assertIn("test_accuracy", origin)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
