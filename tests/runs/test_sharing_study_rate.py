"""How fast a plain engine begins, of the run alone."""

import loadmaster.runs.sharing_study as pace
from loadmaster.runs.sharing_settings import SharingSettings


def test_what_comes_before_the_first_event_is_not_of_the_rate(monkeypatch):
    """A minute of compiling, then an event every tenth of a second."""
    now = [0.0]

    def run_sharing(_method, _workload, _cluster, _settings, watch, *_more):
        now[0] += 60.0
        for _ in range(100):
            watch(0, 100)
            now[0] += 0.1

    monkeypatch.setattr(pace.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(pace, "run_sharing", run_sharing)
    assert round(pace.events_a_second("my.py:Walk", "", None, None, SharingSettings(), {}), 6) == 10


def test_a_run_that_ends_within_the_trial_has_no_rate(monkeypatch):
    monkeypatch.setattr(pace, "run_sharing", lambda _m, _w, _c, _s, watch, *_more: watch(1, 1))
    assert pace.events_a_second("my.py:Walk", "", None, None, SharingSettings(), {}) is None
