"""The pages of the API reference, read off the package: which names stand on which page, for Sphinx to document."""

import ast
import functools
import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import Any, ClassVar, get_args, get_origin

ROOMS = [
    "model", "place", "order", "backfilling", "sharing", "packing", "sizing", "move", "scheduling", "sim", "traces",
    "measure", "runs",
]  # fmt: skip
"""Rooms whose public names (`__all__`) make up the reference beside those of the package itself."""


def api_pages() -> dict[str, list[str]]:
    """{name of a page: its lines}, the list of them all last."""
    pages = {"api-loadmaster": _public_names(), "api-results": _results(), "api-values": _values()}
    for room in ROOMS:
        if _public(room):
            pages[f"api-{room}"] = _page(f"loadmaster.{room}", "", [f".. automodule:: loadmaster.{room}"])
    listed = ["```{toctree}", *pages, "```"]
    return pages | {
        "api": [
            "# Python API",
            "",
            "The verbs, their results, and all other public names, room by room.",
            "",
            *listed,
        ]
    }


def verbs() -> list[tuple[str, Any]]:
    """(full name, function) of every function of the package, those of its modules after them."""
    import loadmaster

    names = [*loadmaster.__all__, "open"]
    found = {f"loadmaster.{name}": getattr(loadmaster, name) for name in names}
    listed = [(name, each) for name, each in found.items() if callable(each) and not isinstance(each, type)]
    for module in (loadmaster.generate, loadmaster.live):
        listed += [(f"{module.__name__}.{name}", getattr(module, name)) for name in module.__all__]
    return listed


def results() -> list[type]:
    """The results of the verbs, in the order of the verbs, their common parent first."""
    verbs_room = importlib.import_module("loadmaster.verbs")
    for module in pkgutil.iter_modules(verbs_room.__path__):
        importlib.import_module(f"loadmaster.verbs.{module.name}")
    parent = importlib.import_module("loadmaster.verbs.result").Result
    return [parent, *sorted(parent.__subclasses__(), key=lambda each: (each.verb, each.__name__))]


def values() -> list[type]:
    """The classes of all that results hold, and of what those hold in turn, but for what a page of a room has."""
    told = {
        getattr(importlib.import_module(f"loadmaster.{room}"), name)
        for room in ROOMS
        for name in _public(room)
        if isinstance(getattr(importlib.import_module(f"loadmaster.{room}"), name), type)
    }
    seen = dict.fromkeys([*results(), *(kind for _, verb in verbs() for kind in given_by(verb))])
    waiting = [*seen]
    while waiting:
        inner = [kind for hint in hints_of(waiting.pop(0)).values() for kind in _classes_in(hint)]
        new = [kind for kind in dict.fromkeys(inner) if kind not in seen and _is_value(kind)]
        seen |= dict.fromkeys(new)
        waiting += new
    return sorted((kind for kind in seen if kind not in told and kind not in results()), key=name_of)


def given_by(verb: Any) -> list[type]:
    """The classes of this package that a verb says it gives."""
    names = _names_for_types(importlib.import_module(verb.__module__))
    hint = _resolved(inspect.signature(verb).return_annotation, names)
    return [kind for kind in _classes_in(hint) if _is_value(kind)]


def name_of(kind: type) -> str:
    """Where it stands, and its name."""
    return f"{kind.__module__}.{kind.__qualname__}"


def hints_of(kind: type) -> dict[str, Any]:
    """{public field, property or method: the type of what it gives}, of the class alone."""
    names = _names_for_types(importlib.import_module(kind.__module__))
    hints = dict(vars(kind).get("__annotations__", {}))
    for name, member in vars(kind).items():
        call = getattr(member, "fget", None) or getattr(member, "func", member)  # of a property, of a cached one
        if inspect.isfunction(call):
            hints[name] = call.__annotations__.get("return")
    return {name: _resolved(hint, names) for name, hint in hints.items() if not name.startswith("_")}


def _public_names() -> list[str]:
    intro = (
        "Every verb is a function. [Results](api-results.md) describes the value that each returns, and "
        "[the page on Python](../python.md) has all verbs in one table."
    )
    environment = importlib.import_module("loadmaster.verbs.environment")
    classes = [environment.Environment, environment.AgentObservation]
    functions = [f".. autofunction:: {name}" for name, _ in verbs()]
    return _page("loadmaster", intro, [*functions, *(f".. autoclass:: {name_of(kind)}" for kind in classes)])


def _results() -> list[str]:
    intro = (
        "The verbs return these classes. All have the attributes of the first class, their parent; the other classes "
        "list only their own. Times are seconds and memory is bytes unless a name says otherwise."
    )
    return _page("Results", intro, [f".. autoclass:: {name_of(kind)}" for kind in results()])


def _values() -> list[str]:
    intro = (
        "These are the values inside [results](api-results.md), for programs that need more than a result's table. "
        "They are ordered by module. J is the number of jobs, H of hosts, R of resources."
    )
    return _page("What results hold", intro, [f".. autoclass:: {name_of(kind)}" for kind in values()])


def _page(title: str, intro: str, declared: list[str]) -> list[str]:
    spaced = [line for each in declared for line in (each, "")]
    return [f"# {title}", "", *([intro, ""] if intro else []), "```{eval-rst}", *spaced[:-1], "```"]


def _public(room: str) -> list[str]:
    return getattr(importlib.import_module(f"loadmaster.{room}"), "__all__", [])


@functools.cache
def _names_for_types(module: ModuleType) -> dict[str, Any]:
    """All names that annotations of the module use, those among them that only type checkers import."""
    names = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            imports = [each for each in node.body if isinstance(each, ast.Import | ast.ImportFrom)]
            exec(compile(ast.Module(imports, []), module.__name__, "exec"), names)  # our own source
    return names


def _resolved(hint: Any, names: dict[str, Any]) -> Any:
    while isinstance(hint, str):
        hint = eval(hint, names)  # our own source
    return hint


def _classes_in(hint: Any) -> list[type]:
    if get_origin(hint) is ClassVar:
        return []
    if get_origin(hint) is None:
        return [hint] if isinstance(hint, type) else []
    return [kind for each in get_args(hint) for kind in _classes_in(each)]


def _is_value(kind: type) -> bool:
    """A class of this package; the options of a verb are told by its function."""
    from loadmaster.verbs.option import Options

    return kind.__module__.startswith("loadmaster.") and not issubclass(kind, Options)
