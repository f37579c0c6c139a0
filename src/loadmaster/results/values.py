"""A value of this package as two files of a folder, and back: plain text and arrays. Nothing that is read is run.

result.json   what it is, the version that wrote it, its tree of plain values, and the digest of the arrays
result.npz    its arrays

Only frozen dataclasses and named tuples of this package are made again of what is read, through the constructors that
check them; a folder from another user can make a wrong value, never an action.
"""

import dataclasses
import importlib
import json
import math
import zipfile
from collections.abc import Callable, Mapping
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster import __version__
from loadmaster.model.errors import InputError, one_line
from loadmaster.results.block import from_arrays
from loadmaster.system.whole_file import whole_file, write_whole

ABOUT, ARRAYS = "result.json", "result.npz"
FORMAT = 2
"""Raised when a folder written before can no longer be read."""
_PACKAGE = __name__.partition(".")[0]
_ROOMS = (
    "forecast", "measure", "model", "move", "packing", "papers", "report", "runs", "scheduling", "search", "sharing",
    "sim", "site", "sizing", "traces", "tuning", "verbs",
)  # fmt: skip
"""Whose values are made again of what is read; none of them acts when it is made."""
_DAMAGED = (
    KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, ImportError, OSError, EOFError,
    RecursionError, AssertionError, zipfile.BadZipFile,
)  # fmt: skip


class Foreign(NamedTuple):
    """A class of a library whose objects are written as plain values too.

    Attributes:
        is_one: whether a value is such an object.
        to_plain: of it, plain values.
        of_plain: it again.
    """

    is_one: Callable[[Any], bool]
    to_plain: Callable[[Any], Any]
    of_plain: Callable[[Any], Any]


def write_value(
    folder: Path, kind: str, value: Any, foreign: Mapping[str, Foreign] = {}, made: Mapping[str, Any] = {}
) -> None:
    """Write `value` into `folder`, in place of what is there; result.json last, so a folder with it is whole.

    Args:
        folder: an existing folder.
        kind: what it is, in a word.
        value: of frozen dataclasses and named tuples of this package, arrays, mappings, sequences and plain values.
        foreign: classes of libraries, by the names under which they are written.
        made: what is known of files that were made of it (`up_to_date.entry`), by their names.

    Raises:
        OSError: the folder cannot be written.
        TypeError: something in it is none of these.
    """
    arrays = _Arrays(once=True)
    tree = _tree(value, arrays, foreign)
    (folder / ABOUT).unlink(missing_ok=True)
    content = from_arrays({str(number): array for number, array in enumerate(arrays.met)})
    with whole_file(folder / ARRAYS) as part:
        part.write_bytes(content)
    about = {
        "format": FORMAT,
        "program": _PACKAGE,
        "version": __version__,
        "kind": kind,
        "arrays": _digest(content),
        "made": dict(made),
        "value": tree,
    }
    write_whole(folder / ABOUT, json.dumps(about, allow_nan=False) + "\n")


def digest_of(value: Any, foreign: Mapping[str, Foreign] = {}) -> str:
    """A name for all that `write_value` would write of `value`.

    Raises:
        TypeError: something in it cannot be written.
    """
    arrays = _Arrays(once=False)  # what is read again may hold copies
    digest = blake2b(json.dumps(_tree(value, arrays, foreign)).encode(), digest_size=16)
    each: dict[int, bytes] = {}
    for array in arrays.met:
        if id(array) not in each:
            each[id(array)] = blake2b(np.ascontiguousarray(array).data).digest()
        digest.update(f"{array.dtype.str}{array.shape}".encode() + each[id(array)])
    return digest.hexdigest()


def read_value(folder: Path, foreign: Mapping[str, Foreign] = {}) -> tuple[str, Any]:
    """What `write_value` wrote: its kind, and it.

    Raises:
        InputError: nothing was written there, by another version that wrote it otherwise, or it was changed.
    """
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if about["format"] != FORMAT:
            rule = f"this result has another format than {FORMAT}"
            raise InputError(about["format"], rule, fix="make it again", where=str(folder))
        content = (folder / ARRAYS).read_bytes()
        if _digest(content) != about["arrays"]:
            raise ValueError(f"{ARRAYS} was changed")
        with np.load(BytesIO(content), allow_pickle=False) as packed:
            arrays = [packed[str(number)] for number in range(len(packed.files))]
        return str(about["kind"]), _value(about["value"], arrays, foreign)
    except _DAMAGED as error:
        why = one_line(f"{type(error).__name__}: {error}", 80)
        raise InputError(folder, f"this result cannot be read: {why}", fix="make it again") from error


