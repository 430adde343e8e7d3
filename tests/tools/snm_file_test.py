"""tools/snm_file.py reads what docs/format.md describes; tools/onnx_compare.py, where onnxruntime is, gives our scores."""

import importlib.util
import pathlib
import struct
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import snm_file  # noqa: E402

GOLDEN = ROOT / "tests/golden/model_v1.snm"
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else None


def rule(n, m, share=1, axis="in", share_taps=False):
    return {"n": n, "m": m, "share": share, "axis": axis, "share_taps": share_taps}


class SnmFile(unittest.TestCase):
    def test_reads_the_example_of_the_format(self):
        values = struct.unpack("4b", bytes.fromhex("40817f40"))
        self.assertEqual(list(snm_file.unpack(values, b"\x0d", rule(2, 4, share=2), [2, 4, 1, 1])),
                         [0, 64, 0, -127, 0, 127, 0, 64])

    def test_zeros_are_bits(self):
        self.assertEqual(list(snm_file.unpack_bits([64, -127, 127, 64], b"\x2a\x02", 10)),
                         [0, 64, 0, -127, 0, 127, 0, 0, 0, 64])

    def test_reads_the_golden_file_with_bits(self):
        model = snm_file.Snm((ROOT / "tests/golden/model_v2.snm").read_bytes())
        weight = model.weight("conv1", [6, 2, 3, 3])
        self.assertEqual(list(weight), [i % 7 - 3 if i % 3 == 0 else 0 for i in range(108)])
        self.assertEqual(len(model.weight("conv2", [6, 6, 3, 3])), 324)

    def test_padding_and_tails_have_their_places(self):
        # One of four kept, at 2; its padding at 0; then a tail of two.
        self.assertEqual(list(snm_file.unpack([7, 0, 8, 9], b"\x02", rule(2, 4), [1, 6, 1, 1])), [0, 0, 7, 0, 8, 9])

    def test_flat_blocks_follow_memory(self):
        self.assertEqual(list(snm_file.unpack([1, 2], b"\x0c", rule(1, 4, axis="flat"), [1, 4, 1, 2])),
                         [1, 0, 0, 0, 0, 0, 0, 2])

    def test_taps_share_a_mask(self):
        # A kernel of two places whose mask keeps channels 1 and 3; the values of the first place come first.
        self.assertEqual(list(snm_file.unpack([1, 2, 3, 4], b"\x0d", rule(2, 4, share_taps=True), [1, 4, 1, 2])),
                         [0, 0, 1, 3, 0, 0, 2, 4])

    def test_reads_the_golden_file(self):
        model = snm_file.Snm(GOLDEN.read_bytes())
        self.assertEqual(model.rule("conv2"), rule(2, 4, share=2, share_taps=True))
        weight = model.weight("conv2", [6, 6, 3, 3])
        kept = [[weight[(out * 6 + channel) * 9] != 0 for channel in range(4)] for out in range(2)]
        self.assertEqual(kept[0], kept[1])
        self.assertLessEqual(sum(kept[0]), 2)
        self.assertEqual(len(model.norm("bn1")[0]), 6)
        self.assertAlmostEqual(model.neuron("fire1")["keep"], 1 - 0.375)
        self.assertEqual(set(model.neuron_mask("fire1", 384)), {0, 1})

    def test_refuses_other_files(self):
        with self.assertRaises(ValueError):
            snm_file.Snm(b"\x89PNG\r\n\x1a\n" + bytes(64))

    @unittest.skipUnless(PROGRAM and all(map(importlib.util.find_spec, ("onnx", "onnxruntime", "numpy"))), "no onnxruntime")
    def test_onnxruntime_gives_our_scores(self):
        for batch in (1, 3):
            found = subprocess.run([sys.executable, str(ROOT / "tools/onnx_compare.py"), str(GOLDEN), "--program", PROGRAM,
                                    "--batch", str(batch), "--rounds", "2"], capture_output=True, text=True)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertIn("same class: True", found.stdout)
            self.assertLess(float(found.stdout.split("at most ")[1].split(";")[0]), 1e-5)


if __name__ == "__main__":
    unittest.main()
