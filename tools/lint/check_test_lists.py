"""Fails when a file of tests/ is named by no CMakeLists.txt: a test that is never built never fails.

Looks at .cpp and .py files. A CMakeLists.txt names a file by its path relative to itself; comments do not count.

    check_test_lists.py [ROOT]
"""
import pathlib
import re
import sys


def words_of(cmake_lists):
    text = re.sub(r"#.*", "", cmake_lists.read_text())
    return set(re.findall(r"[\w./+-]+\.(?:cpp|py)\b", text.replace("${CMAKE_CURRENT_SOURCE_DIR}/", " ")))


def unlisted(tests):
    """Files below `tests` that no list names, and how many are named."""
    listed = {
        (cmake_lists.parent / word).resolve()
        for cmake_lists in tests.rglob("CMakeLists.txt")
        for word in words_of(cmake_lists)
    }
    files = sorted(path.resolve() for path in tests.rglob("*") if path.suffix in {".cpp", ".py"})
    return [path for path in files if path not in listed], len(files)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    missing, n = unlisted(root / "tests")
    for path in missing:
        print(f"{path.relative_to(root)}: no CMakeLists.txt of tests/ names it, so it is never built")
    if not missing:
        print(f"test lists: {n} files, ok")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
