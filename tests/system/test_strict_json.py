import json
from pathlib import Path

import numpy as np
import pytest

from loadmaster.system.strict_json import plain, to_json


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -np.inf, np.float32("nan"), np.float64("inf")])
def test_what_is_no_finite_number_is_null_wherever_it_stands(value):
    assert (
        to_json({"a": [value, {"b": (value, np.array([1.5, value]))}]}) == '{"a": [null, {"b": [null, [1.5, null]]}]}'
    )


def test_numbers_of_numpy_and_paths_become_plain_ones():
    made = plain({"n": np.int64(3), "on": np.bool_(True), "x": np.float64(0.1), 5: Path("a") / "b"})
    assert made == {"n": 3, "on": True, "x": 0.1, "5": "a/b"}
    assert [type(part) for part in made.values()] == [int, bool, float, str]


def test_what_is_no_data_is_refused_and_not_written_as_python_shows_it():
    with pytest.raises(TypeError, match="object is no data"):
        to_json({"sizer": object()})


def test_digits_are_kept():
    assert json.loads(to_json(0.1 + 0.2)) == 0.1 + 0.2
