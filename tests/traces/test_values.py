"""Cells of tables into numbers."""

import datetime

import numpy as np
import polars as pl
import pytest

from loadmaster.traces.values import Codes, durations, memory, moments, numbers

GB = 2**30


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [
        ("10-13:27:06", 912_426.0), ("00:00:24", 24.0), ("05:30", 330.0), ("77", 77.0), ("1.5", 1.5),
        ("01:00:00.250", 3600.25), (" 9 ", 9.0),
    ],
)  # fmt: skip
def test_durations_are_seconds_or_clocks(cell, seconds):
    assert durations(pl.Series([cell])).values.tolist() == [seconds]


@pytest.mark.parametrize("cell", ["UNLIMITED", "Partition_Limit", "", "Unknown", "N/A", "-"])
def test_words_for_no_value_are_missing_not_bad(cell):
    found = durations(pl.Series([cell, "1"]))
    assert (found.missing.tolist(), found.bad.tolist()) == ([True, False], [False, False])


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1:2:3:4", "abc", "1,5"])
def test_what_is_no_number_is_bad(cell):
    for read in (durations, numbers):
        found = read(pl.Series([cell]))
        assert (found.missing.tolist(), found.bad.tolist()) == ([False], [True])


@pytest.mark.parametrize(
    ("cell", "amount"),
    [("64GiB", 64 * GB), ("512M", 512 * 2**20), ("1024", 1024 * 1000), ("2.5k", 2560), ("10 KB", 10240), ("7b", 7)],
)
def test_memory_has_its_own_unit_or_that_of_the_column(cell, amount):
    assert memory(pl.Series([cell]), 1000.0).values.tolist() == [amount]


def test_moments_are_numbers_or_dates_told_by_the_first():
    dates = ["2016-12-22T07:15:12", "2016-12-22 07:15:13.5", "2016-12-22T07:15:12Z", "2016-12-22T08:15:12+01:00", "7"]
    found = moments(pl.Series(dates))
    assert (found.values[:4] - found.values[0]).tolist() == [0.0, 1.5, 0.0, 0.0]
    assert found.bad.tolist() == [False] * 4 + [True]
    assert moments(pl.Series(["5", "7.5"])).values.tolist() == [5.0, 7.5]


def test_typed_columns_are_read_as_they_are():
    when = datetime.datetime(2024, 1, 1)
    assert np.diff(moments(pl.Series([when, when + datetime.timedelta(hours=1)])).values).tolist() == [3600.0]
    assert durations(pl.Series([datetime.timedelta(minutes=2)])).values.tolist() == [120.0]
    found = numbers(pl.Series([1, None]))
    assert (found.values[0], found.missing.tolist()) == (1.0, [False, True])
    assert numbers(pl.Series([1.0, float("nan")])).bad.tolist() == [False, True]


def test_names_get_codes_in_the_order_of_appearance_over_all_batches():
    codes = Codes()
    assert codes(pl.Series(["eve", "bob", None, "eve"])).tolist() == [0, 1, -1, 0]
    assert codes(pl.Series(["12", "bob", "amy"])).tolist() == [2, 1, 3]


def test_numbers_stay_even_if_names_follow():
    codes = Codes()
    assert codes(pl.Series(["12", "7", None])).tolist() == [12, 7, -1]
    later = codes(pl.Series(["7", "bob", "12"])).tolist()
    assert (later[0], later[2]) == (7, 12)
    assert later[1] not in (7, 12)


def test_memory_beyond_all_numbers_is_bad():
    found = memory(pl.Series(["1e308", "1", "9" * 400 + "TiB"]), 1024.0)
    assert found.bad.tolist() == [True, False, True]
