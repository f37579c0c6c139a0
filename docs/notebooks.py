"""Notebooks of the tutorial as pages: text as it stands, code, and what it gave, pictures among it."""

import base64
import json
from pathlib import Path
from typing import Any

_KINDS = ("image/png", "text/html", "text/plain")
"""What a page shows of an output, the first that there is."""


def page_of(notebook: dict[str, Any], name: str) -> tuple[str, dict[str, bytes]]:
    """The page in Markdown, and its pictures by the names of their files.

    Args:
        notebook: as JSON.
        name: of its file, without the ending.
    """
    parts, pictures = [], {}
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell.get("outputs", ()):
            parts.append(_shown(output, pictures, name))
    link = f"This page is a notebook: {{download}}`{name}.ipynb <../{name}.ipynb>`."
    return "\n\n".join([parts[0], link, *parts[1:]]) + "\n", pictures


def _shown(output: dict[str, Any], pictures: dict[str, bytes], name: str) -> str:
    data = output.get("data", {"text/plain": output.get("text", "")})
    kind = next((kind for kind in _KINDS if kind in data), "text/plain")
    content = "".join(data.get(kind, ""))
    if kind == "image/png":
        file = f"{name}-{len(pictures) + 1}.png"
        pictures[file] = base64.b64decode(content)
        return f"![what the lines above draw]({file})"
    if kind == "text/html":
        return f"```{{raw}} html\n{content}\n```"
    return f"```text\n{content.rstrip()}\n```"


def write_pages(tutorial: Path) -> None:
    """Write a page for every notebook of the folder into `generated` within it; what is the same stays untouched."""
    to = tutorial / "generated"
    to.mkdir(exist_ok=True)
    for notebook in sorted(tutorial.glob("*.ipynb")):
        page, pictures = page_of(json.loads(notebook.read_text(encoding="utf-8")), notebook.stem)
        files = {f"{notebook.stem}.md": page.encode(), **pictures}
        for name, content in files.items():
            if not (to / name).exists() or (to / name).read_bytes() != content:
                (to / name).write_bytes(content)
