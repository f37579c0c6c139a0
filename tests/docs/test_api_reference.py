"""Every public name, every result of a verb and all that they hold stand in the API reference."""

import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest

import loadmaster

DOCS = Path(__file__).parents[2] / "docs"


def _written():
    spec = importlib.util.spec_from_file_location("api_pages", DOCS / "api_pages.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


API = _written()
PAGES = API.api_pages()
RESULTS, VALUES = API.results(), API.values()


def declared():
    """{name} of all functions and classes that the pages name, and of all that the modules on them offer."""
    names = set()
    lines = [line for page in PAGES.values() for line in page]
    for kind, name in re.findall(r"^\.\. auto(\w+):: (\S+)$", "\n".join(lines), re.MULTILINE):
        offered = importlib.import_module(name).__all__ if kind == "module" else ()
        names |= {name, *(f"{name}.{each}" for each in offered)}
    return names


def told_of(kind):
    """Names of the attributes that the docstrings of a class and of its parents tell of."""
    names = set()
    for each in kind.__mro__:
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)*)", inspect.getdoc(each) or "", re.MULTILINE)
        for listed in re.findall(r"^    (\w[\w, ]*):", section[1] if section else "", re.MULTILINE):
            names |= set(listed.split(", "))
    return names


def untold(kind):
    """Public fields, properties and methods of a class that its documentation does not tell of."""
    public = {name for each in kind.__mro__ if each.__module__.startswith("loadmaster") for name in API.hints_of(each)}
    own = {name for name in public if inspect.getdoc(_member(kind, name)) and not _is_field(kind, name)}
    return sorted(public - own - told_of(kind))


def _member(kind, name):
    found = inspect.getattr_static(kind, name, None)
    return getattr(found, "func", found)


def _is_field(kind, name):
    return any(name in vars(each).get("__annotations__", {}) for each in kind.__mro__)


def test_every_page_of_the_reference_is_listed():
    assert set(PAGES) - {"api"} == set(PAGES["api"][PAGES["api"].index("```{toctree}") + 1 : -1])


@pytest.mark.parametrize("name", [*loadmaster.__all__, "open"])
def test_every_public_name_stands_in_the_reference(name):
    found, names = getattr(loadmaster, name), declared()
    if inspect.ismodule(found):
        assert {f"{found.__name__}.{each}" for each in found.__all__} <= names
    elif inspect.isclass(found):
        assert any(each.rpartition(".")[2] == name for each in names)
    else:
        assert f"loadmaster.{name}" in names


def test_what_a_verb_gives_stands_in_the_reference():
    names = {each.rpartition(".")[2] for each in declared()}
    given = {kind.__name__ for _, verb in API.verbs() for kind in API.given_by(verb)}
    assert given <= names
    assert {"Compared", "Lived", "Trace", "Bag", "Instance"} <= given


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_a_result_tells_of_all_its_public_attributes(kind):
    assert API.name_of(kind) in declared()
    assert untold(kind) == []


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_a_value_in_a_result_has_a_docstring_and_so_have_its_methods(kind):
    assert API.name_of(kind) in declared()
    assert inspect.getdoc(kind)
    assert [name for name in untold(kind) if not _is_field(kind, name)] == []


def test_an_attribute_that_nobody_tells_of_is_noticed():
    class Short(loadmaster.verbs.result.Result):
        """One without words.

        Attributes:
            known, listed: are told.
        """

        __module__ = "loadmaster.verbs.result"
        known: int
        listed: int
        gone: int

        @property
        def silent(self) -> int:
            return 1

    Short.silent.__doc__ = None
    assert untold(Short) == ["gone", "silent"]
