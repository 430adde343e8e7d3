"""tools/lint/check_test_lists.py on small trees."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import check_test_lists as lint  # noqa: E402


class CheckTestLists(unittest.TestCase):
    def unlisted(self, lists, files):
        """Files that no list names; `lists` is {CMakeLists.txt: text}."""
        with tempfile.TemporaryDirectory() as folder:
            tests = pathlib.Path(folder).resolve()
            for path, text in {**lists, **dict.fromkeys(files, "")}.items():
                (tests / path).parent.mkdir(parents=True, exist_ok=True)
                (tests / path).write_text(text)
            return [str(path.relative_to(tests)) for path in lint.unlisted(tests)[0]]

    def test_every_file_of_the_project_is_listed(self):
        self.assertEqual(lint.unlisted(ROOT / "tests")[0], [])

    def test_a_file_that_no_list_names_is_found(self):
        lists = {"CMakeLists.txt": "add(a SOURCES a/one_test.cpp\n  a/two_test.cpp)"}
        files = ["a/one_test.cpp", "a/two_test.cpp", "a/three_test.cpp", "b/one_test.cpp", "a/x.h"]
        self.assertEqual(self.unlisted(lists, files), ["a/three_test.cpp", "b/one_test.cpp"])

    def test_a_name_that_only_ends_alike_does_not_count(self):
        lists = {"CMakeLists.txt": "add(a b/a_test.cpp aa_test.cpp)"}
        self.assertEqual(self.unlisted(lists, ["a_test.cpp"]), ["a_test.cpp"])

    def test_a_comment_does_not_count(self):
        lists = {"CMakeLists.txt": "# a_test.cpp\nadd(b_test.py) # c_test.cpp"}
        files = ["a_test.cpp", "b_test.py", "c_test.cpp"]
        self.assertEqual(self.unlisted(lists, files), ["a_test.cpp", "c_test.cpp"])

    def test_folders_may_have_lists_of_their_own(self):
        lists = {"p/CMakeLists.txt": "add(x ${CMAKE_CURRENT_SOURCE_DIR}/main.cpp)"}
        self.assertEqual(self.unlisted(lists, ["p/main.cpp", "main.cpp"]), ["main.cpp"])


if __name__ == "__main__":
    unittest.main()
