"""Items of arrays are the ones that NumPy has at the same place, for every layout, type and kind of index."""

import numpy as np
import pytest
from numba import njit

from loadmaster.jit.kernels import LEAN

RECORD = np.dtype([("first", np.int64), ("second", np.float64)])
INDICES = np.int64, np.int32, np.uint64, np.uint8, int


def put(array, at, value):
    array[at] = value


def get(array, at):
    return array[at]


def arrays(rng):
    """Arrays of one to three axes in each layout, with all their items distinct."""
    for axes in (1, 2, 3):
        lengths = tuple(int(each) for each in rng.integers(1, 5, axes))
        items = rng.permutation(int(np.prod(lengths))).reshape(lengths)
        for kind in (np.int64, np.int32, np.float64, np.uint8):
            array = items.astype(kind)
            yield from (array, np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2], array[..., ::-1])
        yield items > items.mean()


def places(rng, array):
    """Indices of some items, from the beginning and from the end."""
    for _ in range(4):
        kind = INDICES[rng.integers(len(INDICES))]
        lows = [0 if np.dtype(kind).kind == "u" else -length for length in array.shape]
        place = tuple(kind(rng.integers(low, length)) for low, length in zip(lows, array.shape, strict=True))
        yield place if array.ndim > 1 or rng.integers(2) else place[0]


@pytest.mark.parametrize("options", [LEAN, {}])
def test_items_are_read_and_written_where_numpy_has_them(options):
    rng = np.random.default_rng(1)
    getter, setter = njit(**options)(get), njit(**options)(put)
    for array in arrays(rng):
        for place in places(rng, array):
            assert getter(array, place) == array[place]
            ours, expected = array.copy("K"), array.copy("K")
            value = expected[place] + np.int8(1) if array.dtype != bool else not expected[place]
            setter(ours, place, value)
            expected[place] = value
            np.testing.assert_array_equal(ours, expected)


def test_fields_of_records_are_read_and_written():
    records = np.zeros(3, RECORD)

    @njit
    def note(records, at, number):
        records[at].first += number
        records[at].second = records[at].first / 4
        return records[at].second

    assert note(records, -1, 6) == 1.5
    assert records.tolist() == [(0, 0.0), (0, 0.0), (6, 1.5)]


def test_views_are_left_to_numba():
    table = np.arange(12.0).reshape(3, 4)
    whole = np.zeros(2, np.dtype([("few", np.int64, 3)]))
    np.testing.assert_array_equal(njit(get)(table, 1), table[1])
    np.testing.assert_array_equal(njit(get)(table, (slice(1, 3), 2)), table[1:3, 2])
    njit(lambda records: put_in(records))(whole)
    assert whole["few"].tolist() == [[0, 0, 0], [0, 7, 0]]
    njit(put)(table, 2, 9.0)
    assert table[2].tolist() == [9.0] * 4


@njit
def put_in(records):
    records[1].few[1] = 7


@pytest.mark.parametrize("place", [3, -4, (3,)])
def test_checked_bounds_are_still_checked(place):
    checked = {"boundscheck": True}
    with pytest.raises(IndexError):
        njit(**checked)(get)(np.zeros(3), place)
    with pytest.raises(IndexError):
        njit(**checked)(put)(np.zeros(3), place, 1.0)
