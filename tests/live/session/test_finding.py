"""What doctors of all engines say in the same words."""

import numpy as np
import pytest

from loadmaster.live.session.finding import Finding, host_count, left_out, listing_time


@pytest.mark.parametrize(("took_s", "level", "fix"), [(0.2, "ok", ""), (3.0, "note", "take an --interval of 30 s or")])
def test_a_slow_listing_asks_for_a_longer_interval(took_s, level, fix):
    finding = listing_time(took_s, "jobs")
    assert (finding.level, finding.fix.startswith(fix)) == (level, True)
    assert finding.what == f"listing all jobs takes {1000 * took_s:.0f} ms"


def test_hosts_that_are_down_are_counted():
    assert host_count(np.array([True, False]), "node", "pods") == "2 nodes, 1 of them takes no pods now"
    assert host_count(np.array([True]), "host", "jobs") == "1 host"


def test_reasons_are_told_by_how_often_they_are_met():
    pairs = [("a@1", "odd"), *((f"{name}@2", "licences") for name in "bcde")]
    assert left_out(pairs) == [Finding("note", "4 left out: licences"), Finding("note", "1 left out: odd")]
    named = left_out(pairs, lambda name: name.partition("@")[0])
    assert [each.what for each in named] == ["4 left out: licences (b, c, d, ...)", "1 left out: odd (a)"]
