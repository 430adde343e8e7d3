"""tools/results.py: what docs/results.md shows is what docs/results/*.csv say."""

import csv
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import paired  # noqa: E402
import results  # noqa: E402

HEAD = "member,pattern,seed,val_accuracy,test_accuracy,weight_pct,build\n"
PAGE = "# Results\n\n<!-- results: a against=dense -->\nold\n<!-- end of results -->\n\nThe end.\n"
STUDY = """base = "base.toml"
seeds = [0, 1, 2, 3]
published = "../published/a.csv"
[grid]
"method.pattern" = ["2:4", "2:16"]
"method.tau" = [1, 2]
[[member]]
name = "dense"
drop = ["method"]
grid = false
[[member]]
name = "ours"
set = ["method.name=x"]
[[member]]
name = "one"
set = ["method.pattern=1:4"]
grid = false
"""


class Results(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "docs/results").mkdir(parents=True)
        self.show("a against=dense")
        self.write("dense,,0,91,90,100,b\ndense,,1,92,91,100,b\ndense,,2,90,89,100,b\n"
                   "ours,2:4,0,92,91,50,b\nours,2:4,1,93,92.1,50,b\nours,2:4,2,91,90,50,b\n")

    def write(self, rows):
        (self.root / "docs/results/a.csv").write_text(HEAD + rows)

    def show(self, block):
        (self.root / "docs/results.md").write_text(PAGE.replace("a against=dense", block))

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
        self.assertEqual(paired.verdict(1, 0.9), "better")
        self.assertEqual(paired.verdict(-1, 0.9), "worse")
        self.assertEqual(paired.verdict(-1, 1.1), "not told apart")
        self.assertEqual(paired.verdict(1, None), "one seed")

    def test_quantiles_are_those_of_the_tables(self):
        for freedom, wanted in [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (30, 2.042)]:
            self.assertAlmostEqual(paired.t_quantile_95(freedom), wanted, 3)

    def test_runs_of_different_builds_are_refused(self):
        self.write("dense,,0,91,90,100,b\nours,2:4,0,92,91,50,c\n")
        self.assertEqual(results.main([], self.root), 1)
        self.assertEqual(self.page(), PAGE)

    def test_a_commit_stands_for_a_build_that_was_not_recorded(self):
        (self.root / "docs/results/a.csv").write_text(HEAD.replace("build", "build,commit") +
                                                      "dense,,0,91,90,100,,c0ffee\nours,2:4,0,92,91,50,,c0ffee\n")
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| +1.00 | one seed | 1 |", self.page())
        (self.root / "docs/results/a.csv").write_text(HEAD + "dense,,0,91,90,100,\nours,2:4,0,92,91,50,\n")
        self.assertEqual(results.main([], self.root), 1)

    def test_rows_are_compared_with_several(self):
        self.show("a against=ours,dense")
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| test % | Δ `ours`, 95 % | verdict | Δ `dense`, 95 % | verdict | seeds |\n", self.page())
        self.assertIn("| 91.03 ± 1.05 |  |  | +1.03 ± 0.14 | better | 3 |\n", self.page())

    def test_rows_can_be_left_out(self):
        self.show("a but=our*")
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("`dense`", self.page())
        self.assertNotIn("`ours`", self.page())

    def test_options_that_do_not_exist_are_refused(self):
        self.show("a beside=dense")
        self.assertEqual(results.main([], self.root), 1)

    def test_a_study_adds_what_was_not_run_and_what_was_published(self):
        for file, text in [("studies/a.toml", STUDY), ("studies/base.toml", '[method]\npattern = "2:8"\n'),
                           ("published/a.csv", "member,acc\nours,93.5\n")]:
            (self.root / "configs" / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "configs" / file).write_text(text)
        self.assertEqual(results.study(self.root, "a"),
                         ([("dense", "")] + [(f"ours,tau={tau}", pattern) for pattern in ["2:4", "2:16"] for tau in [1, 2]] + [("one", "1:4")],
                          4, {"ours": "93.5"}))
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| `dense` |  | 100.00 | 91.00 ± 1.00 | 90.00 ± 1.00 |  |  |  | 3 of 4 |\n", self.page())
        self.assertIn("| 91.03 ± 1.05 | +1.03 ± 0.14 | better | 93.5 | 3 of 4 |\n", self.page())
        self.assertIn("| `ours,tau=1` | 2:16 |  |  | not run |  |  |  | 0 of 4 |\n", self.page())
        (self.root / "docs/results/a.csv").unlink()
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| `dense` |  |  |  | not run |  |  |  | 0 of 4 |\n", self.page())

    def test_rows_are_chosen_on_the_mean_of_validation_over_patterns(self):
        self.show("a choose=held")
        self.write("dense,,0,99,90,100,b\n"
                   "held,2:4,0,80,91,50,b\nheld,2:16,0,70,91,50,b\nheld,2:4,1,81,91,50,b\nheld,2:16,1,71,91,50,b\n"
                   "long,2:4,0,84,50,50,b\nlong,2:16,0,70,50,50,b\nlong,2:4,1,86,50,50,b\nlong,2:16,1,70.2,50,50,b\nlong,2:4,2,99,50,50,b\n")
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| row | val %, mean of 2:4 and 2:16 | Δ `held`, 95 % | verdict | seeds |\n|---|---|---|---|---|\n"
                      "| `long` | 77.55 ± 0.78 | +2.05 ± 0.64 | better | 2 |\n"
                      "| `held` | 75.50 ± 0.71 |  |  | 2 |\n<!-- end", self.page())

    def test_targets_are_held_against_the_best_of_several(self):
        self.write("dense,,0,91,92,100,b\ndense,,1,91,92.2,100,b\nbad,2:4,0,90,80,50,b\nbad,2:4,1,90,80,50,b\n"
                   "good,2:4,0,90,91,50,b\ngood,2:4,1,90,91,50,b\nours,2:4,0,92,91.5,50,b\nours,2:4,1,92,92.5,50,b\n")
        self.show("targets")
        (self.root / "docs/results/targets.csv").write_text(
            "table,row,pattern,against,least,interval\na,ours,2:4,bad good,0.9,above 0\na,ours,2:4,bad good,1.5,\na,ours,2:4,dense,-0.2,\n"
            "a,ours,2:4,bad,0.8,above 0\nb,ours,2:4,dense,0,\n")
        self.assertEqual(results.main([], self.root), 0)
        self.assertIn("| a | `ours` | 2:4 | `good` | at least +0.90, interval above 0 | +1.00 ± 6.35 | no: the interval begins at −5.35 | 2 |\n"
                      "| a | `ours` | 2:4 | `good` | at least +1.50 | +1.00 ± 6.35 | no: 0.50 short | 2 |\n"
                      "| a | `ours` | 2:4 | `dense` | at least −0.20 | −0.10 ± 5.08 | by the mean; its interval reaches further down | 2 |\n"
                      "| a | `ours` | 2:4 | `bad` | at least +0.80, interval above 0 | +12.00 ± 6.35 | yes | 2 |\n"
                      "| b | `ours` | 2:4 | `dense` | at least +0.00 | not run |  | 0 |\n", self.page())

    def test_pictures_are_drawn_by_the_commands_of_their_page(self):
        program = self.root / "spikenm"
        program.write_text('#!/bin/sh\nprintf "%s|" "$@" > drawn\n')
        program.chmod(0o755)
        (self.root / "docs/pictures.md").write_text('Text:\n\n    spikenm plot points docs/results/a.csv --title "A b" \\\n'
                                                    "      --log-x -o a.svg\n\n    spikenm plot points runs -o b.svg\n")
        self.assertEqual(results.main(["--pictures", str(program)], self.root), 0)
        self.assertEqual((self.root / "drawn").read_text(), "plot|points|docs/results/a.csv|--title|A b|--log-x|-o|docs/pictures/a.svg|")
        program.write_text("#!/bin/sh\nexit 3\n")
        self.assertEqual(results.main(["--pictures", str(program)], self.root), 1)
        (self.root / "docs/pictures.md").write_text("none\n")
        self.assertEqual(results.main(["--pictures", str(program)], self.root), 1)

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


