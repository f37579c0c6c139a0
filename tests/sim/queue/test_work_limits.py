"""Limits on work done and to be done (rule C10): small schedules worked out by hand."""

import math

import numpy as np
import pytest

from loadmaster.measure import violations
from loadmaster.model import Cluster, Limits, Qos, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue.reference import replay


def starts(rows, discipline="skip", **rules):
    """Rows (submit, cores, runtime, estimate) under one QOS of these limits; four cores, every event."""
    submit, cores, runtime, estimate = zip(*rows, strict=True)
    jobs = Workload.of(submit_s=submit, runtime_s=runtime, cores=cores, estimate_s=np.array(estimate, float))
    limits = {name: rules.pop(name) for name in list(rules) if name.startswith("grp_")}
    made = SiteRules(qos=(Qos("normal", limits=Limits(**limits)),), **rules)
    cluster = Cluster(("cores",), np.array([[4.0]]), rules=made)
    schedule = replay(jobs, cluster, Scheduler(POLICIES["first-fit"], discipline_named(discipline)), interval_s=0.0)
    assert violations(jobs, cluster, schedule) == ()
    return [None if np.isnan(start) else start for start in schedule.start_s.tolist()]


@pytest.mark.parametrize("discipline", ["skip", "easy", "conservative", "netbatch"])
def test_what_running_jobs_may_still_take_falls_as_they_run(discipline):
    # 2 x (4000 - t) core-s are ahead of the first; the second needs 3000 of 10000: there at 500, seen at 600.
    rows = [(0, 2, 4000, 4000), (0, 1, 30, 3000)]
    assert starts(rows, discipline, grp_tres_run_s=(("cores", 10000.0),)) == [0, 600]


def test_a_job_that_ends_early_leaves_the_rest_of_its_limit_to_others():
    rows = [(0, 2, 20, 40), (0, 1, 30, 30)]
    assert starts(rows, grp_tres_run_s=(("cores", 100.0),)) == [0, 20]


USED = [(0, 1, 30, 50), (0, 1, 30, 50), (0, 1, 10, 20), (50, 1, 10, 40)]


@pytest.mark.parametrize(("safe", "expected"), [(True, [0, 0, 30, None]), (False, [0, 0, 0, 50])])
def test_work_done_counts_for_ever_where_nothing_fades(safe, expected):
    # Safe: two limits of 50 fill 100; at 30 they have used 60, so 20 more fit; 30 are left for one that needs 40.
    assert starts(USED, grp_tres_s=(("cores", 100.0),), limits_safe=safe) == expected


def test_a_limit_that_is_used_up_keeps_everybody_back():
    assert starts([(0, 4, 30, 30), (0, 4, 30, 30), (0, 4, 30, 30)], grp_wall_s=60.0) == [0, 30, None]


def test_work_done_fades_and_who_waits_for_that_starts_when_enough_has():
    first, second = starts([(0, 1, 100, 100), (100, 1, 50, 50)], grp_tres_s=(("cores", 100.0),), use_half_life_s=3600.0)
    used = 3600.0 / math.log(2.0) * (1.0 - 2.0 ** (-100.0 / 3600.0))
    assert (first, second) == (0, pytest.approx(100.0 + 3600.0 * math.log2(used / 50.0)))
