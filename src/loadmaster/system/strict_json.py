"""JSON by its standard: a number that is not finite becomes null, so that every reader can read it."""

import json
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any


def to_json(value: Any, *, indent: int | None = None) -> str:
    """`value` as one JSON text; NaN and the infinities, which JSON does not have, are written as null.

    Raises:
        TypeError: something in it is no data, such as an object of a class of ours: say what it holds instead.

    Example:
        >>> to_json({"load": float("inf"), "jobs": (1, 2)})
        '{"load": null, "jobs": [1, 2]}'
    """
    return json.dumps(plain(value), indent=indent, allow_nan=False)


def plain(value: Any) -> Any:
    """`value` in the types of JSON: dict, list, str, int, finite float, bool and None. Arrays become lists.

    Raises:
        TypeError: something in it is none of these, and no mapping, sequence, array or path.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if hasattr(value, "tolist"):  # an array of NumPy, or one number of it
        return plain(value.tolist())
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no data that JSON can hold")
