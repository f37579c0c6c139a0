"""The checker finds a wait for hosts that does not follow from their idle times, on random logs that engines made."""

from dataclasses import replace

import numpy as np
import pytest
from bound_jobs import bound_jobs

from loadmaster.measure import violations
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


@pytest.mark.parametrize("kinds", [("sleep",), ("sleep", "preempt"), ("sleep", "calendar"), ("sleep", "speed")])
def test_random_logs_pass_and_a_changed_wait_is_found(kinds):
    changed = 0
    for seed in range(30):
        workload, cluster = bound_jobs(seed, *kinds)
        schedule = simulate(workload, cluster, POLICIES["first-fit"], discipline_named("easy"))
        assert not violations(workload, cluster, schedule)
        waited = np.flatnonzero(schedule.start_up_s > 0)
        if waited.size:
            wrong = schedule.start_up_s.copy()
            wrong[waited[0]] = 0.0
            found = violations(workload, cluster, replace(schedule, start_up_s=wrong))
            assert any("for its hosts to start" in each or " ran " in each for each in found)
            changed += 1
    assert changed > 10
