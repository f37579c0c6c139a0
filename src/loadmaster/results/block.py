"""Results as one block of bytes, and back: arrays, and rows of plain values. Nothing that is read back is ever run."""

import dataclasses
import io
import json
import zipfile
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
    with zipfile.ZipFile(
        block, "w", zipfile.ZIP_DEFLATED, compresslevel=1
    ) as packed:  # NumPy's takes three times as long
        for name, array in arrays.items():
            with packed.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
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
