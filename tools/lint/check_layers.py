"""Fails when a file includes a header of a layer above its own, or of a sibling on its row.

The rows are those of docs/architecture.md, lowest first.
"""
import pathlib
import re
import sys

ROWS = [["core"], ["nm"], ["graph"], ["kernels"], ["ops"], ["nn", "data"], ["sparsity"], ["metrics"], ["train"], ["report"], ["sweep"]]
# report reads run folders and nothing else; sweep plans and reports, and its runs are programs; data knows no model.
ONLY = {"report": {"core"}, "sweep": {"core", "report"}, "data": {"core"}}
TORCH_FREE = {"core", "nm", "graph", "kernels", "data", "report", "sweep"}

level = {layer: row for row, layers in enumerate(ROWS) for layer in layers}
root = pathlib.Path(__file__).resolve().parents[2]
errors = []
for path in sorted((root / "src/spikenm").rglob("*")):
    if path.suffix not in {".h", ".cpp", ".cu", ".cuh", ".inc"}:
        continue
    layer = path.relative_to(root / "src/spikenm").parts[0]
    name = path.relative_to(root)
    if layer not in level:
        errors.append(f"{name}: layer '{layer}' is not in the table of check_layers.py")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        include = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
        if not include:
            continue
        target = include[1]
        if target.startswith("spikenm/"):
            other = target.split("/")[1]
            allowed = ONLY.get(layer, {l for l in level if level[l] < level[layer]})
            if other != layer and other not in allowed:
                errors.append(f"{name}:{number}: {layer} may not include {other}")
        elif layer in TORCH_FREE and re.match(r"(torch|ATen|c10)/", target):
            errors.append(f"{name}:{number}: {layer} is torch-free")
print("\n".join(errors) if errors else "layers: ok")
sys.exit(1 if errors else 0)
