"""Runs every command of README.md and docs/*.md, as a reader would.

commands_test.py BUILD: the folder with spikenm, spikenm-train and spikenm-run.

Pages that lead to one another are followed in one folder, so that what one makes is there for the next, and stands in its way where
both take the same name. Trainings are small (reader.py). What needs data that nobody has at hand (its path is DIR, or begins with ~)
must fail for that reason alone, and its trainings are dry runs, as those that need a GPU. A command that is neither run nor a form of
one, nor listed in NOT_RUN, is a failure.
"""
import concurrent.futures
import pathlib
import re
import shlex
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from doc_commands import commands, files, shown_configs, unknown_lines  # noqa: E402
from reader import ROOT, Reader  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop()).resolve()
PAGES = {page.name: page.read_text() for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
# Pages that are read one after another; each of the others alone.
WALKS = [["README.md", "quickstart.md", "pictures.md", "own_data.md", "own_network.md", "own_method.md"], ["runs.md", "running.md", "sweeps.md", "options.md", "results.md"]]
NOT_RUN = {
    ".venv-onnx/bin/pip install onnx onnxruntime numpy": "installs packages",
    ".venv-onnx/bin/python tools/onnx_compare.py m.snm --batch 1": "needs these packages",
    "OMP_NUM_THREADS=1 python python/examples/time_sparsify.py": "needs torch in Python; python/tests runs the examples",
    "build/bench/runtime_bench --network=6conv2fc '--row=2:4 share 64' --save=m.snm": "takes minutes",
    "pip install '.[nir,onnx]'": "installs packages; python/tests looks for these extras",
    "pip install .": "installs packages; 'make python' does",
    "python -X importtime -c \"import spikenm\"": "needs the Python package; python/tests times the import",
    "python3 -m venv .venv-onnx": "installs packages",
    "python3 -m venv env": "installs packages; tools/setup_python makes such a folder for 'make python'",
    "readelf -n spikenm": "no program of ours",
    "spikenm foo": "a command of the reader's own",
    "tensorboard --logdir runs": "no program of ours; tensorboard_run_test.py reads the files by it",
    "tools/measure_gpu": "needs a GPU; measure_gpu_test.py runs it on programs that only answer",
    "tools/measure_gpu --program build-gpu/spikenm --quick": "needs a GPU",
    "tools/pack_deps": "installs packages",
}


def follow_walk(pages):
    """(what went wrong, how each command was met, the reader)."""
    wrong, met = [], {}
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(BUILD, pathlib.Path(folder))
        for page in pages:
            for name, content in files(PAGES[page]):
                (reader.folder / name).write_text(content)
            for command in sorted(commands(PAGES[page]), key=lambda command: command.inline):  # sentences come after what they speak of
                how, said = meet(command, reader)
                met[command.text] = how
                wrong += [f"{page}: {said}"] * bool(said)
            wrong += [f"{page}: {said}" for said in follow_configs(PAGES[page], reader) if said]
    return wrong, met, reader


def meet(command, reader):
    """How a command is dealt with, and what went wrong."""
    if command.text in NOT_RUN:
        return "not run", ""
    if command.program == "make":
        return follow_make(command, reader)
    if command.program == "/usr/bin/time":
        command = command._replace(text=command.text.removeprefix("/usr/bin/time "))
    if command.is_ours and (command.is_form or command.is_name):
        return "form", wrong_form(command, reader)
    if command.is_ours or command.program.startswith("build/examples/"):
        return "run", reader.follow(command)
    if command.is_form and (ROOT / source_of(command.program)).is_file():
        return "form", ""
    return "?", f"'{command.text}' is neither run nor listed in NOT_RUN"


def source_of(program):
    bench = re.fullmatch(r"build/bench/(\w+)", program)
    return f"bench/{bench[1]}.cpp" if bench else program


def follow_make(command, reader):
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
    target = command.words[1] if len(command.words) > 1 else "build"
    if target == "demo" and not command.inline:
        return "run", reader.follow(command._replace(text="spikenm demo --force"))
    return "make", "" if target in targets else f"the Makefile has no target '{target}'"


def wrong_form(command, reader):
    """A form, or a name, is right if the help of its command has the options."""
    named = [word for word in command.words[1:3] if re.fullmatch(r"[a-z]+", word)]
    named = named if command.words[1] in ("data", "bench") else named[:1]
    shown = [command.program, *named, "--help"]
    code, said = reader.run(shown)
    if code != 0:
        return f"{shlex.join(shown)}: exit code {code}: {said}"
    printed = reader.printed[shlex.join(shown)]
    absent = [word for word in command.words if re.fullmatch(r"--?[a-z-]+", word) and not re.search(rf"(?<![\w-]){word}(?![\w-])", printed)]
    return f"{command.text}: its help does not know {absent}" if absent else ""


def follow_configs(text, reader):
    """Networks, lists of sweeps and configs that a page shows are read."""
    for i, content in enumerate(shown_configs(text)):
        name = f"shown{i}.toml"
        (reader.folder / name).write_text(content)
        if content.startswith("format = "):
            shown = ["spikenm", "inspect", "--frame", "2x34x34x10", "--set", f"model.file={name}"]
        elif re.search(r"^(\[grid\]|\[\[member\]\])$", content, re.M):
            base = re.search(r'^base = "(?:\.\./)*(.*?)"', content, re.M)[1]  # beside the lists of configs
            shown = ["spikenm", "sweep", "--list", name, "--base", f"configs/{base}", "--dry-run", "--out", "runs/shown", "--set", "model.width=8"]
        else:
            shown = ["spikenm", "train", "--config", name, "model.width=8", "--dry-run"]
        code, said = reader.run(shown)
        yield f"{shlex.join(shown)}: {said}" if code else ""


class Commands(unittest.TestCase):
    def test_every_command_works(self):
        alone = [[page] for page in PAGES if not any(page in walk for walk in WALKS)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            walked = list(pool.map(follow_walk, [*WALKS, *alone]))
        met = {text: how for _, part, _ in walked for text, how in part.items()}
        for seconds, command in sorted(line for _, _, reader in walked for line in reader.seconds)[-5:]:
            print(f"{seconds:5.1f} s  {command}")
        print(", ".join(f"{list(met.values()).count(how)} {how}" for how in sorted(set(met.values()))))
        self.assertFalse(wrong := [line for lines, _, _ in walked for line in lines], "\n" + "\n".join(wrong))
        self.assertGreaterEqual(list(met.values()).count("run"), 80)
        self.assertFalse(set(NOT_RUN) - set(met), "listed, and no page shows them")
        self.what_readme_prints(walked[0][2])

    def what_readme_prints(self, reader):
        """The words of README's tables, which are those of a demo of full size, stand in what the small one prints."""
        printed = reader.printed[next(text for text in reader.printed if text.startswith("spikenm demo --force"))]
        shown = "\n".join(re.findall(r"```\n(method .*?)```", PAGES["README.md"], re.DOTALL) + re.findall(r"```\n(run without.*?)```", PAGES["README.md"], re.DOTALL))
        words = lambda text: [re.findall(r"[^\W\d]+", line) for line in text.splitlines() if line.strip()]
        for line in words(shown):
            self.assertIn(line, words(printed))

    def test_every_line_of_a_shell_block_is_known(self):
        for page, text in PAGES.items():
            self.assertEqual(unknown_lines(text), [], page)

    def test_no_two_runs_have_one_folder(self):
        """Unless the second goes on with the first: pages are read in any order."""
        made = {}
        for page, text in PAGES.items():
            for command in commands(text):
                words = command.words
                if command.is_form or words[1:2] not in (["train"], ["sweep"]) or "--out" not in words:
                    continue
                listed = words[words.index("--list") + 1] if "--list" in words else page
                first = made.setdefault(words[words.index("--out") + 1], (page, command, listed))
                self.assertTrue(first[1] is command or "--resume" in words or ("--list" in words and first[2] == listed), f"{page}: {command.text}: {first[0]} has {first[1].text}")

    def test_what_builds_is_there(self):
        """CONTRIBUTING's targets and tools, and the tools, benchmarks and examples that any page names."""
        targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.M))
        named = [*PAGES.values(), (ROOT / "CONTRIBUTING.md").read_text(), (ROOT / "bench/README.md").read_text()]
        programs = {command.program: command for text in named for command in commands(text)}
        homes = {"tools/": "tools/{}", "build/bench/": "bench/{}.cpp", "build/examples/": "examples/{}/main.cpp"}
        seen = [(program, home.format(program.removeprefix(start))) for program in programs for start, home in homes.items() if program.startswith(start)]
        self.assertGreaterEqual(len(seen), 5)
        for program, home in seen:
            self.assertTrue((ROOT / home).is_file(), program)
        for command in commands((ROOT / "CONTRIBUTING.md").read_text()):
            if command.program == "make":
                self.assertIn((command.words + ["build"])[1], targets, command.text)

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
