"""tools/find_torch.py: a torch beside the Python that runs is found, also where pip hides it from its builds."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
# What pip puts into the environment of a build: a start file that takes the site's packages away.
HIDE = "import sys, sysconfig\nsys.path[:] = [p for p in sys.path if p not in (sysconfig.get_path('purelib'), sysconfig.get_path('platlib'))]\n"


class FindTorch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/find_torch.py", self.root / "tools")  # away from the clone's own .venv
        venv.create(self.root / "env", symlinks=True)
        python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        self.torch = self.root / "env/lib" / python / "site-packages/torch"
        self.torch.mkdir(parents=True)
        (self.torch / "__init__.py").write_text("raise RuntimeError('looked at, never imported')\n")

    def found(self, version, **environment):
        (self.torch / "version.py").write_text(f"__version__ = '{version}+cpu'\n")
        names = {key: value for key, value in os.environ.items() if key not in ("SPIKENM_TORCH", "PYTHONPATH")}
        return subprocess.run([self.root / "env/bin/python", self.root / "tools/find_torch.py"], capture_output=True, text=True,
                              env={**names, **environment})

    def test_beside_python(self):
        self.assertEqual(self.found("2.11.0").stdout.strip(), str(self.torch))

    def test_where_pip_hides_it(self):
        (self.root / "sitecustomize.py").write_text(HIDE)
        self.assertEqual(self.found("2.12.1", PYTHONPATH=str(self.root)).stdout.strip(), str(self.torch))

    def test_an_old_one_is_refused(self):
        old = self.found("2.10.0")
        self.assertEqual(old.returncode, 1)
        self.assertIn("found torch 2.10, wanted 2.11 or newer", old.stderr)


if __name__ == "__main__":
    unittest.main()
