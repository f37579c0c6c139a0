"""The text of a function or class given as an object, with all of its own that it uses, so that it stands alone.

What it uses is written before it: modules as imports, functions and classes defined beside it as text, numbers, words
and arrays as the values that they have now.
"""

import ast
import builtins
import dis
import inspect
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from loadmaster.model.errors import InputError
from loadmaster.rules.texts import recall, syntax_tree


class NoText(InputError):
    """No text can stand for a rule: a lambda, a source that cannot be read, or a value that cannot be written down."""


MOST_VALUES = 100_000
"""Values of an array that are still written down."""
_WITH_SIGN = ("BINARY_OP", "COMPARE_OP")
_OF_LOOKUP = {
    "LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD", "PUSH_NULL", "PRECALL", "CALL", "CALL_FUNCTION_EX", "EXTENDED_ARG",
    "NOP",
}  # fmt: skip
_FIX = "put the rule into a file, and name it file.py:function"


def text_alone(thing: Any) -> str:
    """Python that defines `thing` under its own name, and nothing that it does not use.

    Comments are not part of it; decorators of functions are left out, since rules are compiled by us.

    Raises:
        InputError: it is no function or class with a name, its source cannot be read or has changed since it was
            defined, or it uses what cannot be written down.
    """
    plain = getattr(thing, "py_func", thing)
    if not (inspect.isfunction(plain) or isinstance(plain, type)):
        kind = type(thing).__name__
        rule = "an object: what it keeps between its calls would be lost; a rule is a name, a function or a class"
        raise InputError(kind, rule, fix="write it as a def or a class")
    text = _Text(plain)
    text.define(plain.__name__, plain)
    return "\n".join(["from __future__ import annotations", *text.lines, ""])


class _Text:
    """Collects what `root` needs, in the order in which Python must read it."""

    def __init__(self, root: Any) -> None:
        self.root = root.__name__
        self.home = root.__module__
        self.lines: list[str] = []
        self._known: dict[str, Any] = {}

    def define(self, name: str, value: Any) -> None:
        """Make `name` stand for `value`."""
        if name in self._known:
            if self._known[name] is not value and not _same(self._known[name], value):
                raise InputError(name, f"this name stands for two things in {self.root}", fix=_FIX)
            return
        self._known[name] = value
        plain = getattr(value, "py_func", value)
        if isinstance(value, ModuleType):
            self.lines.append(f"import {value.__name__} as {name}")
        elif inspect.isfunction(plain) and plain.__module__ == self.home:
            if plain.__name__ == "<lambda>":
                alone = "it is a lambda, which has no name"
                rule = alone if name == self.root else f"{self.root} uses the lambda {name}"
                raise NoText(name, rule, fix="write it as def my_rule(...)")
            self._define_node(name, plain.__name__, _function_node(plain), _used_by(plain))
        elif isinstance(value, type) and value.__module__ == self.home:
            node = _class_node(value)
            self._define_node(name, value.__name__, node, _used_by_class(value, node))
        elif isinstance(value, type | FunctionType | BuiltinFunctionType | np.ufunc) or plain is not value:
            self.lines.append(self._import(name, plain))
        else:
            self.lines.append(f"{name} = {self._literal(name, value)}")

    def _define_node(self, name: str, own: str, node: ast.stmt, used: Iterable[tuple[str, Any]]) -> None:
        for each, value in used:
            self.define(each, value)
        self.lines.append(ast.unparse(node))
        if own != name:
            self.lines.append(f"{name} = {own}")

    def _import(self, name: str, value: Any) -> str:
        module = "numpy" if isinstance(value, np.ufunc) else str(getattr(value, "__module__", ""))
        own = str(getattr(value, "__qualname__", getattr(value, "__name__", "")))
        if getattr(sys.modules.get(module), own, None) is not value or module == "__main__":
            self._refuse(name, value)
        return f"from {module} import {own} as {name}"

    def _literal(self, name: str, value: Any) -> str:
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size <= MOST_VALUES:
            block = np.ascontiguousarray(value).tobytes().hex()
            made = f"__import__('numpy').frombuffer(bytes.fromhex('{block}'), '{value.dtype.str}')"
            return f"{made}.reshape({value.shape!r})"
        try:
            written = repr(value)
            if _same(ast.literal_eval(written), value):
                return written
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            pass
        return self._refuse(name, value)

    def _refuse(self, name: str, value: Any) -> NoReturn:
        rule = f"{self.root} uses this {type(value).__name__}, which cannot be written down as text"
        raise NoText(name, rule, fix=_FIX)


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and not isinstance(one, np.ndarray) and bool(one == other)


