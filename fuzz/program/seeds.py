"""Sound files to damage, and how the program is asked about each: configs, models, event files, datasets, runs."""
import gzip
import io
import pathlib
import shutil
import struct
import subprocess
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[2]
CORPUS = HERE / "fuzz" / "corpus"
CIFAR_CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


class Seed:
    """Files by name, those that may be damaged, and the command; {} is the folder they are put into."""

    def __init__(self, kind, files, command, targets=None):
        self.kind, self.files, self.command = kind, files, command
        self.targets = targets or sorted(files)


def npy(kind, values):
    """A column; `values` may be bytes, which are stored as they are."""
    code = {"q": "<i8", "h": "<i2", "B": "|u1"}[kind]
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({len(values)},), }}".ljust(117) + "\n"
    data = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{kind}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz(arrays):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in arrays.items():
            archive.writestr(name + ".npy", content)
    return out.getvalue()


def events_npz(n=60, side=34):
    return npz({"t": npy("q", [100 * i for i in range(n)]), "x": npy("h", [i * 7 % side for i in range(n)]),
                "y": npy("h", [i * 5 % side for i in range(n)]), "p": npy("B", [i % 2 for i in range(n)])})


def event_files():
    for path in sorted(CORPUS.glob("event_file/*")) + sorted(CORPUS.glob("aedat4/*")):
        yield Seed("events", {path.name: path.read_bytes()}, ["data", "events", "{}/" + path.name])
    yield Seed("events", {"a.npz": events_npz()}, ["data", "events", "{}/a.npz", "--png", "{}/out.png"])


def mnist_files():
    images = struct.pack(">IIII", 0x803, 20, 28, 28) + bytes(i % 251 for i in range(20 * 784))
    labels = struct.pack(">II", 0x801, 20) + bytes(i % 10 for i in range(20))
    return {f"{part}-{kind}-ubyte{end}": gzip.compress(content, 6, mtime=0) if end else content
            for part, end in (("train", ".gz"), ("t10k", ""))
            for kind, content in (("images-idx3", images), ("labels-idx1", labels))}


def cifar_archive():
    record = b"".join(bytes([i % 10]) + bytes((i * 13 + k) % 251 for k in range(3072)) for i in range(4))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
            info = tarfile.TarInfo("cifar-10-batches-bin/" + name)
            info.size = len(record)
            archive.addfile(info, io.BytesIO(record))
    return {"cifar-10-binary.tar.gz": gzip.compress(out.getvalue(), 6, mtime=0)}


def gesture_files():
    tables = {f"user0{i}_led_labels.csv": b"class,startTime_usec,endTime_usec\n1,1,500\n2,400,100000\n" for i in (1, 2)}
    records = {f"user0{i}_led.aedat": (CORPUS / "aedat3" / "packets").read_bytes() for i in (1, 2)}
    lists = {"trials_to_train.txt": b"user01_led.aedat\n", "trials_to_test.txt": b"user02_led.aedat\n"}
    return {**tables, **records, **lists}


def datasets():
    def check(name, files):
        return Seed(name, files, ["data", "check", name, "--root", "{}", "--T", "4"])

    yield check("mnist", mnist_files())
    yield check("cifar10", cifar_archive())
    yield check("dvs-gesture", gesture_files())
    yield check("dvs-gesture", {f"events_np/{part}/{label}/a.npz": events_npz(40, 128)
                                for part in ("train", "test") for label in range(11)})
    bin_events = (CORPUS / "atis_bin" / "events").read_bytes()
    yield check("n-mnist", {f"{part}/{digit}/a.bin": bin_events for part in ("Train", "Test") for digit in range(10)})
    aedat2 = (CORPUS / "aedat2" / "events").read_bytes()
    yield check("cifar10-dvs", {f"extract/{name}/cifar10_{name}_{i}.aedat": aedat2 for name in CIFAR_CLASSES for i in (0, 1)})
    for path in sorted((HERE / "tests/data/formats/hdf5").glob("*.h5.gz")):
        if path.name in ("h5py_gzip.h5.gz", "h5py_f64.h5.gz", "pytables_f16.h5.gz", "pytables_zlib.h5.gz"):
            packed = path.read_bytes()
            yield check("shd", {"shd_train.h5.gz": packed, "shd_test.h5": gzip.decompress(packed)})


def configs():
    base = (HERE / "configs/smoke/base.toml").read_bytes()
    for path in sorted((HERE / "configs/smoke").glob("*.toml")):
        files = {"base.toml": base, path.name: path.read_bytes()}
        yield Seed("config", files, ["train", "--dry-run", "--config", "{}/" + path.name, "--out", "{}/run"], [path.name])
    for path in sorted(CORPUS.glob("sweep/*")):
        files = {"base.toml": base, path.name: path.read_bytes()}
        yield Seed("sweep", files, ["sweep", "--dry-run", "--list", "{}/" + path.name, "--out", "{}/runs"])


def runs(program, folder):
    """Two short trainings: their models and results."""
    for name in ("base", "at_most"):
        out = folder / name
        shutil.rmtree(out, ignore_errors=True)
        subprocess.run([program, "train", "--config", HERE / f"configs/smoke/{name}.toml", "--out", out, "threads=1"],
                       check=True, capture_output=True)
        model = (out / "model.safetensors").read_bytes()
        for command in ("inspect", "eval"):
            yield Seed("model", {"m.safetensors": model}, [command, "{}/m.safetensors"])
        files = {f"runs/{name}/{file}": (out / file).read_bytes() for file in ("result.json", "config.toml", "metrics.jsonl")}
        yield Seed("table", files, ["table", "{}/runs"])


def bombs():
    """A few kilobytes that stand for a gigabyte."""
    zeros = bytes(1 << 24)
    gigabyte = gzip.compress(zeros, 9, mtime=0) * 64
    yield Seed("bomb", {"shd_train.h5.gz": gigabyte, "shd_test.h5.gz": gigabyte}, ["data", "check", "shd", "--root", "{}"])
    yield Seed("bomb", {"cifar-10-binary.tar.gz": gigabyte}, ["data", "check", "cifar10", "--root", "{}"])
    yield Seed("bomb", {**mnist_files(), "train-images-idx3-ubyte.gz": gigabyte}, ["data", "check", "mnist", "--root", "{}"])
    for n in (9_000_000, 60_000_000):
        column = npy("B", bytes(n))
        yield Seed("bomb", {"a.npz": npz({name: column for name in "txyp"})}, ["data", "events", "{}/a.npz"])
