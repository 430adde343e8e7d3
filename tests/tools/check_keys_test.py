"""tools/lint/check_keys.py on small sources."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import check_keys as lint  # noqa: E402


class CheckKeys(unittest.TestCase):
    def test_the_project_reads_declarations(self):
        self.assertEqual(lint.check(ROOT), [])

    def test_reads_by_name_are_found(self):
        for read in [
            'config.get_int("width", 64, 1, 4096)',
            'config.get("name", "lif")',
            'config.get<bool>("bias", true)',
            'config.section("data").get_real("mixup", 0, 0)',
            'data->get_path("file")',
            "config.get<std::vector<double>>(key, fallback)",
            "method.get_choice(key.name, fallback, names)",
            'config.get_int(\n    "search_epochs", 3, 0)',
            'method.get_table("layer_pattern")',
        ]:
            self.assertEqual(lint.direct_reads(f"int x;\nauto y = {read};\n"), [2], read)

    def test_other_gets_are_none(self):
        for other in [
            "kWidth.read(config)",
            "pointer.get()",
            "json.get<double>()",
            'batch.get("data")',
            "header.get<int32_t>(0, 0)",
            'table.get<int64_t>("stride", 1)',
            '// config.get_int("width", 64)',
            '/* config.get("a",\n "b") */',
            "std::get<0>(pair)",
        ]:
            self.assertEqual(lint.direct_reads(other), [], other)

    def test_core_may_and_others_are_named_with_their_line(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for path in ["src/spikenm/core/key.h", "src/spikenm/train/recipe.cpp", "tests/a_test.cpp"]:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text('\nconfig.get("a", 1);\n')
            errors = lint.check(root)
            self.assertEqual(len(errors), 1)
            self.assertTrue(errors[0].startswith("src/spikenm/train/recipe.cpp:2: "), errors)


if __name__ == "__main__":
    unittest.main()
