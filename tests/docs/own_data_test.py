"""Own pictures and own recordings, a folder for each class, train an own network: what own_data.md and own_network.md promise together.

own_data_test.py BUILD: the folder with spikenm and spikenm-train.
"""
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from reader import PER_CLASS, Reader  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop()).resolve()


class OwnData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.reader = Reader(BUILD, pathlib.Path(folder.name))

    def spikenm(self, *words):
        code, said = self.reader.run(["spikenm", *words])
        self.assertEqual(code, 0, said)
        return list(self.reader.printed.values())[-1]

    def train_own_network(self, data, root, frame, classes):
        """A network written out, one number in it changed, trained, measured and drawn."""
        folder = self.reader.folder
        self.spikenm("inspect", "--frame", f"{frame}x{len(classes)}", "--set", "model.name=small_conv", "model.width=4", "--graph", "net.toml")
        net = folder / "net.toml"
        net.write_text(edited := re.sub(r"\bout = 4\b", "out = 6", net.read_text(), count=1))
        self.assertIn("out = 6", edited)
        sizes = ["model.T=2", "train.epochs=2", "train.batch_size=20"]
        self.spikenm("train", f"data.name={data}", f"data.root={root}", "model.file=net.toml", *sizes, "--out", "run")
        self.assertRegex(self.spikenm("inspect", "run"), rf"\b6x{frame[0]}x3x3\b")
        trained = (folder / "run/graph.toml").read_text()
        self.assertIn(f"classes = {json.dumps(classes)}".replace(" ", ""), trained.replace(" ", ""))
        self.assertIn("accuracy", self.spikenm("eval", "run"))
        confusion = json.loads((folder / "run/result.json").read_text())["test_confusion"]
        self.assertEqual([sum(row) for row in confusion], [PER_CLASS // 10] * len(classes))
        self.spikenm("plot", "confusion", "run", "-o", "confusion.svg")
        drawn = (folder / "confusion.svg").read_text()
        for name in classes:
            self.assertEqual(drawn.count(f">{name}<"), 2, "once along each axis")

    def test_pictures(self):
        self.train_own_network("image-folder", "pets", "3x32x32", ["cat", "dog"])

    def test_recordings(self):
        self.train_own_network("event-folder", "signs", "2x34x34", ["go", "stop"])


if __name__ == "__main__":
    unittest.main()
