"""tools/lint/check_writes.py on small trees."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))
import check_writes as lint  # noqa: E402


class CheckWrites(unittest.TestCase):
    def errors(self, files):
        """What is wrong in a tree of {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder).resolve()
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return lint.check(root)

    def lines(self, text, path="src/spikenm/train/a.cpp"):
        """Numbers of the lines that are wrong in one file."""
        return [int(error.split(":")[1]) for error in self.errors({path: text})]

    def test_the_project_writes_in_one_place(self):
        self.assertEqual(lint.check(ROOT), [])

    def test_every_way_to_open_for_writing_is_found(self):
        for way in ("std::ofstream out(path);", "std::fstream both(path);", "ofstream out;", "std::filebuf buffer;",
                    "std::basic_ofstream<char> out;", 'FILE* f = std::fopen(path, "w");', "fopen64(path, how);",
                    "::creat(path, 0644);", "mkstemp(name);", "::open(path, O_WRONLY);", "::open(path, kHow, 0644);",
                    "::open(path, O_RDONLY | O_CREAT, 0644);", "openat(folder, name, O_RDWR);", "::open64(path, how);",
                    "torch::save(tensor, path);"):
            self.assertEqual(self.lines(way + "\n"), [1], way)

    def test_renames_cuts_and_folders_are_found(self):
        for way in ("fs::rename(a, b);", "::rename(a, b);", "std::rename(a, b);", "renameat2(a, b, c, d, 0);",
                    "std::filesystem::create_directories(path);", "fs::create_directory(path);", "::mkdir(path, 0777);",
                    "fs::resize_file(path, 3);", "::ftruncate(file, 3);", "fs::copy_file(a, b);"):
            self.assertEqual(self.lines(way + "\n"), [1], way)

    def test_reading_is_no_writing(self):
        text = '''#include <fstream>
std::ifstream in(path);
int file = ::open(path, O_RDONLY | O_CLOEXEC);
int other = ::open(path,
                   O_RDONLY);
auto dataset = DatasetOptions::open(config);  open(path);  set.open(path);
'''
        self.assertEqual(self.lines(text), [])

    def test_arguments_on_several_lines_belong_to_the_call(self):
        text = "int a = ::open(name(b),\n    O_WRONLY);  // O_RDONLY\nint c = f(O_RDONLY);\n"
        self.assertEqual(self.lines(text), [1])

    def test_comments_and_strings_do_not_count(self):
        self.assertEqual(self.lines('// std::ofstream\nconst char* a = "fopen(x)";\n/* ::mkdir( */\n'), [])

    def test_core_file_is_the_home_and_some_have_leave(self):
        write = "std::ofstream out(path);\n"
        self.assertEqual(self.lines(write, "src/spikenm/core/file.cpp"), [])
        self.assertEqual(self.lines(2 * write, "src/spikenm/sweep/jobs.cpp"), [])
        self.assertEqual(self.lines(3 * write, "src/spikenm/sweep/jobs.cpp"), [1, 2, 3])
        self.assertEqual(self.errors({"apps/spikenm/a.cpp": write}),
                         ["apps/spikenm/a.cpp:1: writes by itself; core/file.h is there for it"])


if __name__ == "__main__":
    unittest.main()
