"""Every Python name that a page names can be imported."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in [*sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*.md"))]
    if not {"_build", "generated"} & set(page.parts)
]
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
DOTTED = re.compile(r"(?<![\w./:-])loadmaster(?:\.[A-Za-z_]\w*)+(?![\w/]|\.\w)")
FROM = re.compile(r"from (loadmaster[\w.]*) import (\([^)]*\)|[^\n`#]+)")


def names_in(text):
    """Dotted names of the package in a page's code, whether imported or only named."""
    for code in CODE.findall(text):
        for module, imported in FROM.findall(code):
            for name in re.findall(r"(\w+)(?: as \w+)?", re.sub(r"^\s*\.\.\. ", " ", imported, flags=re.MULTILINE)):
                yield f"{module}.{name}"
        yield from DOTTED.findall(code)


def lookup(dotted):
    """The object of that name: a module, or an attribute of one."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(dotted)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_python_name_on_the_page_can_be_imported(page):
    wrong = []
    for name in sorted(set(names_in(page.read_text()))):
        try:
            lookup(name)
        except (ImportError, AttributeError):
            wrong.append(name)
    assert wrong == []


def test_a_name_that_is_not_there_is_noticed():
    code = "```python\n>>> from loadmaster.packing import (\n...     pack, gone)\n```"
    text = f"`loadmaster.packing.solve.nothing` and\n{code}"
    assert {*names_in(text)} - {"loadmaster.packing"} == {
        "loadmaster.packing.gone",
        "loadmaster.packing.pack",
        "loadmaster.packing.solve.nothing",
    }
    with pytest.raises(AttributeError):
        lookup("loadmaster.packing.solve.nothing")
    with pytest.raises(AttributeError):
        lookup("loadmaster.no_such_room")
