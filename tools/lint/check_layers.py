"""Fails when a file includes a header of a layer above its own, or of a sibling on its row, and when a file above ops
names a kernel or a file of nn asks for the device: ops is the only place where tensors meet kernels.

The rows are those of docs/architecture.md, lowest first. Comments and strings do not count, and tests may do as they like.

    check_layers.py [ROOT]
"""
import pathlib
import re
import sys

ROWS = [["core"], ["nm"], ["graph"], ["kernels"], ["ops", "runtime"], ["nn", "data"], ["sparsity"], ["metrics"], ["train"], ["report", "deploy"],
        ["sweep"], ["apps"]]
LEVEL = {layer: row for row, layers in enumerate(ROWS) for layer in layers}
# report reads run folders and draws masks; sweep plans and reports, and its runs are programs; data knows no model.
ONLY = {"report": {"core", "nm"}, "sweep": {"core", "report"}, "data": {"core"}}
TORCH_FREE = {"core", "nm", "graph", "kernels", "runtime", "data", "report", "sweep"}
SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".inc"}

INCLUDE = re.compile(r'\s*#\s*include\s+["<]([^">]+)[">]')
# A name within the namespace, the namespace within ours, or `using namespace` and aliases of it.
KERNEL = re.compile(r"\bkernels\s*::|::\s*kernels\b|\bnamespace\s[\w\s:=]*\bkernels\b")
DEVICE = re.compile(r"\bis_(?:cuda|cpu)\s*\(")
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def allowed(layer):
    """The layers that a file of `layer` may include, besides its own."""
    below = {other for other in LEVEL if LEVEL[other] < LEVEL[layer]}
    if LEVEL[layer] > LEVEL["ops"]:
        below.discard("kernels")
    return ONLY.get(layer, below)


def bare(text):
    """The code without comments and strings, line by line as it was."""
    return COMMENT_OR_STRING.sub(lambda found: "\n" * found[0].count("\n"), text)


def errors_of(layer, text):
    """(line, what is wrong) of one file."""
    for number, line in enumerate(text.splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        target = include[1]
        if target.startswith("spikenm/"):
            other = target.split("/")[1]
            if other != layer and other not in allowed(layer):
                yield number, f"{layer} must not include {other}"
        elif layer in TORCH_FREE and re.match(r"(torch|ATen|c10)/", target):
            yield number, f"{layer} is torch-free"
    if LEVEL[layer] > LEVEL["ops"]:
        code = bare(text)
        for number in sorted({code.count("\n", 0, found.end()) + 1 for found in KERNEL.finditer(code)}):
            yield number, f"{layer} must not name kernels, which only ops may call"
        if layer == "nn":
            for number in sorted({code.count("\n", 0, found.end()) + 1 for found in DEVICE.finditer(code)}):
                yield number, "nn must not ask for the device, which is what ops does"


def files_of(root):
    """(layer, path) of every source file."""
    source = root / "src/spikenm"
    for path in sorted([*source.rglob("*"), *(root / "apps").rglob("*")]):
        if path.suffix in SUFFIXES:
            yield path.relative_to(source).parts[0] if path.is_relative_to(source) else "apps", path


def check(root):
    """One line per error."""
    errors = []
    for layer, path in files_of(root):
        name = path.relative_to(root)
        if layer not in LEVEL:
            errors.append(f"{name}: layer '{layer}' is not in the table of check_layers.py")
            continue
        errors += [f"{name}:{number}: {what}" for number, what in sorted(errors_of(layer, path.read_text()))]
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    errors = check(root)
    print("\n".join(errors) if errors else "layers: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
