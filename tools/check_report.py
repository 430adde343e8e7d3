"""Opens a report in headless Chromium and checks what it shows: the text after rendering, and a screenshot in light and dark.

    check_report.py REPORT.html FOLDER     screenshots are left in FOLDER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

BASE = ["chromium", "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"]
WANTED = ["Results", "Learning curves", "Masks", "Firing rates", "Confusion", "Spikes", "Runs and what produced them",
          "test acc %", "kept share of each layer", "training loss"]


def chromium(*words):
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run([*BASE, f"--user-data-dir={home}", *words], capture_output=True, text=True, timeout=120, check=True)


def png_size(file):
    head = file.read_bytes()[:24]
    if head[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"check_report: {file}: found no PNG")
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def main(report, folder):
    page = pathlib.Path(report).resolve()
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    dom = chromium("--dump-dom", page.as_uri()).stdout
    text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", dom, flags=re.DOTALL)
    missing = [word for word in WANTED if word not in text]
    if missing:
        sys.exit(f"check_report: {page}: the rendered page lacks {', '.join(missing)}")
    if re.search(r'(?:src|href)="(?!#|data:)', dom):
        sys.exit(f"check_report: {page}: loads something")
    for name, more in {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}.items():
        shot = folder / f"report_{name}.png"
        shot.unlink(missing_ok=True)
        chromium(f"--screenshot={shot}", "--window-size=1280,4200", *more, page.as_uri())
        if png_size(shot) != (1280, 4200) or shot.stat().st_size < 50_000:
            sys.exit(f"check_report: {shot}: found {png_size(shot)} and {shot.stat().st_size} bytes, wanted a full page")
    print("check_report: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