class _Arrays:
    """Arrays in the order in which they were met; with `once`, one that is met again has its number already."""

    def __init__(self, *, once: bool) -> None:
        self.met: list[NDArray[Any]] = []
        self._numbers: dict[int, int] = {}
        self._once = once

    def number(self, array: NDArray[Any]) -> int:
        """Its number; `met` holds it from now on, so that nothing else is found at its address."""
        at = len(self.met)
        if self._once and self._numbers.setdefault(id(array), at) != at:
            return self._numbers[id(array)]
        self.met.append(array)
        return at


def _tree(value: Any, arrays: _Arrays, foreign: Mapping[str, Foreign]) -> Any:
    """`value` as JSON takes it: what JSON lacks stands in an object of one key that says what it is."""

    def inner(part: Any) -> Any:
        return _tree(part, arrays, foreign)

    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return inner(value.item())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, np.ndarray):
        return {"array": arrays.number(value)}
    if isinstance(value, Path):
        return {"path": str(value)}
    if isinstance(value, Mapping):
        return {"map": [[inner(key), inner(each)] for key, each in value.items()]}
    return _of_class(value, inner, foreign)


def _of_class(value: Any, inner: Callable[[Any], Any], foreign: Mapping[str, Foreign]) -> Any:
    kind = type(value)
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        name = f"{kind.__module__}:{kind.__qualname__}"
        if _class(name) is not kind:
            raise TypeError(f"{name} is no class that can be kept")
        return {"of": name, "fields": {field: inner(getattr(value, field)) for field in _fields(kind)}}
    for name, plain in {"tuple": tuple, "list": list, "set": frozenset}.items():
        if isinstance(value, plain):
            parts = sorted(value) if plain is frozenset else value
            return {name: [inner(part) for part in parts]}
    for name, way in foreign.items():
        if way.is_one(value):
            return {"foreign": name, "plain": json.loads(json.dumps(way.to_plain(value)))}
    raise TypeError(f"{kind.__module__}.{kind.__qualname__} cannot be kept")


def _value(tree: Any, arrays: list[NDArray[Any]], foreign: Mapping[str, Foreign]) -> Any:
    if not isinstance(tree, dict):
        return tree

    def inner(part: Any) -> Any:
        return _value(part, arrays, foreign)

    if "of" in tree:
        return _class(tree["of"])(**{name: inner(part) for name, part in tree["fields"].items()})
    if "foreign" in tree:
        return foreign[tree["foreign"]].of_plain(tree["plain"])
    ((what, plain),) = tree.items()
    if what == "map":
        return {inner(key): inner(part) for key, part in plain}
    return (
        _LEAVES[what](plain)
        if what in _LEAVES
        else _of_array(plain, arrays)
        if what == "array"
        else _MANY[what](inner(part) for part in plain)
    )


def _of_array(number: int, arrays: list[NDArray[Any]]) -> NDArray[Any]:
    array = arrays[number]
    array.flags.writeable = False
    return array


_LEAVES: dict[str, Callable[[Any], Any]] = {"float": float, "path": Path}
_MANY: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "list": list, "set": frozenset}


def _class(name: str) -> Any:
    """The frozen dataclass or named tuple of this package that is called so.

    Raises:
        TypeError: it is none.
    """
    module, _, called = name.partition(":")
    package, room = (*module.split("."), "")[:2]
    if package != _PACKAGE or room not in _ROOMS or not called.isidentifier():
        raise TypeError(f"{name} is none of this package")
    kind = getattr(importlib.import_module(module), called)
    plain = isinstance(kind, type) and kind.__module__ == module
    named = plain and issubclass(kind, tuple) and hasattr(kind, "_fields")
    if not (named or (plain and dataclasses.is_dataclass(kind))):
        raise TypeError(f"{name} is no dataclass")
    return kind


def _fields(kind: Any) -> list[str]:
    if hasattr(kind, "_fields"):
        return list(kind._fields)
    return [field.name for field in dataclasses.fields(kind) if field.init]


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
