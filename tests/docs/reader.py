"""A reader of README and docs: types their commands, one after another, in a folder of their own."""
import math
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from data_files import npy, png  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Trainings are small; nothing else about them is changed.
SIZES = {"data.train_size": 60, "data.test_size": 20, "model.width": 4, "model.T": 2, "train.epochs": 2, "train.batch_size": 20,
         "checkpoints.every_epochs": 1, "checkpoints.keep": 20}
EPOCHS_TO_STOP = 60  # of a training that is interrupted after the first
# Marks of what nobody has at hand: data, whose folder is DIR or begins with ~, and a GPU.
NEEDS_DATA, NEEDS_GPU = re.compile(r"\bDIR\b|~"), re.compile(r"device=cuda|--device cuda")
LACKS_DATA = re.compile(r"is not a folder|cannot (?:be )?(?:open|read|found)|No such file|wanted a file")
# Networks that take seconds to make.
WIDE = re.compile(r"configs/(?:ablations|cifar|dvs|examples|short|studies)|6conv2fc")
PER_CLASS = 40  # so that there is a whole batch


def ones(*shape):
    return npy("<f4", shape, [1] * math.prod(shape))


def give(folder):
    """What the pages say that a reader has: the clone's files, pictures, recordings, a network."""
    (folder / "configs").symlink_to(ROOT / "configs")
    shutil.copytree(ROOT / "docs", folder / "docs")  # which has pictures that commands write anew
    recording = (ROOT / "fuzz/corpus/event_file/aedat4").read_bytes()
    for label in ("cat", "dog"):
        (folder / "pets" / label).mkdir(parents=True)
        for i in range(PER_CLASS):
            (folder / "pets" / label / f"{i}.png").write_bytes(png(12, [6 * i + 3 * (label == "dog"), 9, 9] * 12 * 12))
    for label in ("stop", "go"):
        (folder / "signs" / label).mkdir(parents=True)
        for i in range(PER_CLASS):
            (folder / "signs" / label / f"{'a' * (i + 1)}.aedat4").write_bytes(recording)
    (folder / "recording.aedat4").write_bytes(recording)
    (folder / "some.aedat").write_bytes((ROOT / "fuzz/corpus/event_file/aedat2").read_bytes())
    (folder / "other.npy").write_bytes(ones(SIZES["model.T"], 2, 34, 34))  # for a network of the demo's data
    shutil.copy(ROOT / "tests/golden/model_v1.snm", folder / "m.snm")
    (folder / "in.npy").write_bytes(ones(3, 2, 8, 8))  # for m.snm


def with_keys(words, keys):
    """The same words with other values: among the overrides of train and demo, or behind --set."""
    words = [word for word in words if word.split("=")[0] not in keys]
    values = [f"{key}={value}" for key, value in keys.items()]
    if words[1] in ("train", "demo"):
        return [*words, *values]
    if "--set" in words:
        at = words.index("--set") + 1
        return [*words[:at], *values, *words[at:]]
    return [*words, "--set", *values]


def sizes_for(words, folder):
    """The sizes that such a training knows."""
    text = " ".join(words) + "".join((folder / word).read_text() for word in words if word.endswith(".toml") and (folder / word).is_file())
    keys = dict(SIZES)
    if re.search(r"image-folder|event-folder", text):
        del keys["data.train_size"], keys["data.test_size"]
    if "model.file=" in text:
        del keys["model.width"]
    return keys


def dry(words):
    words = [word for word in words if word not in ("--report", "--dry-run", "--resume")] + ["--dry-run"]
    return with_keys(words, {"model.width": 8}) if WIDE.search(" ".join(words)) else words


def shortened(words, folder):
    """The same command, made short."""
    text, command = " ".join(words), words[1] if len(words) > 1 else ""
    if words[0] == "spikenm-run" or "--help" in words:
        return words
    if "--seeds" in words:
        words[words.index("--seeds") + 1] = "2"
    if command in ("train", "sweep") and "--resume" not in words:
        # Rows of a study have searches of their own lengths, which fit no shorter training.
        is_dry = NEEDS_DATA.search(text) or NEEDS_GPU.search(text) or "configs/studies/" in text or "--dry-run" in words
        return dry(words) if is_dry else with_keys(words, sizes_for(words, folder))
    if command == "demo":
        return with_keys(words, SIZES)
    if command == "bench":
        small = {"--batch": "1", "--T": "1", "--device": "cpu", "--precision": "fp32"}
        words = [small.get(words[i - 1], word) for i, word in enumerate(words)]
        sizes = [word for option in ("--batch", "--T") if option not in words for word in (option, "1")]
        return [*with_keys(words, {"model.width": 8}), *sizes, "--steps", "1", "--warmup", "0"]
    if command == "inspect" and WIDE.search(text):
        return with_keys(words, {"model.width": 8})
    return words


class Reader:
    """Follows commands in a folder; keeps what each one printed and how long it took."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.printed, self.seconds = {}, []
        give(folder)

    def run(self, words):
        done = subprocess.run([self.build / words[0].removeprefix("build/"), *words[1:]], cwd=self.folder, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
        self.printed[shlex.join(words)] = done.stdout
        return done.returncode, done.stderr

    def start_and_stop(self, words):
        """As with Ctrl-C behind the first epoch."""
        lines = self.folder / words[words.index("--out") + 1] / "metrics.jsonl"
        started = subprocess.Popen([self.build / words[0], *words[1:]], cwd=self.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        while started.poll() is None and not (lines.is_file() and lines.read_text()):
            time.sleep(0.01)
        started.send_signal(signal.SIGINT)
        said = started.communicate(timeout=60)[1]
        return 0 if started.returncode == 130 else started.returncode or 1, said or "it ended before it was stopped"

    def in_this_folder(self, word):
        """Checkpoints of a smaller run have other numbers; the first one is of its search."""
        path = re.fullmatch(r"(\S+/checkpoints)/step-\d+\.safetensors", word)
        if not path or (self.folder / word).exists():
            return word
        first = min((self.folder / path[1]).glob("step-*"), key=lambda file: file.stat().st_mtime, default=None)
        return str(first.relative_to(self.folder)) if first else word

    def follow(self, command):
        """An empty text, or what went wrong."""
        words = shortened([command.program, *command.words[1:]], self.folder)
        words = [self.in_this_folder(word) for word in words]
        begun = time.monotonic()
        if command.interrupted:
            code, said = self.start_and_stop(with_keys(words, {"train.epochs": EPOCHS_TO_STOP}))
        else:
            code, said = self.run(words)
            if command.into:
                (self.folder / command.into).write_text(self.printed[shlex.join(words)])
        self.seconds.append((time.monotonic() - begun, shlex.join(words)))
        lacks = code == 1 and NEEDS_DATA.search(command.text) and LACKS_DATA.search(said)
        return "" if code == 0 or lacks else f"{shlex.join(words)}: exit code {code}: {said.strip()[-400:]}"
