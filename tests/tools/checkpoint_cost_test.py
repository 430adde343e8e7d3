"""tools/checkpoint_cost.py with a program of our own in place of spikenm."""

import contextlib
import io
import json
import pathlib
import stat
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import checkpoint_cost  # noqa: E402

# Takes 100 s in the first pair and 50 s in the second, 1 % and 3 % more with checkpoints; keeps the order of the runs.
# Checkpoints come every checkpoints.every_minutes, the last argument; one wait more is that for the best model.
PROGRAM = """#!{python}
import json, pathlib, sys
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
if "broken=1" in sys.argv:
    sys.exit("spikenm: broken: found 1")
first, saves = out.name.startswith("0"), "checkpoints.every_minutes=0" not in sys.argv
seconds = (100 if first else 50) * ((1.01 if first else 1.03) if saves else 1)
minutes = float(sys.argv[-1].partition("=")[2])
checkpoints = int(seconds / 60 / minutes) if saves else 0
out.mkdir()
result = {{
    "phase_seconds": {{"search": seconds - 10, "finetune": 10}}, "tensorboard_seconds": 0.5,
    "checkpoint_waits": {{"count": checkpoints + 1, "checkpoints": checkpoints, "seconds": 0.5, "longest": 0.25, "longest_copy": 0.125,
                          "worst": {{"step": 3}}, "rehearsals": 0.2, "slowest_step_beside": 0.03, "slowest_step_alone": 0.02}}}}
if "old=1" in sys.argv:
    del result["checkpoint_waits"]["slowest_step_beside"]
(out / "result.json").write_text(json.dumps(result))
(out.parent.parent / "order").open("a").write(out.name + " " + " ".join(sys.argv[1:4]) + " " + " ".join(sys.argv[7:]) + "\\n")
"""


class CheckpointCost(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = self.folder / "spikenm"
        self.program.write_text(PROGRAM.format(python=sys.executable))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)

    def run_tool(self, *more):
        out, err = io.StringIO(), io.StringIO()
        words = ["--program", str(self.program), "--config", "c.toml", "--out", str(self.folder / "out"), *more]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = checkpoint_cost.main(words)
        return code, out.getvalue(), err.getvalue()

    def test_pairs_are_compared_in_turning_order(self):
        code, out, err = self.run_tool("--pairs", "2", "--every-minutes", "0.4", "threads=2")
        self.assertEqual((code, err), (0, ""))
        order = (self.folder / "order").read_text().splitlines()
        self.assertEqual([line.split()[0] for line in order], ["0-with", "0-without", "1-without", "1-with"])
        self.assertEqual(order[0], "0-with train --quiet --config threads=2 checkpoints.every_minutes=0.4")
        lines = [" ".join(line.split()) for line in out.splitlines()]
        for line in ("phases with checkpoints, s 76.25 (51.5 to 101)", "more time with them, % 2 (1 to 3)", "checkpoints 3 (2 to 4)",
                     "waits, for the best models too 4 (3 to 5)", "slowest step beside a file, s 0.03", "slowest step without a file, s 0.02",
                     "TensorBoard's share of the phases, % 0.75 (0.5 to 1)"):
            self.assertIn(line, lines)
        self.assertEqual(len(json.loads((self.folder / "out/cost.json").read_text())), 2)

    def test_a_run_that_fails_is_named_with_what_it_said(self):
        code, out, err = self.run_tool("broken=1")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("0-with: the run ended with 1: spikenm: broken: found 1", err)

    def test_runs_too_short_for_a_checkpoint_measure_nothing(self):
        code, out, err = self.run_tool("--every-minutes", "2")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("0-with: found no checkpoint in 101 s of training, wanted longer training", err)
        self.assertEqual(len((self.folder / "order").read_text().splitlines()), 1)  # said at once

    def test_a_number_that_is_missing_is_named_with_its_file(self):
        code, _, err = self.run_tool("--every-minutes", "0.4", "old=1")
        self.assertEqual(code, 1)
        self.assertIn("0-with/result.json: found no 'slowest_step_beside'", err)

    def test_a_folder_with_files_is_left_alone(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/mine").write_text("mine")
        code, _, err = self.run_tool()
        self.assertEqual(code, 1)
        self.assertIn("found files", err)
        self.assertFalse((self.folder / "order").exists())


if __name__ == "__main__":
    unittest.main()
