"""The notebooks of the tutorial run as they stand, and their pages show what they gave."""

import importlib.util
import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "tutorial").glob("*.ipynb"))


def _page_of(notebook):
    spec = importlib.util.spec_from_file_location("notebooks", DOCS / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page_of(notebook, "some")


def test_all_notebooks_run_one_after_another_in_one_process(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(DOCS.parent / "src"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    cells = []
    for path in NOTEBOOKS:
        read = nbformat.read(path, as_version=4)
        folder = tmp_path / path.stem
        folder.mkdir()
        begin = nbformat.v4.new_code_cell(f"%reset -f\n%cd -q {folder}")
        cells += [begin, *(cell for cell in read.cells if cell.cell_type == "code")]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    together = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(
        together, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    said = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    assert sum("image/png" in data for data in said) >= 8


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_what_it_gave_and_its_page_shows_it(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    page, pictures = _page_of(notebook)
    assert page.startswith("# ")
    assert all(f"({name})" in page for name in pictures)
    assert all(content.startswith(b"\x89PNG") for content in pictures.values())
    lasts = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"][-1]
    assert lasts["outputs"]
    assert not any(output["output_type"] == "error" for cell in notebook["cells"] for output in cell.get("outputs", ()))


def test_every_picture_of_the_gallery_is_there():
    made = {name for path in NOTEBOOKS for name in _page_named(path)}
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    for line in (line for line in text.splitlines() if line.startswith("![")):
        where = line.rpartition("(")[2].rstrip(")")
        folder, _, name = where.rpartition("/")
        assert name in made if folder == "tutorial/generated" else (DOCS / where).is_file(), where


def _page_named(path):
    _, pictures = _page_of(json.loads(path.read_text(encoding="utf-8")))
    return [name.replace("some", path.stem) for name in pictures]
