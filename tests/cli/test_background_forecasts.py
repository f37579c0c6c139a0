"""Forecasts beside a live run: another process makes them, and nobody waits for it."""

import json
import sys
import time

import pytest

from loadmaster.cli.background_forecasts import BackgroundForecasts
from loadmaster.verbs import record_reader_process

ROWS = [
    {"job": "17", "at_s": 100.0, "start_s": 140.0, "low_s": 120.0, "high_s": None},
    {"job": "18", "at_s": 100.0, "start_s": 220.0, "low_s": 120.0, "high_s": 300.0},
]


def said(rows, jobs=0, inside=0):
    text = json.dumps({"forecasts": rows, "judged": {"jobs": jobs, "inside": inside}})
    return [sys.executable, "-c", f"print({text!r})"]


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Nobody waits until there is something to foretell from."""
    monkeypatch.setattr(record_reader_process, "FIRST_S", 0.0)


def until(foretelling, holds):
    end = time.monotonic() + 60.0
    while not holds(foretelling.look()):
        assert time.monotonic() < end, foretelling.text
        time.sleep(0.02)
    return foretelling.text


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (
            said(ROWS, 20, 15),
            "17 starts in 40 s (20 s to never); the last of 2 waiting jobs in 2 min; "
            "75 % of 20 earlier starts were inside the interval",
        ),
        (said([]), "no job waits"),
        (said([ROWS[0] | {"start_s": None}]), "no waiting job can ever start"),
        ([sys.executable, "-c", "raise SystemExit(2)"], "none yet: too few jobs have ended"),
    ],
    ids=["two wait", "nobody", "never", "refused"],
)  # fmt: skip
def test_what_another_process_foretells_is_told_in_a_line(tmp_path, program, text):
    with BackgroundForecasts(tmp_path, program) as foretelling:
        assert foretelling.look() == "nothing yet"
        assert until(foretelling, lambda told: told != "nothing yet") == text


def test_a_look_never_waits_and_the_end_leaves_no_process_behind(tmp_path):
    with BackgroundForecasts(tmp_path, [sys.executable, "-c", "import time; time.sleep(600)"]) as foretelling:
        for _ in range(3):
            assert foretelling.look() == "nothing yet"
        child = foretelling._child
        assert child.poll() is None
    assert child.poll() is not None


def test_one_is_made_after_the_other_and_not_too_often(tmp_path, monkeypatch):
    monkeypatch.setattr(record_reader_process, "EVERY_S", 0.0)
    counted = tmp_path / "count"
    program = [sys.executable, "-c", f"open({str(counted)!r}, 'a').write('x')"]
    with BackgroundForecasts(tmp_path, program) as foretelling:
        until(foretelling, lambda told: counted.exists() and len(counted.read_text()) == 2)
    monkeypatch.setattr(record_reader_process, "EVERY_S", 1e6)
    counted.unlink()
    with BackgroundForecasts(tmp_path, program) as foretelling:
        until(foretelling, lambda told: told.startswith("none yet"))
        for _ in range(20):
            foretelling.look()
        assert foretelling._child is None
    assert counted.read_text() == "x"