def _used_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The names outside of it that the code of `function` uses, and what they stand for now."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError as error:
            raise InputError(function.__name__, f"{name} has no value yet", fix=_FIX) from error
        if value is not function and name != "__class__":
            yield name, value
    for code in _codes(function.__code__):
        for each in dis.get_instructions(code):
            if each.opname == "LOAD_GLOBAL" and each.argval in function.__globals__:
                yield each.argval, function.__globals__[each.argval]


def _used_by_class(kind: type[Any], node: ast.ClassDef) -> Iterator[tuple[str, Any]]:
    """The same of a class: of its bases, decorators, annotations and values, and of its methods."""
    outside: dict[str, Any] = vars(sys.modules[kind.__module__])
    for method in _methods(kind):
        outside = method.__globals__
        yield from ((name, value) for name, value in _used_by(method) if value is not kind)
    names = {each.id for part in _outside_bodies(node) for each in ast.walk(part) if isinstance(each, ast.Name)}
    for name in sorted(names):
        if name in outside and outside[name] is not kind and not hasattr(builtins, name):
            yield name, outside[name]


def _outside_bodies(node: ast.ClassDef) -> Iterator[ast.AST]:
    yield from (*node.bases, *node.keywords, *node.decorator_list)
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            arguments = each.args
            yield from (*each.decorator_list, *arguments.defaults, *filter(None, arguments.kw_defaults))
        else:
            yield each


def _methods(kind: type[Any]) -> list[FunctionType]:
    """The functions that stand in the text of a class, and not those that a decorator has made."""
    values = [getattr(each, "fget", getattr(each, "__func__", each)) for each in vars(kind).values()]
    functions = [each for each in values if inspect.isfunction(each)]
    return [each for each in functions if each.__code__.co_qualname.startswith(f"{kind.__qualname__}.")]


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _function_node(function: FunctionType) -> ast.FunctionDef:
    """What defines `function`, without decorators."""
    name = function.__name__
    source = _source(function, name)
    parsed = _parsed(source if not source[:1].isspace() else f"if True:\n{source}", name)
    node = next((each for each in ast.walk(parsed) if isinstance(each, ast.FunctionDef)), None)
    if node is None or node.name != name:
        raise NoText(name, "this is not written as a def", fix="write it as def my_rule(...)")
    node.decorator_list = []
    _check_unchanged(function, node)
    return node


def _class_node(kind: type[Any]) -> ast.ClassDef:
    """What defines the class `kind`, found by one of its methods: a notebook knows no file of a class."""
    for method in _methods(kind):
        try:
            recall(method.__module__)
            lines, _ = inspect.findsource(method)
        except (OSError, TypeError):
            continue
        line = method.__code__.co_firstlineno
        for node in ast.walk(_parsed("".join(lines), kind.__name__)):
            if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
                within = {each.name: each for each in ast.walk(node) if isinstance(each, ast.FunctionDef)}
                own = within.get(method.__name__)
                if own is not None and own.lineno - len(own.decorator_list) <= line <= (own.end_lineno or line):
                    return node
    raise _unreadable(kind.__name__)


def _check_unchanged(function: FunctionType, node: ast.FunctionDef) -> None:
    """See that the text is that of the function, not of one that it wraps nor of a file that was edited since."""
    if hasattr(function, "__wrapped__"):
        rule = "a decorator put another function around it, which is no part of its text"
        raise InputError(node.name, rule, fix="write it without the decorator")
    free = function.__code__.co_freevars
    outer = syntax_tree(f"def outer({', '.join(free)}): pass")
    holder: Any = outer.body[0]
    holder.body = [*([] if node.name in free else [ast.Global([node.name])]), node]
    within = compile(ast.fix_missing_locations(outer), "<given>", "exec", dont_inherit=True)
    made = next((code for code in _codes(within) if code.co_name == node.name), None)
    if made is None or _gist(made) != _gist(function.__code__):
        rule = "its source has changed since it was defined"
        raise InputError(node.name, rule, fix="run its cell again, or import its module again")


def _gist(code: CodeType) -> tuple[Any, ...]:
    """What two compilations of one text share; how names are looked up depends on what stands around it."""
    constants = [_gist(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    steps = [
        (each.opname, each.argrepr if each.opname in _WITH_SIGN or each.opname.endswith("_FAST") else "")
        for each in dis.get_instructions(code)
        if each.opname not in _OF_LOOKUP
    ]
    return steps, constants, code.co_names, code.co_varnames


def _source(function: FunctionType, name: str) -> str:
    try:
        recall(function.__module__)
        return inspect.getsource(function)
    except (OSError, TypeError) as error:
        raise _unreadable(name) from error


def _parsed(text: str, name: str) -> ast.Module:
    try:
        return syntax_tree(text)
    except SyntaxError as error:
        raise _unreadable(name) from error


def _unreadable(name: str) -> NoText:
    return NoText(name, "its source cannot be read: it was typed where Python keeps none", fix=_FIX)
