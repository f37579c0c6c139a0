"""Mean waits so far, and what may be said of them."""

import pytest

from loadmaster.runs.interim_waits import InterimWaits


@pytest.mark.parametrize(
    ("site", "own", "model", "says"),
    [
        (100.0, 60.0, 110.0, "ours 1 min (−40 %); the model's error +10 %; 2 of"),
        (100.0, 95.0, 110.0, "(−5.0 %); the model's error +10 %, so no gain is claimed; 2 of"),
        (100.0, 60.0, None, "no gain is claimed, without the model's error"),
        (0.0, 14.0, 0.0, "no gain is claimed, no job waited there"),
    ],
)
def test_a_gain_is_told_only_beside_the_models_error_and_tells_nothing_below_it(site, own, model, says):
    assert says in str(InterimWaits(0.0, 9, 2, site, own, model))


def test_what_is_written_down_is_read_again():
    found = InterimWaits(5.0, 9, 2, 100.0, 60.0, 110.0)
    assert InterimWaits.of(found.plain()) == found
    assert found.plain()["gain"] == pytest.approx(-0.4)


def test_without_a_job_nothing_is_said_but_that():
    assert str(InterimWaits(5.0, 0, 0, 0.0, 0.0)) == "no job has come yet"
