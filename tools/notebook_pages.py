"""A hook of mkdocs (mkdocs.yml): each notebook of docs/ is also a page, of its text and its code."""
import json
import pathlib

from mkdocs.structure.files import File


def page_of(notebook, name):
    """Its cells as Markdown, and a link to the file itself."""
    parts = []
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    return "\n\n".join([*parts, f"The notebook itself: [{name}]({name}). A test runs its cells."])


def on_files(files, config):
    for file in list(files):
        if file.src_uri.endswith(".ipynb"):
            path = pathlib.Path(config["docs_dir"], file.src_uri)
            text = page_of(json.loads(path.read_text(encoding="utf-8")), path.name)
            files.append(File.generated(config, file.src_uri.removesuffix(".ipynb") + ".md", content=text))
    return files
