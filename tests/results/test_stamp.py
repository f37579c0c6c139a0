"""The stamp of source sees every import of the package, and nothing that stands beside it."""

import ast
from pathlib import Path

import loadmaster
from loadmaster.results.stamp import file_of, imports_of, sources

HOME = Path(loadmaster.__file__).parent


def modules():
    """The full name of every module of the package."""
    for path in sorted(HOME.rglob("*.py")):
        parts = path.relative_to(HOME.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def parsed_imports(module):
    """What the parser says a module imports of the package."""
    names = set()
    for node in ast.walk(ast.parse(file_of(module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: a relative import would not be seen"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "later":
            names.add(node.args[0].value)
    return {name for name in names if file_of(name) is not None}


def test_every_import_that_the_parser_finds_is_seen():
    unseen = {module: parsed_imports(module) - set(imports_of(module)) for module in modules()}
    assert {module: names for module, names in unseen.items() if names} == {}


def test_a_result_of_compare_is_made_by_engines_policies_and_readers_but_not_by_pages():
    names = set(sources(["loadmaster.runs.outcome"]))
    assert {
        "loadmaster.place.mix_fit",
        "loadmaster.sim.queue.engine.host_blocks_kernel",
        "loadmaster.traces.swf_kernel",
    } <= names
    assert not [name for name in names if name.startswith(("loadmaster.report", "loadmaster.cli"))]


def test_the_public_names_do_not_make_every_result_depend_on_every_verb():
    assert sources(["loadmaster"]) == ["loadmaster"]


def test_what_is_loaded_later_is_of_the_room_that_names_it_so_that_no_import_points_up_unseen():
    named = {}
    for module in modules():
        for node in ast.walk(ast.parse(file_of(module).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "later":
                named[module, node.args[0].value] = node.args[0].value
    assert named
    assert [pair for pair in named if pair[0].split(".")[:2] != pair[1].split(".")[:2]] == []
    assert [name for name in named.values() if file_of(name) is None] == []
