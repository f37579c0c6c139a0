"""YAML as a host file needs it: lists and mappings of plain words, no references, nothing that grows."""

from pathlib import Path
from typing import Any

import yaml

from loadmaster.model import InputError
from loadmaster.traces.files import text_of

LARGEST = 1 << 20
"""Bytes; larger lists of hosts are written as CSV."""


def plain_yaml(path: Path) -> Any:
    """The document in `path`, every value as text.

    Raises:
        InputError: it cannot be read, is not YAML, too large or too deep, or has references (`*name`).
    """
    text = text_of(path)
    if len(text) > LARGEST:
        raise InputError(path.name, "more than a megabyte of YAML", fix="use CSV or Parquet", where=str(path))
    try:
        return yaml.load(text, _WithoutReferences)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        if isinstance(error, _Reference):
            rule, fix = "a reference (*name): host files have none", "write the value itself"
        else:
            rule, fix = "not YAML", "check quotes and indentation"
        raise InputError(path.name, rule, fix=fix, where=where) from None
    except RecursionError:
        raise InputError(path.name, "lists in lists without end", fix=FORM, where=str(path)) from None


FORM = "write it like - {count: 200, cores: 16, memory: 64GiB}"


class _Reference(yaml.MarkedYAMLError):
    """A value that stands elsewhere."""


class _WithoutReferences(yaml.BaseLoader):
    """References to references can stand for more than any memory holds."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise _Reference(problem_mark=self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        return super().compose_node(parent, index)
