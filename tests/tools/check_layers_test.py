"""tools/lint/check_layers.py on small trees."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import check_layers as lint  # noqa: E402


class CheckLayers(unittest.TestCase):
    def errors(self, files):
        """What is wrong in a tree of {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return lint.check(root)

    def test_the_project_keeps_its_layers(self):
        self.assertEqual(lint.check(ROOT), [])

    def test_a_layer_includes_only_what_is_below(self):
        found = self.errors({
            "src/spikenm/nm/a.h": '#include "spikenm/core/b.h"\n#include "spikenm/nm/c.h"\n',
            "src/spikenm/nm/d.h": '\n  #  include <spikenm/ops/e.h>\n',
            "src/spikenm/nn/f.h": '#include "spikenm/data/g.h"\n',
        })
        self.assertEqual(found, ["src/spikenm/nm/d.h:2: nm must not include ops",
                                 "src/spikenm/nn/f.h:1: nn must not include data"])

    def test_nn_does_not_ask_for_the_device(self):
        found = self.errors({"src/spikenm/nn/a.cpp": "// is_cuda()\nif (x.is_cuda()) run();\n",
                             "src/spikenm/train/b.cpp": "if (x.is_cuda()) run();\n"})
        self.assertEqual(found, ["src/spikenm/nn/a.cpp:2: nn must not ask for the device, which is what ops does"])

    def test_report_sees_core_and_nm_alone(self):
        found = self.errors({"src/spikenm/report/a.cpp": '#include "spikenm/nm/b.h"\n#include "spikenm/graph/c.h"\n'})
        self.assertEqual(found, ["src/spikenm/report/a.cpp:2: report must not include graph"])

    def test_torch_stays_out_of_the_run_stack(self):
        text = "#include <ATen/ATen.h>\n"
        found = self.errors({"src/spikenm/data/a.h": text, "src/spikenm/ops/a.h": text})
        self.assertEqual(found, ["src/spikenm/data/a.h:1: data is torch-free"])

    def test_above_ops_nobody_includes_a_kernel(self):
        text = '#include "spikenm/kernels/pool.h"\n'
        found = self.errors({"src/spikenm/ops/a.cpp": text, "src/spikenm/train/a.cpp": text, "apps/spikenm/a.cpp": text})
        self.assertEqual(found, ["apps/spikenm/a.cpp:1: apps must not include kernels",
                                 "src/spikenm/train/a.cpp:1: train must not include kernels"])

    def test_above_ops_nobody_names_a_kernel(self):
        text = "int a = 1;\nusing kernels::Pool;\nauto b = kernels :: f();\nusing namespace spikenm::kernels;\n"
        what = "sparsity must not name kernels, which only ops may call"
        found = self.errors({"src/spikenm/ops/a.cpp": text, "src/spikenm/kernels/a.cpp": text,
                             "src/spikenm/sparsity/a.cpp": text})
        self.assertEqual(found, [f"src/spikenm/sparsity/a.cpp:{line}: {what}" for line in (2, 3, 4)])

    def test_another_name_for_the_namespace_of_kernels_names_it(self):
        for text in ("namespace k = spikenm::kernels;", "namespace k=kernels ;", "namespace k =\n    spikenm::kernels;",
                     "namespace k =\n    kernels;", "using namespace spikenm :: kernels;", "namespace spikenm::kernels {}"):
            self.assertEqual(len(self.errors({"src/spikenm/train/a.cpp": text})), 1, text)

    def test_a_namespace_before_a_word_that_is_kernels_does_not_count(self):
        text = "namespace spikenm::train {\nint kernels = 2;\n}\nusing namespace std;\nint f(int kernels);\n"
        self.assertEqual(self.errors({"src/spikenm/train/a.cpp": text}), [])

    def test_comments_strings_and_longer_names_do_not_count(self):
        text = '''// kernels::a
/* b
   kernels::c */ int d;
const char* e = "kernels::f \\" kernels::g";
int h = my_kernels::i, kernels = 2;  // kernels::j
'''
        self.assertEqual(self.errors({"src/spikenm/metrics/a.h": text}), [])

    def test_a_comment_in_a_string_hides_nothing(self):
        text = 'f("http://x", kernels::a);\n'
        self.assertEqual(len(self.errors({"apps/a.cpp": text})), 1)

    def test_a_folder_that_is_no_layer_is_told(self):
        found = self.errors({"src/spikenm/odd/a.h": ""})
        self.assertEqual(found, ["src/spikenm/odd/a.h: layer 'odd' is not in the table of check_layers.py"])


if __name__ == "__main__":
    unittest.main()
