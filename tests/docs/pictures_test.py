"""The pictures of docs/pictures are what the commands of docs/pictures.md make.

pictures_test.py BUILD: the folder with spikenm and spikenm-train.

Pictures of docs/results are made again, to the byte. The others show runs that take a minute to train and differ by
processor: runs on fewer samples must give pictures with the same words, whatever the numbers in them.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from doc_commands import commands  # noqa: E402
from reader import ROOT, with_keys  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop()).resolve()
PICTURES = ROOT / "docs/pictures"
SHOWN = [command for command in commands((ROOT / "docs/pictures.md").read_text()) if not command.inline]
FEW = {"data.train_size": 100, "data.test_size": 40}


def run(words, **more):
    done = subprocess.run([BUILD / "spikenm", *words], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, f"{words}: {done.stderr}"


def words_of(picture):
    """Its texts, with # for each number; those that are only a number are left out."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    return {re.sub(r"\d+(?:\.\d+)?", "#", text) for text in texts if re.search(r"[^\W\d]{2}", text)}


class Pictures(unittest.TestCase):
    def test_pictures_of_results(self):
        ours = [command for command in SHOWN if command.words[3:4] and command.words[3].startswith("docs/results/")]
        self.assertTrue(ours)
        for command in ours:
            name = command.words[-1]
            with tempfile.TemporaryDirectory() as folder:
                made = pathlib.Path(folder) / name
                run([*command.words[1:-1], made], cwd=ROOT)
                self.assertTrue(made.read_text() == (PICTURES / name).read_text(), f"docs/pictures/{name} is stale: {command.text}")

    def test_pictures_of_runs(self):
        ours = [command.words for command in SHOWN if command.words[-1].startswith("docs/pictures/")]
        self.assertEqual(len(ours), 4)
        [sweep] = [command.words for command in SHOWN if command.words[1] == "sweep" and command.words[-1] in ours[0]]
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "configs").symlink_to(ROOT / "configs")
            (folder / "docs/pictures").mkdir(parents=True)
            for words in [with_keys(sweep, FEW), *ours]:
                run(words[1:], cwd=folder)
            for name in (words[-1] for words in ours):
                shown, made = words_of((ROOT / name).read_text()), words_of((folder / name).read_text())
                self.assertGreater(len(shown), 2, name)
                self.assertEqual(shown, made, f"{name} is stale: make it anew by the commands of docs/pictures.md")


if __name__ == "__main__":
    unittest.main()
