import numpy as np
import pytest
from bound_jobs import bound_jobs
from small_queues_at_random import least_sum_of_waits_s, tiny_queue

from loadmaster.measure import waits
from loadmaster.model import CalendarRow, Cluster, Constraints, InputError, Preemption, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.search.bound import Ascent, bound, bound_of
from loadmaster.search.rigid import rigid_of
from loadmaster.sim.queue import simulate


def steps(number):
    """A clock that lets the search make so many steps."""
    ticks = iter(range(10**9))
    return {"within_s": float(number), "clock": lambda: float(next(ticks))}


def test_the_bound_is_never_above_the_best_of_all_schedules_in_a_thousand_tiny_cases():
    """Nor is the bound at any other prices."""
    rng, tight = np.random.default_rng(0), 0
    for seed in range(1000):
        workload, cluster = tiny_queue(seed)
        best_s = least_sum_of_waits_s(workload, cluster)
        found = bound_of(rigid_of(workload, cluster), **steps(30))
        assert found.mean_wait_s * found.jobs <= best_s, seed
        tight += best_s > 0.0 and found.mean_wait_s * found.jobs > 0.5 * best_s
        any_prices = Ascent(rigid_of(workload, cluster))
        for scale in (0.1, 1.0, 10.0):
            value, _ = any_prices.at(scale * rng.random(any_prices.best_price.shape))
            assert value + float(any_prices.late_s.sum()) <= best_s, seed
    assert tight > 100  # it is no bound of nothing


def test_where_nobody_need_wait_it_is_nothing_though_pooled_shortest_remaining_first_says_a_quarter():
    jobs = Workload.of(submit_s=[0, 1, 2, 3], runtime_s=[2, 2, 3, 4], cores=[3, 1, 3, 1])
    pool = Cluster.uniform(1, cores=4)
    assert least_sum_of_waits_s(jobs, pool) == 0.0
    assert bound(jobs, pool, within_s=0.05).mean_wait_s == 0.0
    assert pooled_shortest_remaining_first_s(jobs, 4.0) == 0.25


def pooled_shortest_remaining_first_s(workload, cores):
    """Sum of waits of a fluid that serves whoever has least work left with all cores, each at least its runtime."""
    left = workload.demand[:, 0] * workload.runtime_s
    submit_s, now, over = workload.submit_s, 0.0, np.full(workload.jobs, np.inf)
    while np.isinf(over).any():
        here = np.flatnonzero((submit_s <= now) & (left > 0))
        later = submit_s[submit_s > now]
        if not len(here):
            now = float(later.min())
            continue
        job = here[np.argmin(left[here])]
        lasts_s = min(left[job] / cores, later.min() - now if len(later) else np.inf)
        left[job] -= lasts_s * cores
        now += lasts_s
        if left[job] <= 1e-12:
            over[job], left[job] = now, 0.0
    return float((np.maximum(over, submit_s + workload.runtime_s) - submit_s - workload.runtime_s).sum())


def test_one_core_and_many_equal_jobs_come_near_the_truth():
    jobs = Workload.of(submit_s=[0] * 30, runtime_s=[10] * 30, cores=[1] * 30)
    found = bound(jobs, Cluster.uniform(1, cores=1), within_s=1.0).mean_wait_s
    assert 0.9 * 145.0 <= found <= 145.0


@pytest.mark.parametrize("kind", ["begin", "depends", "array", "partition", "features", "limits", "speed", "hosts"])
def test_no_run_of_an_engine_under_constraints_is_below_the_bound(kind):
    compared = 0
    for seed in range(12):
        workload, cluster = bound_jobs(seed, kind)
        ran = simulate(
            workload, cluster, POLICIES["first-fit"], discipline_named("easy"), interval_s=0.0, engine="reference"
        )
        if not ran.started.any():
            continue
        queue = rigid_of(workload, cluster)
        if ran.started[queue.row].all():
            compared += 1
            found_s = bound_of(queue, **steps(40)).mean_wait_s
            assert found_s <= waits(workload, ran)[queue.row].mean() + 1e-9
    assert compared >= 3


@pytest.mark.parametrize(
    "rules",
    [SiteRules(preemption=Preemption(by="qos")), SiteRules(calendar=(CalendarRow(5.0, 9.0, "down"),))],
)
def test_where_jobs_may_be_stopped_and_run_again_no_bound_is_claimed(rules):
    jobs = Workload.of(submit_s=[0], runtime_s=[10], cores=[1])
    cluster = Cluster(("cores",), np.ones((1, 1)), rules=rules)
    with pytest.raises(InputError, match="run once, to their end"):
        bound(jobs, cluster)


def test_a_later_begin_counts_as_wait_and_held_jobs_do_not_count():
    bound_by = Constraints(eligible_s=[7.0, 0.0], hold=[0, 1])
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[1, 1], constraints=bound_by)
    found = bound(jobs, Cluster.uniform(1, cores=1), within_s=0.05)
    assert (found.jobs, found.mean_wait_s) == (1, 7.0)
