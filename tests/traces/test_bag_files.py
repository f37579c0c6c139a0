"""Bags come from lines, tables and laws; what is no duration is named with its line."""

import gzip

import numpy as np
import pytest

from loadmaster.model.bag import Bag, BagLaw
from loadmaster.model.errors import InputError
from loadmaster.traces.bag import parse_bag, read_bag, write_bag


@pytest.mark.parametrize("name", ["bag.txt", "bag.csv", "bag.parquet"])
def test_what_is_written_is_read_back_to_the_bit(tmp_path, name):
    values = np.random.default_rng(0).exponential(100, 50)
    write_bag(values, tmp_path / name)
    assert np.array_equal(read_bag(tmp_path / name).duration_s, values)


def test_unknown_durations_stay_unknown_and_are_drawn_from_the_known(tmp_path):
    (tmp_path / "bag.txt").write_text("# measured\n10\n?\n20\nnan\n")
    bag = read_bag(tmp_path / "bag.txt")
    assert bag.tasks == 4
    assert set(bag.draw(np.random.default_rng(1))) <= {10.0, 20.0}
    with pytest.raises(InputError, match="no duration is known"):
        Bag(np.array([np.nan])).draw(np.random.default_rng(0))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10\nabc\n", r"bag.txt:2.*not a duration"),
        ("10\n-5\n", r"bag.txt:2.*more than 0"),
        ("a,b\n1,2\n", "which column"),
    ],
)
def test_a_bad_value_is_named_with_its_line(tmp_path, text, words):
    (tmp_path / "bag.txt").write_text(text)
    with pytest.raises(InputError, match=words):
        read_bag(tmp_path / "bag.txt")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("junk.csv", bytes(range(256)), "binary data"),
        ("latin.csv", "durée\n5\n".encode("latin-1"), "not text in UTF-8"),
        ("junk.parquet", bytes(range(256)), "not a Parquet file"),
        ("cut.csv.gz", gzip.compress(b"duration_s\n600\n", mtime=0)[:20], "cut short"),
        ("empty.csv", b"", "empty"),
        ("head.csv", b"duration_s\n", "at least one task"),
    ],
)
def test_a_file_that_holds_no_durations_is_refused_in_one_line(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        parse_bag(str(path))


def test_a_column_of_a_table_is_found_by_its_name(tmp_path):
    (tmp_path / "t.csv").write_text("name;wall_s;cpu_s\nx;1.5;9\ny;;9\n")
    assert np.array_equal(read_bag(tmp_path / "t.csv").duration_s, [1.5, np.nan], equal_nan=True)
    assert read_bag(tmp_path / "t.csv", "cpu_s").known.tolist() == [9.0, 9.0]


def test_a_law_is_a_law_and_a_wrong_one_is_refused():
    assert parse_bag("lognormal(60,1.2)x10") == BagLaw("lognormal", (60.0, 1.2), 10)
    for wrong in ("gauss(1,2)x3", "normal(1)x3", "normal(-1,2)x3", "nofile.txt"):
        with pytest.raises(InputError):
            parse_bag(wrong)
