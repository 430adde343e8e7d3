"""Opens a report in headless Chromium and checks what it shows: the text after rendering, a screenshot in light and dark, its table after a
click on a heading, and what it prints.

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


# Sorts the table by its accuracies, then opens the page as print does; leaves what came of it in the page.
CLICKS = """<script>
const heads = [...document.querySelectorAll("table.sortable th")];
const column = heads.findIndex(head => head.textContent.includes("test acc"));
heads[column].querySelector("button").click();
const cells = [...document.querySelectorAll("table.sortable tbody tr")].map(row => parseFloat(row.cells[column].textContent));
dispatchEvent(new Event("beforeprint"));
document.body.dataset.sorted = cells.join(" ");
document.body.dataset.folded_parts = document.querySelectorAll("details:not([open])").length;
dispatchEvent(new Event("afterprint"));
document.body.dataset.open_parts = document.querySelectorAll("details[open]").length;
</script>"""


def chromium(*words):
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run([*BASE, f"--user-data-dir={home}", *words], capture_output=True, text=True, timeout=120, check=True)


def png_size(file):
    head = file.read_bytes()[:24]
    if head[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit(f"check_report: {file}: found no PNG")
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def check_clicks(page, folder):
    copy = folder / "clicked.html"
    copy.write_text(page.read_text().replace("</body>", CLICKS + "</body>"))
    body = re.search(r"<body[^>]*>", chromium("--dump-dom", copy.as_uri()).stdout)[0]
    found = dict(re.findall(r'data-(\w+)="([^"]*)"', body))
    cells = [float(cell) for cell in found.get("sorted", "").split()]
    if len(cells) < 2 or cells != sorted(cells):
        sys.exit(f"check_report: {page}: a click on 'test acc %' gave the order {cells}")
    if (found.get("folded_parts"), found.get("open_parts")) != ("0", "0"):
        sys.exit(f"check_report: {page}: print opens and folds parts wrongly: {found}")


def check_print(page, folder):
    pdf = folder / "report.pdf"
    pdf.unlink(missing_ok=True)
    chromium(f"--print-to-pdf={pdf}", page.as_uri())
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))
    if pages < 3:
        sys.exit(f"check_report: {pdf}: found {pages} pages, wanted the whole report")


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
    shots = []
    for name, more in {"light": [], "dark": ["--blink-settings=preferredColorScheme=0"]}.items():
        shot = folder / f"report_{name}.png"
        shot.unlink(missing_ok=True)
        chromium(f"--screenshot={shot}", "--window-size=1280,4200", *more, page.as_uri())
        if png_size(shot) != (1280, 4200) or shot.stat().st_size < 50_000:
            sys.exit(f"check_report: {shot}: found {png_size(shot)} and {shot.stat().st_size} bytes, wanted a full page")
        shots.append(shot.read_bytes())
    if shots[0] == shots[1]:
        sys.exit(f"check_report: {folder}: light and dark look the same")
    check_clicks(page, folder)
    check_print(page, folder)
    print("check_report: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
