"""Every sample in a documented form, cut anywhere or with random bytes: read, or refused in one line."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.traces import FORMATS, ReadOptions, read_trace
from traces.logs import write

FOLDER = Path(__file__).parent / "samples"
LOGS = sorted(path.name for path in FOLDER.iterdir())

OF_TABLES = {"swf", "openb", "alibaba2017", "azure2020", "csv", "parquet"}
"""Formats that are read column by column, on which tests of their own write logs."""


def test_every_format_of_records_has_a_sample_that_is_told_as_it():
    told = {read_trace(FOLDER / name).format for name in LOGS}
    assert told == FORMATS.keys() - OF_TABLES


def refusal(path, **options):
    """Why the log is refused, "" if it is read."""
    try:
        read_trace(path, ReadOptions(**options))
    except InputError as error:
        return str(error)
    return ""


def is_one_line(message):
    return "\n" not in message and len(message) < 400


@pytest.mark.parametrize("name", LOGS)
def test_a_sample_is_read_without_a_bad_line(name):
    assert refusal(FOLDER / name, strict=True) == ""


@pytest.mark.parametrize("name", LOGS)
def test_a_sample_that_is_cut_anywhere_is_read_or_refused_in_one_line(tmp_path, name):
    whole = (FOLDER / name).read_bytes()
    cut = [refusal(write(tmp_path, name, whole[:end])) for end in range(1, len(whole), max(1, len(whole) // 100))]
    assert all(is_one_line(message) for message in cut)


@pytest.mark.parametrize("name", LOGS)
def test_random_bytes_in_a_sample_are_read_or_refused_in_one_line(tmp_path, name):
    whole = (FOLDER / name).read_bytes()
    draw = np.random.default_rng(5)
    broken = [bytearray(whole) for _ in range(100)]
    for text in broken:
        for at in draw.integers(0, len(text), draw.integers(1, 40)):
            text[at] = draw.integers(1, 256)
    assert all(is_one_line(refusal(write(tmp_path, name, bytes(text)))) for text in broken)
