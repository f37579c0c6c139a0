"""The name under which a result is kept: equal for results that must come out alike, and only for those."""

import dataclasses
import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from loadmaster import __version__
from loadmaster.results.stamp import stamp


def key_of(kind: str, made_by: Iterable[str], **shaped_by: Any) -> str:
    """Sixty-four hex digits over all that shapes a result.

    Args:
        kind: of result, such as `compare`.
        made_by: the modules whose source makes it, with all that they import (`stamp`).
        shaped_by: the rest: digest of the input, setting, text of the user's files. Plain values and dataclasses, of
            which those fields count that make two of them unequal.

    Example:
        >>> key_of("row", ["loadmaster.place"], seed=1) == key_of("row", ["loadmaster.place"], seed=2)
        False
    """
    everything = {"kind": kind, "version": __version__, "stamp": stamp(*made_by), "shaped_by": shaped_by}
    return sha256(json.dumps(everything, sort_keys=True, default=_plain).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.compare}
        return {"class": type(value).__qualname__, **fields}
    raise TypeError(f"{value!r} cannot be part of a key")
