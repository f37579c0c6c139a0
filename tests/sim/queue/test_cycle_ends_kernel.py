"""Ends by cycle come in the cycles that a sorted list of ends gives, also where the ring of cycles goes around."""

import numpy as np
import pytest
from numba import njit

from loadmaster.jit.by_reference import by_reference
from loadmaster.model.time_grid import at_or_after
from loadmaster.sim.moments_kernel import cycle_of
from loadmaster.sim.queue.engine.cycle_ends_kernel import (
    counts_cycles,
    drop,
    empty_cycle_ends,
    first_of_cycle,
    next_end_s,
    note_run,
)


@njit
def start(given, end_s, interval_s, host):
    note_run(by_reference(given), cycle_of(end_s, interval_s), host, host + 1, host + 2, host + 3)


@njit
def next_moment(given, until_s, interval_s):
    return next_end_s(by_reference(given), until_s, interval_s)


@njit
def over(given, now, interval_s, hosts):
    """Write the hosts of the runs that are over at `now`; returns how many, -1 if another field is wrong."""
    ends, many = by_reference(given), 0
    number = first_of_cycle(ends, cycle_of(now, interval_s))
    while number > 0:
        run = ends.run[number]
        if run.kind != run.host + 1 or run.tasks != run.host + 2 or run.project != run.host + 3:
            return -1
        hosts[many] = run.host
        many += 1
        number = drop(ends, number)
    return many


@pytest.mark.parametrize("interval_s", [30.0, 0.1])
@pytest.mark.parametrize("seed", range(6))
def test_runs_end_in_the_cycles_of_a_sorted_list(seed, interval_s):
    rng = np.random.default_rng(seed)
    longest, most = float(rng.choice([3.0, 90.0, 1000.0])), 40
    ends, running = empty_cycle_ends(longest, most), []
    now, host, came = at_or_after(1e5 * interval_s / 7, interval_s), 0, np.zeros(most, np.int32)
    first_of = over(ends, now, interval_s, came)
    assert first_of == 0
    for _ in range(400):
        for _ in range(rng.integers(0, most + 1 - len(running))):
            end_s = now + rng.choice([rng.random() * longest, 1.0, 0.0]) * interval_s
            start(ends, end_s, interval_s, host)
            running.append((at_or_after(end_s, interval_s), host))
            host += 1
        arrival_s = now + rng.random() * rng.choice([2.0, longest]) * interval_s
        first_s = min(running)[0] if running else np.inf
        found_s = next_moment(ends, arrival_s, interval_s)
        assert found_s == (first_s if first_s <= at_or_after(arrival_s, interval_s) else np.inf)
        if running:
            assert next_moment(ends, np.inf, interval_s) == first_s
        now = min(found_s, at_or_after(arrival_s, interval_s))
        many = over(ends, now, interval_s, came)
        assert sorted(came[:many]) == [host for end_s, host in sorted(running) if end_s <= now]
        running = [run for run in running if run[0] > now]


def test_without_cycles_ends_are_elsewhere():
    assert not njit(lambda given: counts_cycles(by_reference(given)))(empty_cycle_ends(0.0, 5))
