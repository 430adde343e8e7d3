"""spikenm itself: answers without torch, and hands over to spikenm-train for the commands that need it.

front_program_test.py PROGRAM: with spikenm-train beside it.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
KINDS = "models methods presets neurons surrogates losses optimizers schedules transforms datasets phases".split()


def run(*words, program=PROGRAM, **more):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr


class FrontProgram(unittest.TestCase):
    def test_links_no_torch(self):
        libraries = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        for name in ("torch", "c10", "cuda", "gomp"):
            self.assertNotIn(name, libraries)

    def test_lists_every_kind_of_name(self):
        code, out, err = run("list")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([line.split()[0] for line in out.splitlines()], KINDS)
        for kind in KINDS:
            code, out, err = run("list", kind)
            self.assertEqual((code, err), (0, ""), kind)
            names = [line.split()[0] for line in out.splitlines()]
            self.assertEqual(names, [row["name"] for row in json.loads(run("list", kind, "--json")[1])])
        self.assertEqual(run("list", "modles")[::2], (2, "spikenm: list: found 'modles', wanted one of " + ", ".join(KINDS) + " (nearest: models)\n"))

    def test_keys_by_section_name_and_reader(self):
        for word, wanted in (("train", "  lr = 0.001"), ("train.lr", "learning rate at the start"), ("rewire", "  fraction = 0.3"), ("top", "  seed = 0"), ("cifar10", "root")):
            code, out, err = run("keys", word)
            self.assertEqual((code, err), (0, ""), word)
            self.assertIn(wanted, out)
        code, out, err = run("keys", "lrr")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("found 'lrr'", err)
        self.assertIn("(nearest: lr)", err)
        keys = json.loads(run("keys", "--json")[1])
        self.assertIn("train.lr", [key["key"] for key in keys])

    def test_the_page_of_keys_is_what_the_declarations_say(self):
        page = (ROOT / "docs/keys.md").read_text()
        self.assertEqual(page, run("keys", "--markdown")[1], "stale: build/spikenm keys --markdown > docs/keys.md")

    def test_an_unknown_key_points_to_the_list(self):
        code, _, err = run("train", "--dry-run", "train.lrr=1")
        self.assertEqual(code, 1)
        self.assertIn("the nearest is train.lr ('spikenm keys train' shows all)", err)

    def test_help_names_the_commands_of_both(self):
        code, out, err = run("--help")
        self.assertEqual((code, err), (0, ""))
        for command in ("train", "sweep", "demo", "table", "data", "list", "keys"):
            self.assertIn(f"\n  {command} ", out)
        self.assertIn("--config", run("train", "--help")[1])

    def test_a_missing_training_part_is_one_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder) / "bin/spikenm"
            alone.parent.mkdir()
            shutil.copy(PROGRAM, alone)
            code, out, err = run("train", "--dry-run", program=alone)
            self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)
            self.assertIn("spikenm: train: needs torch, and found no spikenm-train (", err)
            self.assertEqual(run("list", "models", program=alone)[0], 0)

            installed = pathlib.Path(folder) / "libexec/spikenm/spikenm-train"
            installed.parent.mkdir(parents=True)
            installed.write_text("#!/bin/sh\necho \"$@\"; exit 3\n")
            code, out, err = run("train", "a b", "--x", program=alone)
            self.assertEqual(code, 1)
            self.assertIn("spikenm-train: cannot be started: Permission denied", err)
            installed.chmod(0o755)
            self.assertEqual(run("train", "a b", "--x", program=alone), (3, "train a b --x\n", ""))

    def test_the_process_stays_the_same_one(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = pathlib.Path(folder) / "spikenm"
            shutil.copy(PROGRAM, alone)
            part = pathlib.Path(folder) / "spikenm-train"
            part.write_text("#!/bin/sh\necho $$\n")
            part.chmod(0o755)
            child = subprocess.Popen([alone, "eval"], stdout=subprocess.PIPE, text=True)
            out, _ = child.communicate(timeout=60)
            self.assertEqual(int(out), child.pid)


if __name__ == "__main__":
    os.chdir(tempfile.gettempdir())
    unittest.main()
