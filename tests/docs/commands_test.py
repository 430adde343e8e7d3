"""Runs every command of README.md and docs/*.md, as a reader would, in a folder with what they name.

commands_test.py BUILD: the folder with spikenm, spikenm-train and spikenm-run.

What would take long is cut short: training and sweeps are dry runs, the demo and the benchmarks are tiny. What needs data that nobody can have at hand (its path is
DIR, or begins with ~) must fail for that reason alone; a GPU that is not there is only noted. Run folders are copies of one small run.
"""
import concurrent.futures
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop()).resolve()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAM = re.compile(r"^(?:\$ )?(?:build[\w-]*/)?(spikenm(?:-run)?) ")
TINY = "data.train_size=60 data.test_size=20 model.width=4 model.T=2 train.epochs=2 train.batch_size=20".split()
# In a sentence, a command with such words shows its form.
PLACEHOLDER = re.compile(r"…|<|(?<![\w=-])(?!DIR\b)[A-Z]+(?![\w.])")
# Files and folders that stand for the reader's own.
ABSENT = re.compile(r"\bDIR\b|~|some\.aedat|recording\.aedat4|other\.npy")
# How a command ends that lacks only its data.
LACKS_DATA = re.compile(r"is not a folder|cannot (?:be )?(?:open|read|found)|No such file|root: not set|wanted a file")


def code_lines(text):
    """Lines of code blocks, fenced (sh or plain) and indented, with continued lines joined."""
    lines, fence, held = [], None, ""
    for line in text.splitlines():
        mark = re.match(r"```(\w*)", line)
        if mark:
            fence = None if fence is not None else mark[1]
            continue
        if fence in ("", "sh") or (fence is None and line.startswith("    ")):
            held += line.strip()
            if held.endswith("\\"):
                held = held[:-1]
                continue
            lines.append(held)
            held = ""
    return lines


def is_whole(code):
    """Whether a command in a sentence is one to type, not only its name."""
    words = code.split()
    return len(words) > 3 or (len(words) == 3 and words[1] in ("demo", "keys", "list", "table") and words[2] != "foo")


def commands_of(text):
    """The words of every command of our programs; inline ones too, where they are whole."""
    inline = [code for code in re.findall(r"`(spikenm [^`\n]+)`", text) if is_whole(code) and not PLACEHOLDER.search(code)]
    found = []
    for line in [part for code in [*code_lines(text), *inline] for part in code.split(" && ")]:
        program = PROGRAM.match(line)
        if program and not re.match(r"spikenm +\d", line):  # a row of a printed table
            words = shlex.split(line[program.end() :], comments=True)
            if words and words[0].isidentifier() or program[1] == "spikenm-run" or words[0].startswith("-"):
                found.append([program[1], *words])
    return found


WIDE = re.compile(r"configs/(?:ablations|cifar|dvs|examples|short|studies)|6conv2fc")
NARROW = "model.width=8"


def narrowed(words):
    """The same command with a narrow network, where it names one that takes seconds to make."""
    if words[1] not in ("train", "inspect", "sweep") or not WIDE.search(" ".join(words)):
        return words
    if "--set" in words:
        at = words.index("--set") + 1
        return [*words[:at], NARROW, *words[at:]]
    return [*words, NARROW] if words[1] == "train" else [*words, "--set", NARROW]


def files_of(text):
    """Commands that read the configs and networks that a page shows, and the content of each."""
    for i, content in enumerate(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)):
        name = f"shown{i}.toml"
        if content.startswith("format = "):
            yield ["spikenm", "inspect", "--frame", "2x34x34x10", "--set", f"model.file={name}"], name, content
        elif content.startswith("[data]"):
            yield ["spikenm", "train", "--config", name, "model.width=8"], name, content


def shortened(words):
    """The same command, made short."""
    command = words[1] if len(words) > 1 else ""
    words = narrowed(words)
    if words[0] == "spikenm-run" or "--help" in words:
        return words
    if command == "train" and "--resume" not in words and "--dry-run" not in words:
        return [*words, "--dry-run"]
    if command == "sweep":
        return [*[w for w in words if w not in ("--report", "--dry-run")], "--dry-run"]
    if command == "demo":
        return ["spikenm", "demo", "--force", *TINY, *[w for w in words[2:] if w != "--force"]]
    if command == "bench":
        small = {"--batch": "1", "--T": "1", "--device": "cpu", "--precision": "fp32"}
        words = [small.get(words[i - 1], word) for i, word in enumerate(words)]
        sets = ["model.width=8"] if "--set" in words else ["--set", "model.width=8"]
        sizes = [word for option in ("--batch", "--T") if option not in words for word in (option, "1")]
        return [*words, *sets, *sizes, "--steps", "1", "--warmup", "0"]
    return words


