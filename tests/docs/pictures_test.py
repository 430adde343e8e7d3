"""The picture of all methods is what its command in docs/pictures.md makes of docs/results.

pictures_test.py SPIKENM
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "methods.svg"


def command_of(page):
    """The words of the command that writes the picture."""
    text = page.read_text().replace("\\\n", " ")
    [line] = [line for line in text.splitlines() if line.startswith("    spikenm plot") and line.endswith(f"-o {NAME}")]
    return shlex.split(line)


def main():
    words = command_of(ROOT / "docs/pictures.md")
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / NAME
        subprocess.run([sys.argv[1], *words[1:-1], made], cwd=ROOT, check=True)
        assert made.read_text() == (ROOT / "docs/pictures" / NAME).read_text(), (
            f"docs/pictures/{NAME} is stale: in the repository's root, {shlex.join(words[:-1])} docs/pictures/{NAME}")
    print("ok")


if __name__ == "__main__":
    main()
