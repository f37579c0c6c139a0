"""Results as one block of bytes, and back: arrays, and rows of plain values. Nothing that is read back is ever run."""

import dataclasses
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The named arrays as one compressed block.

    Example:
        >>> arrays_of(from_arrays({"wait_s": np.array([1.5, 0.0])}))["wait_s"].tolist()
        [1.5, 0.0]
    """
    block = io.BytesIO()
    np.savez_compressed(block, **dict(arrays))  # type: ignore[arg-type]
    return block.getvalue()


def arrays_of(block: bytes) -> dict[str, NDArray[Any]]:
    """The arrays that `from_arrays` wrote."""
    with np.load(io.BytesIO(block), allow_pickle=False) as arrays:
        return dict(arrays)


def from_row(row: Any) -> bytes:
    """The fields of a dataclass of plain values, NaN and infinity among them."""
    return json.dumps(dataclasses.asdict(row)).encode()


def fields_of(block: bytes) -> dict[str, Any]:
    """The fields that `from_row` wrote, by name."""
    fields: dict[str, Any] = json.loads(block)
    return fields
