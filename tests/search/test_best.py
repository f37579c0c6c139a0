import numpy as np
import pytest
from bound_jobs import bound_jobs
from random_queues import random_queue
from small_queues_at_random import least_sum_of_waits_s, tiny_queue

from loadmaster.measure import violations, waits
from loadmaster.model import Cluster, Constraints, Dependencies, InputError, Workload
from loadmaster.search.best import best_found, schedules_knowing_runtimes
from loadmaster.search.bound import bound_of
from loadmaster.search.greedy import lengths, listed
from loadmaster.search.rigid import rigid_of


def ticks():
    """A clock that counts how often it is asked."""
    counted = iter(range(10**9))
    return lambda: float(next(counted))


def test_what_is_found_is_a_sound_schedule_between_the_bound_and_the_greedy_lists():
    for seed in range(40):
        workload, cluster = random_queue(seed)
        greedy = best_found(workload, cluster, within_s=0.0, clock=ticks())
        found = best_found(workload, cluster, within_s=6.0, clock=ticks())
        assert violations(workload, cluster, found) == ()
        below = bound_of(rigid_of(workload, cluster), within_s=30.0, clock=ticks()).mean_wait_s
        assert below <= waits(workload, found).mean() <= waits(workload, greedy).mean()


def test_in_tiny_cases_of_single_tasks_it_is_mostly_the_best_of_all_schedules():
    optimal = compared = 0
    for seed in range(150):
        workload, cluster = tiny_queue(seed)
        best_s = least_sum_of_waits_s(workload, cluster)
        if workload.task_count.max() > 1 or best_s == 0.0:
            continue
        found_s = np.nansum(waits(workload, best_found(workload, cluster, within_s=6.0, clock=ticks())))
        assert found_s >= best_s - 1e-9
        compared += 1
        optimal += found_s <= best_s + 1e-9
    assert compared > 20
    assert optimal > 0.9 * compared


@pytest.mark.parametrize("kind", ["begin", "features", "speed"])
def test_begin_times_sets_of_hosts_and_speeds_are_kept(kind):
    for seed in range(8):
        workload, cluster = bound_jobs(seed, kind)
        assert violations(workload, cluster, best_found(workload, cluster, within_s=4.0, clock=ticks())) == ()


def test_what_the_search_cannot_keep_is_refused_by_name():
    bound_by = Constraints(depends=Dependencies.of(["", "afterok:0"]))
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[1, 1], cores=[1, 1], constraints=bound_by)
    with pytest.raises(InputError, match="dependencies"):
        best_found(jobs, Cluster.uniform(1, cores=1))


def test_the_same_moves_give_the_same_schedule():
    workload, cluster = random_queue(3)
    one, two = (best_found(workload, cluster, within_s=5.0, clock=ticks(), seed=7) for _ in range(2))
    assert one.same_as(two)


def test_on_a_single_host_jobs_of_several_tasks_are_moved_too():
    improved = 0
    for seed in range(12):
        workload, _ = random_queue(seed)
        host = Cluster(("cores", "memory"), np.full((1, 2), 14.0))
        assert rigid_of(workload, host).of_one_task
        listed, found = (best_found(workload, host, within_s=within_s, clock=ticks()) for within_s in (0.0, 60.0))
        assert violations(workload, host, found) == ()
        several = workload.task_count > 1
        improved += bool((listed.start_s[several] != found.start_s[several]).any())
    assert improved > 3


@pytest.mark.parametrize("seed", range(4))
def test_jobs_of_several_tasks_on_several_hosts_wait_no_longer_than_under_a_discipline_that_knows_runtimes(seed):
    rng, jobs = np.random.default_rng(seed), 120
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, 6000, jobs)),
        runtime_s=np.round(rng.lognormal(5.5, 1.2, jobs)) + 1,
        cores=np.full(jobs, 2),
        tasks=rng.choice([1, 2, 4, 6], jobs),
    )
    cluster = Cluster.uniform(4, cores=4)
    queue = rigid_of(workload, cluster)
    found = best_found(workload, cluster, within_s=100.0, clock=ticks())
    assert violations(workload, cluster, found) == ()
    lists = min(listed(queue, key, 0).start_s.sum() for key in (queue.ready_s, lengths(queue), queue.lasts_s[:, 0]))
    runs = [each.start_s.sum() for each in schedules_knowing_runtimes(workload, cluster, queue)]
    assert len(runs) == 8
    assert found.start_s.sum() <= min(runs)
    assert min(runs) < lists


def test_equal_hosts_that_hold_one_task_each_are_searched_as_one_and_handed_out_after():
    for seed in range(12):
        workload, _ = random_queue(seed)
        tasks = Workload.of(
            submit_s=workload.submit_s,
            runtime_s=workload.runtime_s,
            cores=np.full(workload.jobs, 3),
            memory=workload.demand[:, 1],
            tasks=workload.task_count,
        )
        apart = Cluster(("cores", "memory"), np.full((5, 2), 5.0))
        pool = Workload.of(submit_s=tasks.submit_s, runtime_s=tasks.runtime_s, cores=tasks.task_count)
        one, two = (
            best_found(jobs, on, within_s=20.0, clock=ticks())
            for jobs, on in ((tasks, apart), (pool, Cluster.uniform(1, cores=5)))
        )
        assert violations(tasks, apart, one) == ()
        assert one.start_s.tolist() == two.start_s.tolist()


def test_hosts_are_not_one_where_two_tasks_fit_or_one_host_is_another():
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[5, 5], cores=[2, 3], tasks=[2, 1])
    for cluster, hosts in ((Cluster.uniform(3, cores=3), 1), (Cluster.uniform(3, cores=4), 3), (mixed(), 2)):
        assert len(rigid_of(jobs, cluster).class_of) == hosts


def mixed():
    """Two hosts that each hold one task, of two speeds."""
    return Cluster(("cores",), np.full((2, 1), 3.0), speed=np.array([1.0, 2.0]))
