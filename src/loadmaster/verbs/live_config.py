"""The file of `live --config`: options of an engine as TOML, read off the dataclass of its options.

The values are data: none is run, and nothing in them is expanded.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from loadmaster.model.errors import InputError, one_line
from loadmaster.rules.near import no_such
from loadmaster.verbs.option import Option, Options, check, described

_WORDS = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes", Path: "a text in quotes",
    list: "a list of texts in quotes",
}  # fmt: skip


def key_of(kind: type[Options], name: str) -> str:
    """How the option `name` is called in the file: as on the command line, without its dashes.

    Example:
        >>> from loadmaster.verbs.live_fake import FakeOptions
        >>> key_of(FakeOptions, "for_"), key_of(FakeOptions, "max_starts")
        ('for', 'max-starts')
    """
    return kind.flag(name).partition("/")[0].removeprefix("--").lower()


def read_config(kind: type[Options], path: str | Path) -> dict[str, Any]:
    """The options in the file, by the names of their fields.

    Args:
        kind: the options of the engine.
        path: of the file.

    Raises:
        InputError: it cannot be read, is not TOML, or has a key or a value that the engine does not take.
    """
    options = described(kind)
    keys = {key_of(kind, name): name for name in options}
    values = {}
    for key, value in _table(path).items():
        if key not in keys:
            known = [key for key, name in keys.items() if options[name][1].in_file]
            see = f"`--print config` lists the {len(known)} options"
            unknown = no_such(key, known, what="option", see=see)
            raise InputError(key, unknown.rule, fix=unknown.fix, where=str(path))
        hint, option = options[name := keys[key]]
        if not option.in_file:
            rule = "this option works on the command line only"
            raise InputError(key, rule, fix="leave it out of the file", where=str(path))
        try:
            values[name] = _option_value(value, hint, option, key)
        except InputError as error:
            raise InputError(error.value, error.rule, fix=error.fix, where=str(path)) from None
    return values


def config_text(kind: type[Options], given: Mapping[str, Any]) -> str:
    """A file with every option of an engine: those that are `given` by name, and the others as comments.

    Raises:
        InputError: a value cannot stand in such a file.
    """
    usual = {field.name: field.default for field in fields(kind)}
    parts = []
    for name, (hint, option) in described(kind).items():
        if not option.in_file:
            continue
        key = key_of(kind, name)
        if name in given:
            value = _option_value(plain_value(given[name]), hint, option, key)
            line = f"{key} = {_toml(value)}"
        else:
            line = f"# {key} = {option.metavar or 'VALUE' if usual[name] in (None, '') else _toml(usual[name])}"
        parts.append(f"# {option.help}\n{line}\n")
    return "\n".join(parts)


def _table(path: str | Path) -> dict[str, Any]:
    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", fix="name a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        why = one_line(str(error), 80)
        raise InputError(path, f"not TOML: {why}", fix='write lines such as interval = "30s"') from None


def _option_value(value: Any, hint: Any, option: Option, key: str) -> Any:
    """The value of one key, as its option takes it."""
    (kind,) = (each for each in _alternatives(hint if option.typed is None else option.typed) if each is not NoneType)
    also = () if isinstance(hint, str) else _alternatives(hint)
    several = any(get_origin(each) in (list, Sequence) for each in (kind, *also))
    if isinstance(value, list) and several and all(isinstance(each, str) for each in value):
        taken: Any = value if get_origin(kind) is list else ",".join(value)
    elif not _fits(value, kind) and not (float in also and _fits(value, float)):
        shown = value if isinstance(value, str) else _toml(value)
        raise InputError(shown, f"{key} takes {_words(kind)}")
    else:
        taken = Path(value) if kind is Path else value
    if option.rule and ":" in str(taken):
        rule = f"{key} in a file of options names no Python to be run"
        raise InputError(taken, rule, fix="name this rule on the command line")
    check(taken, hint, option, key)
    return taken


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str)
    if get_origin(kind) is list:
        return False
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, {Path: str, float: float | int}.get(kind, kind))


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _words(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(map(_toml, get_args(kind)))
    return _WORDS[get_origin(kind) or kind]


def plain_value(value: Any) -> Any:
    """A value as TOML and JSON take it: paths are texts."""
    if isinstance(value, Path):
        return str(value)
    return list(map(plain_value, value)) if isinstance(value, tuple | list) else value


def _toml(value: Any) -> str:
    """A value as TOML has it: its texts and lists are written as in JSON, but for one control character."""
    return json.dumps(plain_value(value), ensure_ascii=False, default=str).replace("\x7f", "\\u007f")
