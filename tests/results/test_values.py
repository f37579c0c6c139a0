"""Values of this package as two files, and back."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, InputError
from loadmaster.results.values import ABOUT, ARRAYS, digest_of, read_value, write_value
from loadmaster.sizing import FixedHosts, HostType
from loadmaster.traces import Skipped

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.builds(HostType, st.text(min_size=1), price_per_h=st.floats(0.1, 9))
    | st.builds(Path, st.sampled_from(["a", "b/c"]))
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=12,
)


@settings(max_examples=30)
@given(_VALUES)
def test_what_is_written_is_read_again(tmp_path_factory, value):
    folder = tmp_path_factory.mktemp("kept")
    write_value(folder, "some", value)
    assert read_value(folder) == ("some", value)


def test_arrays_keep_their_bits_and_are_not_written_to(tmp_path):
    array = np.array([0.1, math.nan, math.inf])
    write_value(tmp_path, "some", {"a": array, "b": np.array([True])})
    _, found = read_value(tmp_path)
    assert found["a"].tobytes() == array.tobytes()
    assert found["b"].dtype == bool
    assert not found["a"].flags.writeable


def test_a_not_a_number_is_no_number_in_the_file_and_one_again_when_read(tmp_path):
    write_value(tmp_path, "some", (math.nan, -math.inf))
    assert "NaN" not in (tmp_path / ABOUT).read_text()
    _, (none, least) = read_value(tmp_path)
    assert math.isnan(none)
    assert least == -math.inf


def test_a_cluster_is_made_again_by_its_own_constructor(tmp_path):
    write_value(tmp_path, "some", Cluster.uniform(3, cores=8))
    _, found = read_value(tmp_path)
    assert type(found) is Cluster
    assert found.capacity.tolist() == [[8.0]] * 3


def test_what_is_no_value_of_this_package_is_not_written(tmp_path):
    with pytest.raises(TypeError, match="cannot be kept"):
        write_value(tmp_path, "some", object())
    assert not (tmp_path / ABOUT).exists()


@pytest.mark.parametrize(
    "name",
    ["os:system", "subprocess:Popen", "loadmaster.live.bag.config:Terms", "loadmaster.model.errors:InputError",
     "loadmaster.model:Cluster", "loadmaster.traces.trace:Skipped.add", "loadmaster.model.nothing:Cluster"],
)  # fmt: skip
def test_a_file_cannot_name_what_is_no_value(tmp_path, name):
    write_value(tmp_path, "some", Skipped())
    about = json.loads((tmp_path / ABOUT).read_text())
    about["value"]["of"] = name
    (tmp_path / ABOUT).write_text(json.dumps(about))
    with pytest.raises(InputError, match="this result cannot be read"):
        read_value(tmp_path)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": 2}', '{"format": 2, "kind": "a", "arrays": 0}'])
def test_a_damaged_file_is_told_in_one_line(tmp_path, damage):
    write_value(tmp_path, "some", FixedHosts(3))
    (tmp_path / ABOUT).write_text(damage)
    with pytest.raises(InputError, match="this result cannot be read"):
        read_value(tmp_path)


def test_changed_arrays_are_noticed(tmp_path):
    write_value(tmp_path, "some", np.arange(9.0))
    content = bytearray((tmp_path / ARRAYS).read_bytes())
    content[50] ^= 1
    (tmp_path / ARRAYS).write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"result.npz was changed"):
        read_value(tmp_path)


def test_a_later_format_is_refused(tmp_path):
    write_value(tmp_path, "some", 1)
    text = (tmp_path / ABOUT).read_text().replace('"format": 2', '"format": 99')
    (tmp_path / ABOUT).write_text(text)
    with pytest.raises(InputError, match="another format than 2"):
        read_value(tmp_path)


def test_an_array_that_is_met_twice_is_written_once(tmp_path):
    waits = np.arange(1000.0)
    write_value(tmp_path, "waits", {"first": waits, "second": waits, "other": waits.copy()})
    with np.load(tmp_path / "result.npz") as arrays:
        assert len(arrays.files) == 2
    _, value = read_value(tmp_path)
    assert all((value[name] == waits).all() for name in ("first", "second", "other"))


def test_a_name_does_not_depend_on_whether_arrays_are_one_or_copies():
    waits = np.arange(1000.0)
    assert digest_of({"first": waits, "second": waits}) == digest_of({"first": waits, "second": waits.copy()})
    assert digest_of({"first": waits, "second": waits}) != digest_of({"first": waits, "second": waits + 1.0})
