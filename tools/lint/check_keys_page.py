"""Fails when docs/keys.md is not what the declarations of keys say.

It asks build/spikenm, which needs no torch. Where that is missing or older than a source it says so, which is an error
with --built.

    check_keys_page.py [--built] [ROOT]
"""
import pathlib
import subprocess
import sys


def excuse(root, program):
    """Why the page cannot be checked now; empty if it can."""
    if not program.exists():
        return "nothing is built"
    built = program.stat().st_mtime
    sources = [*(root / "src").rglob("*.h"), *(root / "src").rglob("*.cpp"), root / "apps/spikenm/cmd_keys.cpp"]
    newer = [path for path in sources if path.exists() and path.stat().st_mtime > built]
    return f"build/spikenm is older than {newer[0].relative_to(root)}" if newer else ""


def check(root, must_be_built=False):
    """(errors, what to say when there are none)."""
    program = root / "build/spikenm"
    why = excuse(root, program)
    if why:
        said = f"keys page: not checked, {why}"
        return ([said], "") if must_be_built else ([], said)
    made = subprocess.run([program, "keys", "--markdown"], capture_output=True, text=True, check=True).stdout
    page = root / "docs/keys.md"
    if not page.exists() or page.read_text() != made:
        return ["docs/keys.md is stale: build/spikenm keys --markdown > docs/keys.md"], ""
    return [], "keys page: ok"


def main():
    arguments = [word for word in sys.argv[1:] if word != "--built"]
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parents[2]).resolve()
    errors, fine = check(root, "--built" in sys.argv)
    print("\n".join(errors) if errors else fine)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
