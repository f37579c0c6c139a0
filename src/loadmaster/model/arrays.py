"""Names for the array types used in signatures, and the freezing of columns."""

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bools = NDArray[np.bool_]

_T = TypeVar("_T", bound=np.generic)


def frozen_floats(values: ArrayLike) -> Floats:
    """`values` as a contiguous float64 array that is read-only; copies only if it must."""
    return _read_only(np.ascontiguousarray(values, dtype=np.float64))


def frozen_ints(values: ArrayLike) -> Ints:
    """`values` as a contiguous int32 array that is read-only; copies only if it must."""
    return _read_only(np.ascontiguousarray(values, dtype=np.int32))


def frozen_longs(values: ArrayLike) -> Longs:
    """`values` as a contiguous int64 array that is read-only; copies only if it must."""
    return _read_only(np.ascontiguousarray(values, dtype=np.int64))


def frozen_bools(values: ArrayLike) -> Bools:
    """`values` as a contiguous array of flags that is read-only; copies only if it must."""
    return _read_only(np.ascontiguousarray(values, dtype=np.bool_))


def sum_of_products(left: Floats | Ints | Longs, right: Floats | Ints | Longs) -> float:
    """The sum of `left` x `right`, to the same bit on every machine and in whatever layout the columns are.

    `numpy.dot` is not: its library adds in another order where it has more threads, as a worker of Dask has not.

    Example:
        >>> sum_of_products(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        11.0
    """
    return float(np.sum(np.multiply(left, right)))


def _read_only(array: NDArray[_T]) -> NDArray[_T]:
    view = array.view()  # the caller's own array stays writeable
    view.flags.writeable = False
    return view
