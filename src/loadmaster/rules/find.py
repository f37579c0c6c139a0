"""Finds what a user names as `file.py:name`: reads the file, runs it once, takes the function out of it.

A file is always run from its text, never from a copy on disk. So the text in a record or from another machine is run as
it is, and nothing is written where another user could have put a link.
"""

import contextlib
import importlib.util
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from traceback import walk_tb
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.rules.by_value import is_given, name_in, text_given
from loadmaster.rules.in_process import rule_in_process
from loadmaster.rules.near import near_to
from loadmaster.rules.state import refuse_state
from loadmaster.rules.texts import remember

Sources = Mapping[str, str]
"""Text of every Python file that holds a function of the user's, by its path as given."""
NO_SOURCES: Sources = MappingProxyType({})


@dataclass(frozen=True)
class Reference:
    """A function of the user's: `path/to/file.py:name`, or `@name` of one that was given in Python.

    Attributes:
        path: of the file, as given; of a function given in Python its whole name.
        name: of the function in it.

    Example:
        >>> Reference.of("rules/mine.py:even_leftover")
        Reference(path='rules/mine.py', name='even_leftover')
        >>> Reference.of("mix-fit") is None
        True
    """

    path: str
    name: str

    def __str__(self) -> str:
        return self.path if is_given(self.path) else f"{self.path}:{self.name}"

    @classmethod
    def of(cls, spec: str) -> "Reference | None":
        """The reference that `spec` is; None where it is the name of something built in.

        Raises:
            InputError: a file without a function, or a function without a file.
        """
        if is_given(spec):
            return cls(spec, name_in(spec))
        if ":" not in spec and not spec.endswith(".py"):
            return None
        path, _, name = spec.rpartition(":")
        if not path or not name:
            raise InputError(spec, "a function of your own is named with its file", fix="write file.py:function")
        return cls(path, name)

    def text(self) -> str:
        """What stands in the file.

        Raises:
            InputError: there is no such file, or it is not text.
        """
        if is_given(self.path):
            return text_given(self.path)
        file = Path(self.path)
        if not file.is_file():
            raise InputError(self.path, "no such file", fix="give the path of the Python file with your function")
        try:
            return importlib.util.decode_source(file.read_bytes())
        except (SyntaxError, UnicodeDecodeError) as error:
            raise InputError(self.path, "not a Python file: it is not text in UTF-8") from error
        except OSError as error:
            raise InputError(self.path, f"cannot be read: {error.strerror or error}") from error

    def function(self, text: str | None = None) -> FunctionType:
        """The function itself, as `thing` finds it.

        Raises:
            InputError: the file cannot be run, or has no such function.
        """
        found = self.thing(text)
        if not inspect.isfunction(found):
            raise InputError(self.name, f"not a function but {_article(found)}", where=self.path)
        return found

    @property
    def is_in_process(self) -> bool:
        """Whether it names a rule that is called as it is, and not from its text."""
        return rule_in_process(self.path) is not None

    def thing(self, text: str | None = None) -> Any:
        """The function or the class; of the file as it stands there, or of its `text`; the rule itself if in process.

        A function that is compiled already (`@njit`) is given back as the Python that it was made of.

        Raises:
            InputError: the file cannot be run, or has no such function or class.
        """
        rule = rule_in_process(self.path)
        if text is None and rule is not None:
            return rule.thing
        file = Path(self.path).absolute()
        module = _run(self.path, str(file), self.text() if text is None else text)
        found: Any = getattr(module, self.name, None)
        found = getattr(found, "py_func", found)
        if inspect.isfunction(found) or isinstance(found, type):
            refuse_state(found, self.path)
            return found
        if found is not None:
            raise InputError(self.name, f"not a function but {_article(found)}", where=self.path)
        near = near_to(self.name, [name for name, value in vars(module).items() if callable(value)])
        raise InputError(
            self.name,
            "no such function",
            where=self.path,
            fix=f"did you mean {near}?" if near else "name a function of this file",
        )


def sources(*specs: str) -> dict[str, str]:
    """The text of every file that a spec among `specs` names, by its path as given; built-in names have none.

    Nor has a rule that is called in this process.

    A mover behind a spec (`file.py:name+mosix`) is no part of the path.

    Raises:
        InputError: a file is not there or not text.
    """
    references = [reference for spec in specs if (reference := Reference.of(spec)) is not None]
    return {reference.path: reference.text() for reference in references if not reference.is_in_process}


def given(specs: tuple[str, ...]) -> list[str]:
    """Those of `specs` that name a function of a file, each once, in order."""
    return list(dict.fromkeys(spec for spec in specs if Reference.of(spec) is not None))


def refuse_end(ending: SystemExit) -> None:
    """Refuse a file of the user's that has ended the program, as `sys.exit` does; another end is none of ours.

    Raises:
        InputError: it was one.
    """
    for frame, line in walk_tb(ending.__traceback__):
        if str(frame.f_globals.get("__name__", "")).startswith(_GIVEN):
            where = f"{frame.f_code.co_filename}:{line}"
            rule = "a rule decides, and does not end the program"
            raise InputError(frame.f_code.co_name, rule, fix="let it raise an error", where=where) from None


_GIVEN = "loadmaster_given_"
"""How the names of modules begin that are files of the user's."""


@lru_cache(maxsize=256)
def _run(path: str, file: str, text: str) -> ModuleType:
    # Remembered, so that a function is the same object, and compiled once, however many runs use it.
    name = f"{_GIVEN}{sha256(f'{file}:{text}'.encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    module.__file__ = file
    remember(name, file, text)
    sys.modules[name] = module
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is for what the verb prints
            exec(compile(text, file, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        message = f"this file cannot be imported: {type(error).__name__}: {error}"
        raise InputError(path, message[:200]) from error
    for called, value in list(vars(module).items()):
        plain = getattr(value, "py_func", None)
        if getattr(plain, "__module__", "") == name:  # compiled by its author, perhaps without checks of indices
            setattr(module, called, plain)
    return module


def _article(found: object) -> str:
    kind = "class" if inspect.isclass(found) else type(found).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
