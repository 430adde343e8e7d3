"""tools/method_costs.py: what docs/methods.md shows is what docs/results/method_costs.csv says."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import method_costs  # noqa: E402


class MethodCosts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs/results").mkdir(parents=True)
        (self.root / "docs/methods.md").write_text("a\n<!-- method costs -->\nold\n<!-- end of method costs -->\nb\n")
        (self.root / "docs/results/method_costs.csv").write_text(",".join(method_costs.COLUMNS) + "\n")

    def bench(self, method, ms, gb):
        file = self.root / f"{method}.json"
        file.write_text(json.dumps({"method": method, "model": "6conv2fc", "T": 8, "batch": 64, "device": "cuda:0",
                                    "precision": "bf16", "step": {"median_ms": ms}, "peak_memory_gb": gb}))
        return str(file)

    def page(self):
        return (self.root / "docs/methods.md").read_text()

    def test_without_rows_it_says_so(self):
        self.assertEqual(method_costs.main(["--check"], self.root), 1)
        self.assertEqual(method_costs.main([], self.root), 0)
        self.assertIn("-->\nNot measured yet.\n<!--", self.page())
        self.assertEqual(method_costs.main(["--check"], self.root), 0)

    def test_rows_are_compared_with_the_dense_step(self):
        files = [self.bench("dense", 10, 2), self.bench("stds", 11.5, 3)]
        self.assertEqual(method_costs.main(["--take", "abc", *files], self.root), 0)
        self.assertIn("| `dense` | 6conv2fc, 8, 64, cuda:0, bf16 | 10.00 |  | 2.00 |  | abc |", self.page())
        self.assertIn("| `stds` | 6conv2fc, 8, 64, cuda:0, bf16 | 11.50 | +15 % | 3.00 | +50 % | abc |", self.page())
        self.assertEqual(method_costs.main(["--take", "abc", self.bench("stds", 12, 3)], self.root), 0)
        self.assertEqual(self.page().count("`stds`"), 1)
        self.assertIn("+20 %", self.page())

    def test_one_file_may_have_all_methods(self):
        steps = [json.loads(pathlib.Path(self.bench(*row)).read_text()) for row in (("dense", 10, 2), ("nsl", 9, None))]
        file = self.root / "all.json"
        file.write_text(json.dumps({"methods": steps}))
        self.assertEqual(method_costs.main(["--take", "abc", str(file)], self.root), 0)
        self.assertIn("| `nsl` | 6conv2fc, 8, 64, cuda:0, bf16 | 9.00 | −10 % |  |  | abc |", self.page())

    def test_a_row_without_its_dense_step_is_refused(self):
        before = self.page()
        self.assertEqual(method_costs.main(["--take", "abc", self.bench("esl", 12, 3)], self.root), 1)
        self.assertEqual(self.page(), before)

    def test_the_page_is_what_the_file_gives(self):
        self.assertEqual(method_costs.main(["--check"]), 0)


if __name__ == "__main__":
    unittest.main()
