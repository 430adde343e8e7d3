"""Fails when a page of the site would load anything from the network.

    check_site.py FOLDER

Looks at the tags that load something as a page opens, and at what style sheets name. A link that a reader may follow is none of these.
"""
import html.parser
import pathlib
import re
import sys

LOADED = {
    "script": ["src"], "img": ["src", "srcset"], "source": ["src", "srcset"], "iframe": ["src"], "video": ["src", "poster"], "audio": ["src"],
    "embed": ["src"], "object": ["data"], "image": ["href", "xlink:href"], "use": ["href", "xlink:href"], "link": ["href"], "input": ["src"],
}
FOREIGN = re.compile(r"(?:https?:)?//", re.IGNORECASE)
IN_STYLE = re.compile(r"""(?:@import\s+|url\(\s*)["']?((?:https?:)?//[^"')\s]*)""", re.IGNORECASE)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.in_style = [], False

    def handle_starttag(self, tag, attributes):
        values = {name: value or "" for name, value in attributes}
        self.in_style = tag == "style"
        self.found += IN_STYLE.findall(values.get("style", ""))
        if tag == "link" and values.get("rel", "").lower() in ("canonical", "next", "prev", "alternate", "edit"):
            return  # says where a page is, and loads nothing
        for name in LOADED.get(tag, []):
            self.found += [part.split()[0] for part in values.get(name, "").split(",") if FOREIGN.match(part.strip())]

    def handle_endtag(self, tag):
        self.in_style = self.in_style and tag != "style"

    def handle_data(self, data):
        if self.in_style:
            self.found += IN_STYLE.findall(data)


def foreign_in(path):
    """What a file of the site would load from elsewhere."""
    text = path.read_text(errors="replace")
    if path.suffix == ".css":
        return IN_STYLE.findall(text)
    page = Page()
    page.feed(text)
    return page.found


def main():
    site = pathlib.Path(sys.argv[1])
    files = sorted(path for path in site.rglob("*") if path.suffix in (".html", ".css", ".svg"))
    wrong = [f"{path.relative_to(site)}: loads {address}" for path in files for address in foreign_in(path)]
    if not files:
        wrong = [f"{site}: found no pages"]
    print("\n".join(wrong) or f"site: {len(files)} files, nothing from the network")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
