"""tools/measure_gpu with programs of our own in place of the built ones: no GPU is needed."""

import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "measure_gpu"
PROGRAM = """#!{python}
import json, sys
options = dict(zip(sys.argv[3::2], sys.argv[4::2]))
if options["--model"] == "vggsnn":
    sys.exit("vggsnn: found no GPU")
ms = 11.0 if "spikenm" in sys.argv else 9.0
print("some words first")
print(json.dumps({{"step": {{"median_ms": ms, "spread_ms": 0.1}}, "peak_memory_gb": 1.5,
                   "arguments": sys.argv[1:], "versions": {{"torch": "2.11.0"}}}}, indent=2))
"""
TESTS = """#!{python}
print("[       OK ] CudaDraw.A (1 ms)\\n[==========] 1 test from 1 test suite ran. (1 ms total)")
"""
SMI = """#!{python}
print("NVIDIA H200, 580.1")
"""


class MeasureGpu(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "tests").mkdir()
        self.write("spikenm", PROGRAM)
        self.write("tests/cuda_tests", TESTS)
        self.write("tests/train_cuda_tests", TESTS)
        self.write("nvidia-smi", SMI)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text.format(python=sys.executable))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def measure(self, *options):
        out = self.folder / "out"
        environment = {
            **os.environ,
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [
                sys.executable,
                TOOL,
                "--program",
                self.folder / "spikenm",
                "--out",
                out,
                "--quick",
                "--skip-peer",
                *options,
            ],
            capture_output=True,
            text=True,
            env=environment,
            timeout=120,
        )
        self.assertEqual(done.stdout, (out / "table.md").read_text(), done.stderr)
        return done, json.loads((out / "results.json").read_text())

    def test_all_goes_well(self):
        done, results = self.measure("--nets", "6conv2fc", "sew_resnet18")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(
            "| 6conv2fc T8 B64 bf16, dense step | 9.00 ms (spread 0.10) | ≤ 9.3 ms | – | – | met |",
            done.stdout,
        )
        self.assertIn("| cuda_tests | 1 of 1 tests pass", done.stdout)
        self.assertEqual(results["about"]["device"], "NVIDIA H200")
        self.assertEqual(results["about"]["driver"], "580.1")
        self.assertIn("--skip-peer", results["about"]["command"])
        search = " ".join(results["ours"]["6conv2fc"]["search"][0]["arguments"])
        self.assertTrue(
            search.startswith(
                "bench step --model 6conv2fc --T 8 --batch 64 --device cuda --precision bf16"
            )
        )
        self.assertIn("--method spikenm --pattern 2:4", search)

    def test_a_failing_stage_is_told_and_the_rest_is_measured(self):
        done, results = self.measure("--nets", "vggsnn", "6conv2fc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| vggsnn dense | failed: exit 1: vggsnn: found no GPU |", done.stdout)
        self.assertIn("| 6conv2fc T8 B64 bf16, dense step | 9.00 ms", done.stdout)
        self.assertEqual(results["ours"]["vggsnn"], {})

    def test_a_failing_or_crashing_test_program_is_told(self):
        self.write(
            "tests/cuda_tests",
            "#!{python}\nprint('[  FAILED  ] CudaDraw.A (1 ms)')\nraise SystemExit(1)\n",
        )
        (self.folder / "tests" / "train_cuda_tests").unlink()
        done, results = self.measure("--nets", "6conv2fc")
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 of 1 tests pass, 0 s, not CudaDraw.A; failed: exit 1", done.stdout)
        self.assertIn("| train_cuda_tests | 0 of 0 tests pass, 0 s; failed: ", done.stdout)
        self.assertEqual(results["tests"], {"CudaDraw.A": False})

    def test_the_sanitizer_must_find_nothing(self):
        sanitizer = (
            "#!{python}\nimport subprocess, sys\nsubprocess.run(sys.argv[3:])\n"
            "print('========= ERROR SUMMARY: %d errors' % (sys.argv[2] == 'racecheck'))\n"
        )
        self.write("compute-sanitizer", sanitizer)
        done, _ = self.measure("--nets", "sew_resnet18", "--skip-tests", "--sanitize")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| memcheck cuda_tests | 0 errors in 1 tests |", done.stdout)
        self.assertIn("| racecheck train_cuda_tests | 1 errors in 1 tests; failed: ", done.stdout)


if __name__ == "__main__":
    unittest.main()
