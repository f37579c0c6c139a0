"""Durations as Slurm spells them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.site.times import duration_s, whole_minutes_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 5400), ("90:30", 5430), ("1:02:03", 3723), ("2-0", 172800), ("2-12", 216000), ("2-12:30", 217800),
        ("2-12:30:15", 217815), ("0", 0), ("UNLIMITED", math.inf), ("infinite", math.inf), ("-1", math.inf),
    ],
)  # fmt: skip
def test_every_form_is_read(text, seconds):
    assert duration_s(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "x", "1h", "1.5", "1:2:3:4", "1-2:3:4:5", "-5", "1-", "9" * 400, "1e3", "\u0663x"]
)
def test_other_forms_are_refused_in_one_line(text):
    with pytest.raises(InputError, match="not a duration of Slurm"):
        duration_s(text, "slurm.conf:3")


@given(st.integers(0, 10**6))
def test_limits_are_rounded_up_to_whole_minutes(seconds):
    kept = whole_minutes_s(f"0:{seconds}")
    assert kept % 60 == 0
    assert seconds <= kept < seconds + 60


@given(st.integers(0, 999), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_days_hours_minutes_and_seconds_add_up(days, hours, minutes, seconds):
    assert (
        duration_s(f"{days}-{hours:02}:{minutes:02}:{seconds:02}")
        == ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    )
