"""tools/results.py: what docs/results.md shows is what docs/results/*.csv say."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import results  # noqa: E402

HEAD = "member,pattern,seed,val_accuracy,test_accuracy,weight_pct,build\n"
PAGE = "# Results\n\n<!-- results: a against=dense -->\nold\n<!-- end of results -->\n\nThe end.\n"


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs/results").mkdir(parents=True)
        (self.root / "docs/results.md").write_text(PAGE)
        self.write("dense,,0,91,90,100,b\ndense,,1,92,91,100,b\ndense,,2,90,89,100,b\n"
                   "ours,2:4,0,92,91,50,b\nours,2:4,1,93,92.1,50,b\nours,2:4,2,91,90,50,b\n")

    def write(self, rows):
        (self.root / "docs/results/a.csv").write_text(HEAD + rows)

    def page(self):
        return (self.root / "docs/results.md").read_text()

    def test_the_page_is_what_the_files_give(self):
        self.assertEqual(results.main(["--check"]), 0)

    def test_a_table_has_means_paired_differences_and_verdicts(self):
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| `dense` |  | 100.00 | 91.00 ± 1.00 | 90.00 ± 1.00 |  |  | 3 |\n", self.page())
        self.assertIn("| `ours` | 2:4 | 50.00 | 92.00 ± 1.00 | 91.03 ± 1.05 | +1.03 ± 0.14 | better | 3 |\n", self.page())
        self.assertTrue(self.page().endswith("<!-- end of results -->\n\nThe end.\n"))
        self.assertNotIn("old", self.page())
        self.assertEqual(results.main(["--check"], self.root), 0)

    def test_a_stale_page_is_found(self):
        self.assertEqual(results.main(["--check"], self.root), 1)
        self.assertIn("old", self.page())

    def test_verdicts_need_the_whole_interval_on_one_side(self):
        self.assertEqual(results.verdict(1, 0.9), "better")
        self.assertEqual(results.verdict(-1, 0.9), "worse")
        self.assertEqual(results.verdict(-1, 1.1), "not told apart")
        self.assertEqual(results.verdict(1, None), "one seed")

    def test_quantiles_are_those_of_the_tables(self):
        for freedom, wanted in [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042)]:
            self.assertAlmostEqual(results.t_quantile_95(freedom), wanted, 3)

    def test_runs_of_different_builds_are_refused(self):
        self.write("dense,,0,91,90,100,b\nours,2:4,0,92,91,50,c\n")
        self.assertEqual(results.main([], self.root), 1)
        self.assertEqual(self.page(), PAGE)

    def test_a_row_that_is_not_there_is_refused(self):
        self.write("ours,2:4,0,92,91,50,c\n")
        self.assertEqual(results.main([], self.root), 1)

    def test_a_sweeps_results_are_taken(self):
        sweep = self.root / "results.csv"
        sweep.write_text('member,seed,method.name,method.pattern,config_md5,build,test_accuracy,val_accuracy,weight_pct,seconds\n'
                         'dense,0,dense,,aa,0123456789abcdef,90.123,91,100,30.4\n'
                         '"ours,pattern=2:4",0,,2:4,bb,0123456789abcdef,91,92,50,31\n')
        (self.root / "docs/results/a.csv").unlink()
        self.assertEqual(results.main(["--take", str(sweep), "a", "c0ffee"], self.root), 0)
        text = (self.root / "docs/results/a.csv").read_text()
        self.assertIn("ours,2:4,0,92.00,91.00,,50.00,,,31,bb,0123456789ab,c0ffee\n", text)
        self.assertIn("| `ours` | 2:4 | 50.00 | 92.00 | 91.00 | +0.88 | one seed | 1 |\n", self.page())

    def test_runs_of_another_sweep_are_added_and_the_same_run_is_replaced(self):
        sweep = self.root / "results.csv"
        head = "member,seed,method.pattern,config_md5,build,test_accuracy,val_accuracy,weight_pct\n"
        sweep.write_text(head + "dense,10,,aa,x,90,91,100\ndense,9,,aa,x,89,90,100\n")
        self.assertEqual(results.main(["--take", str(sweep), "b", "c0ffee"], self.root), 0)
        sweep.write_text(head + "dense,9,,aa,y,88,90,100\ndense,11,,aa,y,87,90,100\n")
        self.assertEqual(results.main(["--take", str(sweep), "b", "decade"], self.root), 0)
        rows = (self.root / "docs/results/b.csv").read_text().splitlines()[1:]
        self.assertEqual([row.split(",")[2] + ":" + row.split(",")[4] for row in rows], ["9:88.00", "10:90.00", "11:87.00"])

    def test_other_arguments_are_refused(self):
        self.assertEqual(results.main(["--tables"], self.root), 1)


if __name__ == "__main__":
    unittest.main()