class Queued(unittest.TestCase):
    """The table "Queued" of docs/results.md."""

    def setUp(self):
        text = (ROOT / "docs/results.md").read_text().split("\n## Queued\n")[1].split("\n## ")[0]
        self.rows = re.findall(r"^\| `(\S+?)\.toml`(.*?) \| (\d+) \| (.+?) \| .+ \|$", text, re.M)

    def test_has_as_many_runs_as_the_files_say(self):
        self.assertGreater(len(self.rows), 10)
        for name, options, runs, _ in self.rows:
            rows, seeds, _ = results.study(ROOT, name)
            given = re.search(r"--seeds ([\d,]+)", options)
            if given:
                seeds = len(given[1].split(",")) if "," in given[1] else int(given[1])
            self.assertEqual(len(rows) * seeds, int(runs), name)

    def test_has_every_study_that_says_it_was_not_run(self):
        studies = {file.stem for file in (ROOT / "configs/studies").glob("*.toml") if re.search(r"^#.*Not run", file.read_text(), re.M)}
        self.assertEqual(studies, {name for name, *_ in self.rows if "/" not in name})


class Published(unittest.TestCase):
    def test_the_figures_beside_table_b_are_those_of_the_papers_table(self):
        paper = {cells["nm"]: cells for cells in csv.DictReader((ROOT / "configs/published/results.csv").read_text().splitlines())
                 if cells["dataset"] == "CIFAR10" and cells["method"] == "SpikeNM"}
        rows, _, published = results.study(ROOT, "table_b")
        self.assertLessEqual({"dense", "default-2x4", "default-2x8", "paper-2x4"}, set(published))
        for member, pattern in rows:
            if member in published:
                figure = float(paper[pattern]["acc"]) if pattern else float(paper["2:4"]["acc"]) - float(paper["2:4"]["delta"])
                self.assertAlmostEqual(float(published[member]), figure, 6, member)


if __name__ == "__main__":
    unittest.main()