def png(value, side=12):
    """A picture of one colour."""
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    rows = (b"\0" + bytes([value, 9, 9]) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def run(words, folder):
    return subprocess.run([BUILD / words[0], *words[1:]], cwd=folder, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)


PER_CLASS = 40  # so that there is a whole batch
TIMES = []  # seconds of every command that was run


class Reader:
    """A folder where the commands of one page are run, one after another."""

    def __init__(self, folder, model_run):
        self.folder, self.model_run = folder, model_run
        (folder / "configs").symlink_to(ROOT / "configs")
        (folder / "docs").symlink_to(ROOT / "docs")
        for name in ("cat", "dog"):
            (folder / "pets" / name).mkdir(parents=True)
            for i in range(PER_CLASS):
                (folder / "pets" / name / f"{i}.png").write_bytes(png(4 * i))
        recording = (ROOT / "fuzz/corpus/event_file/aedat4").read_bytes()
        for name in ("stop", "go"):
            (folder / "signs" / name).mkdir(parents=True)
            for i in range(PER_CLASS):
                (folder / "signs" / name / f"{'a' * (i + 1)}.aedat4").write_bytes(recording)

    def prepare(self, words):
        """Puts a finished run where the command reads one, and a model where it has none yet."""
        outputs = {words[i + 1] for i, word in enumerate(words[:-1]) if word in ("--out", "-o")}
        for word in words[2:]:
            if word.endswith(".snm") and word not in outputs and not (self.folder / word).exists():
                shutil.copy(ROOT / "tests/golden/model_v1.snm", self.folder / word)
            path = re.match(r"(runs(?:/\w+)?)(/checkpoints/[\w.-]+)?$", word)
            if not path or (word in outputs and "--resume" not in words):
                continue
            target = self.folder / (path[1] if path[1] != "runs" else "runs/one")
            if not (target / "result.json").exists():
                shutil.copytree(self.model_run, target, dirs_exist_ok=True)
            if path[2]:
                newest = sorted((target / "checkpoints").glob("*.safetensors"))[-1]
                if not (self.folder / word).exists():
                    shutil.copy(newest, self.folder / word)

    def follow(self, words):
        """An empty text, or what went wrong."""
        self.prepare(words)
        short = shortened(words)
        begun = time.monotonic()
        done = run(short, self.folder)
        TIMES.append((time.monotonic() - begun, shlex.join(short)))
        if done.returncode == 0:
            return ""
        if done.returncode == 1 and ABSENT.search(" ".join(words)) and LACKS_DATA.search(done.stderr):
            return ""
        return f"{shlex.join(short)}: exit code {done.returncode}: {done.stderr.strip()[-400:]}"


def follow_page(page, model_run):
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(pathlib.Path(folder), model_run)
        commands = commands_of(page.read_text())
        for command, name, content in files_of(page.read_text()):
            (pathlib.Path(folder) / name).write_text(content)
            commands.append(command)
        return [f"{page.name}: {wrong}" for wrong in map(reader.follow, commands) if wrong]


class Commands(unittest.TestCase):
    def test_every_command_works(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            made = run(["spikenm", "train", "--out", "run", *TINY, "method.name=spikenm", "checkpoints.every_epochs=1"], folder)
            self.assertEqual(made.returncode, 0, made.stderr)
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                wrong = [line for lines in pool.map(lambda page: follow_page(page, folder / "run"), PAGES) for line in lines]
        for seconds, command in sorted(TIMES)[-5:]:
            print(f"{seconds:5.1f} s  {command}")
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_there_are_commands(self):
        count = {page.name: len(commands_of(page.read_text())) for page in PAGES}
        self.assertGreaterEqual(count["quickstart.md"], 15)
        self.assertGreaterEqual(sum(count.values()), 60)

    def test_make_targets_are_there(self):
        targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
        for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
            for line in code_lines(page.read_text()):
                if words := re.match(r"make\b(?: ([a-z-]+))?", line):
                    self.assertIn(words[1] or "build", targets, f"{page.name}: {line}")

    def test_other_programs_are_there(self):
        """Tools, benchmarks and examples that a page starts: their sources stand where the build finds them."""
        homes = {"tools/": "tools/{}", "build/bench/": "bench/{}.cpp", "build/examples/": "examples/{}/main.cpp"}
        seen = 0
        for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "bench/README.md"]:
            for line in code_lines(page.read_text()):
                for start, home in homes.items():
                    for name in re.findall(rf"(?:^|\s){start}([\w.]+)", line):
                        seen += 1
                        self.assertTrue((ROOT / home.format(name)).is_file(), f"{page.name}: {line}")
        self.assertGreaterEqual(seen, 5)

    def test_messages_of_troubleshooting_are_said(self):
        """What a table of troubleshooting quotes stands in the sources."""
        files = [p for d in ("src", "apps", "tools", "cmake") for p in (ROOT / d).rglob("*") if p.is_file() and p.suffix in (".cpp", ".h", ".cmake", "")]
        said = re.sub(r'"\s*\n\s*"', "", "\n".join(p.read_text(errors="ignore") for p in files))
        for line in (ROOT / "docs/troubleshooting.md").read_text().splitlines():
            if not line.startswith("| ") or line.startswith("| the loader's"):
                continue
            for message in re.findall(r"`([^`]+)`", line.split("|")[1]):
                for part in re.split(r"…|^warning: |^note: ", message):
                    part = part.strip(" ;:,'")
                    self.assertTrue(len(part) < 4 or part in said, f"nothing says '{part}'")


if __name__ == "__main__":
    unittest.main()
