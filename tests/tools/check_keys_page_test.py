"""tools/lint/check_keys_page.py on a small tree."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import check_keys_page as lint  # noqa: E402


class CheckKeysPage(unittest.TestCase):
    def test_a_page_that_differs_is_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("src", "docs", "build"):
                (root / name).mkdir()
            self.assertEqual(lint.check(root), ([], "keys page: not checked, nothing is built"))
            self.assertEqual(lint.check(root, must_be_built=True), (["keys page: not checked, nothing is built"], ""))

            source = root / "src/a.h"
            source.write_text("")
            program = root / "build/spikenm"
            program.write_text("#!/bin/sh\necho $*\n")
            program.chmod(0o755)
            self.assertIn("is stale", lint.check(root)[0][0])
            (root / "docs/keys.md").write_text("keys --markdown\n")
            self.assertEqual(lint.check(root), ([], "keys page: ok"))
            (root / "docs/keys.md").write_text("keys\n")
            self.assertIn("is stale", lint.check(root)[0][0])

            later = program.stat().st_mtime + 10
            os.utime(source, (later, later))
            self.assertEqual(lint.check(root), ([], "keys page: not checked, build/spikenm is older than src/a.h"))


if __name__ == "__main__":
    unittest.main()
