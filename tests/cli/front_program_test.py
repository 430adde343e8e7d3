"""spikenm itself: answers without torch, and hands over to spikenm-train for the commands that need it.

front_program_test.py PROGRAM: with spikenm-train beside it.
"""
import fcntl
import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
KINDS = "models methods presets neurons surrogates losses optimizers schedules transforms datasets phases".split()


def run(*words, program=PROGRAM, **more):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=120, **more)
    return done.returncode, done.stdout, done.stderr


def one_run(folder, seed):
    """A finished run as small as one can be."""
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'seed = {seed}\n[method]\nname = "dense"\n')
    (folder / "result.json").write_text(json.dumps({"method": "dense", "seed": seed, "test_accuracy": 90 + seed}))
    (folder / "metrics.jsonl").write_text("".join(json.dumps({"epoch": epoch, "phase": "search", "loss": 1 / epoch}) + "\n" for epoch in range(1, 21)))


def processor_seconds(words, folder):
    """Of a program that ends well."""
    child = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    assert child.returncode == 0, said
    return used.ru_utime + used.ru_stime


def until(terminal, drawn, part):
    """What was drawn, with what follows until it has the part behind what there was."""
    seen = len(drawn)
    while part not in drawn[seen:]:
        drawn += os.read(terminal, 4096).decode(errors="replace")
    return drawn


class FrontProgram(unittest.TestCase):
    def test_links_no_torch(self):
        lines = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout.splitlines()
        libraries = " ".join(line.split()[0] for line in lines)  # an address may read like a name
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

    def test_answers_at_once(self):
        """Without its training part, in 50 ms of a processor: what loads torch takes several times as long. The best of ten, other work may stand between."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            alone = folder / "spikenm"
            shutil.copy(PROGRAM, alone)
            for seed in (0, 1):
                one_run(folder / f"runs/{seed}", seed)
            recording = ROOT / "fuzz/corpus/event_file/aedat4"
            for words in (["--help"], ["list"], ["keys"], ["table", "runs"], ["plot", "runs", "-o", "curves.svg"], ["report", "runs", "--no-spikes", "-o", "r.html"],
                          ["watch", "runs/0", "--once"], ["data", "events", recording]):
                best = min(processor_seconds([alone, *words], folder) for _ in range(10))
                print(f"{1000 * best:5.1f} ms  {words[0]}")
                self.assertLess(best, 0.05, words)

    def test_watch_redraws_within_the_terminal_until_the_run_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            run_folder = pathlib.Path(folder) / "run"
            one_run(run_folder, 0)
            result = (run_folder / "result.json").read_text()
            (run_folder / "result.json").unlink()
            with open(run_folder / "metrics.jsonl", "a") as lines:
                lines.write(json.dumps({"epoch": 21, "phase": "search", "loss": 0.04, **{f"number{i}": i for i in range(20)}}) + "\n")
            try:
                near, far = pty.openpty()
            except OSError as error:
                self.skipTest(f"no terminal to be had: {error}")
            fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 8, 60, 0, 0))
            watch = subprocess.Popen([PROGRAM, "watch", run_folder, "--every", "0.1"], stdout=subprocess.PIPE, stderr=far, text=True)
            os.close(far)
            drawn = until(near, "", "21 epochs have ended")
            drawn = until(near, drawn, " more\r\n")
            with open(run_folder / "metrics.jsonl", "a") as lines:
                lines.write(json.dumps({"epoch": 22, "phase": "search", "loss": 0.03}) + "\n")
            drawn = until(near, until(near, drawn, "22 epochs have ended"), " more\r\n")
            (run_folder / "result.json").write_text(result)
            out, _ = watch.communicate(timeout=60)
            self.assertEqual(watch.returncode, 0)
            self.assertIn("finished, test accuracy 90.00 %", out)
            self.assertIn("number19", out)
            screens = [screen for screen in drawn.split("\x1b[H\x1b[J") if screen.endswith(" more\r\n")]
            self.assertGreaterEqual(len(screens), 2)
            for screen in screens:
                lines = screen.replace("\r", "").splitlines()
                self.assertEqual(len(lines), 7, screen)
                self.assertLessEqual(max(map(len, lines)), 60, screen)
                self.assertRegex(lines[1], r"^loss +0\.0")
                self.assertRegex(lines[6], r"^… 1\d more$")

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
