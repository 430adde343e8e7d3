"""tools/check_site.py on pages that load from the network, and on pages that only link there."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check_site.py"


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        done = subprocess.run([sys.executable, TOOL, folder], capture_output=True, text=True)
        return done.returncode, done.stdout


class CheckSite(unittest.TestCase):
    def test_a_link_to_follow_is_no_load(self):
        page = '<link rel="canonical" href="https://a.example/"><a href="https://a.example">x</a><img src="x.svg"><style>p{background:url(x.png)}</style>url(http://text)'
        code, said = check({"index.html": page, "assets/a.css": "@import 'b.css'; /* https://a.example */", "x.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>'})
        self.assertEqual(code, 0, said)
        self.assertIn("3 files", said)

    def test_everything_that_loads_is_named(self):
        for content in ('<script src="https://a.example/x"></script>', '<link rel="stylesheet" href="//a.example/x">', '<link rel="preconnect" href="https://a.example/x">',
                        '<img src="http://a.example/x">', '<img srcset="b.png 1x, https://a.example/x 2x">', '<p style="background:url(https://a.example/x)">',
                        "<style>@import 'https://a.example/x';</style>", '<iframe src="https://a.example/x"></iframe>'):
            code, said = check({"p/index.html": content})
            self.assertEqual(code, 1, content)
            self.assertIn("p/index.html: loads ", said)
            self.assertIn("//a.example/x", said)
        for content in ('@import "https://a.example/x";', "p{background:url( 'https://a.example/x')}"):
            self.assertEqual(check({"index.html": "", "a.css": content}), (1, "a.css: loads https://a.example/x\n"), content)

    def test_an_empty_folder_is_no_site(self):
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    unittest.main()
