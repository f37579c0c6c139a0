"""How near our model is to what a real Slurm recorded."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "site" / "recorded"
BOUND = ROOT / "tests" / "site" / "recorded_bound"


@pytest.fixture
def nearness(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "beside_slurm"))
    import nearness

    return nearness


def test_a_record_is_not_apart_from_itself(nearness):
    real = nearness.recorded(RECORDED)
    same = nearness.apart(real, real)
    assert (same.jobs, same.pairs, same.mean_apart_s, same.hosts) == (60, 1.0, 0.0, 1.0)
    assert same.mean_wait_s[0] == same.mean_wait_s[1] > 40.0


def test_a_later_start_of_one_job_is_seen_in_pairs_waits_and_means(nearness):
    first = nearness.Seen(
        {"a": 0, "b": 0, "c": 0}, {"a": 1, "b": 2, "c": 3}, {"a": ("n1",), "b": ("n1",), "c": ("n2",)}
    )
    second = nearness.Seen(first.submit_s, {"a": 4, "b": 2, "c": 3}, {"a": ("n2",), "b": ("n1",), "c": ("n2",)})
    found = nearness.apart(first, second)
    assert found.pairs == pytest.approx(1 / 3)
    assert (found.mean_wait_s, found.mean_apart_s, found.median_apart_s) == ((2.0, 3.0), 1.0, 0.0)
    assert found.hosts == pytest.approx(2 / 3)


def test_our_model_of_the_recorded_site_is_as_near_as_the_page_says(nearness):
    found = nearness.apart(nearness.recorded(RECORDED), nearness.modelled(RECORDED))
    assert found.pairs > 0.85
    assert found.mean_wait_s[1] == pytest.approx(found.mean_wait_s[0], rel=0.05)
    assert found.hosts > 0.6


def test_our_model_of_the_recorded_site_with_limits_and_a_reservation_is_as_near_as_the_page_says(nearness):
    real, ours = nearness.recorded(BOUND), nearness.modelled(BOUND)
    found = nearness.apart(real, ours)
    assert found.pairs > 0.85
    assert found.mean_wait_s[1] == pytest.approx(found.mean_wait_s[0], rel=0.2)
    assert found.hosts > 0.55


def test_jobs_of_the_reservation_keep_to_its_hosts_and_its_time_as_they_did(nearness):
    for seen in (nearness.recorded(BOUND), nearness.modelled(BOUND)):
        named = [f"job{number}" for number in (4, 5, 6, 28, 39, 43)]
        assert all(set(seen.hosts[name]) <= {"n1", "n2"} for name in named)
        assert min(seen.start_s[name] for name in named) == pytest.approx(40.0, abs=1.0)
