import numpy as np
import pytest
from numba import njit
from random_queues import random_queue

from loadmaster.model import Cluster, Workload
from loadmaster.search.greedy import listed, listed_reserving
from loadmaster.search.list_kernel import ListProblem, room_for
from loadmaster.search.rigid import rigid_of


def tasks_for(queue, free, j, h):
    """How many tasks of job j host h holds now."""
    asked = queue.demand[j] > 0
    if np.isinf(queue.lasts_s[j, queue.class_of[h]]):
        return 0
    return int(min(np.floor(free[h, asked] / queue.demand[j, asked]).min(initial=np.inf), queue.tasks[j]))


def listed_plainly(queue, key, tight_in):
    """At every moment, down the list, whoever fits anywhere starts: starts and hosts."""
    free = queue.capacity[queue.class_of].copy()
    order = sorted(range(queue.jobs), key=lambda j: (key[j], j))
    start, hosts, runs = {}, {}, []
    moments = sorted(set(queue.ready_s.tolist()))
    while moments or runs:
        now = min([*moments[:1], *(end for end, _ in runs)])
        moments = [t for t in moments if t > now]
        for end, j in sorted(runs):
            if end <= now:
                np.add.at(free, hosts[j], queue.demand[j])
        runs = [(end, j) for end, j in runs if end > now]
        for j in order:
            if j in start or queue.ready_s[j] > now:
                continue
            if sum(tasks_for(queue, free, j, h) for h in range(len(free))) < queue.tasks[j]:
                continue
            start[j], hosts[j], lasts = now, [], []
            while len(hosts[j]) < queue.tasks[j]:
                able = [h for h in range(len(free)) if tasks_for(queue, free, j, h) > 0]
                h = min(able, key=lambda h: (queue.lasts_s[j, queue.class_of[h]], free[h, tight_in], h))
                some = min(tasks_for(queue, free, j, h), int(queue.tasks[j]) - len(hosts[j]))
                free[h] -= some * queue.demand[j]
                hosts[j] += [h] * some
                lasts.append(queue.lasts_s[j, queue.class_of[h]])
            runs.append((now + max(lasts), j))
    return [start[j] for j in range(queue.jobs)], [h for j in range(queue.jobs) for h in hosts[j]]


def test_the_kernel_starts_the_same_jobs_on_the_same_hosts_as_the_plain_reference():
    for seed in range(200):
        queue = rigid_of(*random_queue(seed))
        key = np.random.default_rng(seed).integers(0, 5, queue.jobs).astype(float)
        planned = listed(queue, key, seed % 2)
        starts, hosts = listed_plainly(queue, key, seed % 2)
        assert planned.start_s.tolist() == starts, seed
        assert planned.host.tolist() == hosts, seed


def first_room(queue, free, runs, j):
    """When and where job j finds room if nobody else starts, and what is free beside it then."""
    found = []
    for h in range(len(free)):
        if np.isinf(queue.lasts_s[j, queue.class_of[h]]):
            continue
        for end in sorted({end for end, _, on in runs if on == h}):
            gone = [queue.demand[i] for over, i, on in runs if on == h and over <= end]
            spare = free[h] + np.sum(gone, axis=0) - queue.demand[j]
            if (spare >= 0).all():
                found.append((end, h, spare))
                break
    return min(found, key=lambda each: each[:2])


def reserving_plainly(queue, key, tight_in):
    """As `listed_plainly`, jobs of one task; who is behind the first that waits must leave it its host in time."""
    free = queue.capacity[queue.class_of].copy()
    order = sorted(range(queue.jobs), key=lambda j: (key[j], j))
    start, host, runs = {}, {}, []
    moments = sorted(set(queue.ready_s.tolist()))
    while moments or runs:
        now = min([*moments[:1], *(end for end, _, _ in runs)])
        moments = [t for t in moments if t > now]
        for end, j, h in runs:
            if end <= now:
                free[h] += queue.demand[j]
        runs = [each for each in runs if each[0] > now]
        until, reserved, spare = np.inf, -1, None
        for j in order:
            if j in start or queue.ready_s[j] > now:
                continue
            able = [h for h in range(len(free)) if tasks_for(queue, free, j, h) > 0]
            if reserved in able and now + queue.lasts_s[j, queue.class_of[reserved]] > until:
                able = able if (queue.demand[j] <= spare).all() else [h for h in able if h != reserved]
            if not able:
                if reserved < 0:
                    until, reserved, spare = first_room(queue, free, runs, j)
                continue
            h = min(able, key=lambda h: (queue.lasts_s[j, queue.class_of[h]], free[h, tight_in], h))
            end = now + queue.lasts_s[j, queue.class_of[h]]
            start[j], host[j] = now, h
            free[h] -= queue.demand[j]
            if h == reserved and end > until:
                spare = spare - queue.demand[j]
            runs.append((end, j, h))
    return [start[j] for j in range(queue.jobs)], [host[j] for j in range(queue.jobs)]


def test_with_a_place_kept_the_kernel_does_what_the_plain_reference_does_which_looks_everywhere():
    differ = 0
    for seed in range(300):
        queue = rigid_of(*random_queue(seed, most_tasks=1))
        key = np.random.default_rng(seed).integers(0, 5, queue.jobs).astype(float)
        planned = listed_reserving(queue, key, seed % 2)
        starts, hosts = reserving_plainly(queue, key, seed % 2)
        assert planned.start_s.tolist() == starts, seed
        assert planned.host.tolist() == hosts, seed
        differ += starts != listed_plainly(queue, key, seed % 2)[0]
    assert differ > 50  # the place kept does something


def test_whoever_is_first_in_the_list_is_kept_a_place():
    """Without, small jobs begin beside small jobs until none is left, and the wide one waits for them all."""
    jobs = Workload.of(submit_s=[0, 1, 2, 4, 7], runtime_s=[4, 5, 6, 6, 2], cores=[1, 1, 2, 1, 1])
    queue = rigid_of(jobs, Cluster.uniform(1, cores=2))
    key = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
    assert listed(queue, key, 0).start_s.tolist() == [0, 1, 10, 4, 7]
    assert listed_reserving(queue, key, 0).start_s.tolist() == [0, 1, 6, 12, 12]


def test_no_place_is_kept_for_jobs_of_several_tasks():
    queue = rigid_of(Workload.of(submit_s=[0], runtime_s=[1], cores=[1], tasks=[2]), Cluster.uniform(2, cores=2))
    with pytest.raises(ValueError, match="one task"):
        listed_reserving(queue, queue.ready_s, 0)


@njit
def room(listed, free):
    return room_for(listed, free, 0, 0)


@pytest.mark.parametrize("demand", [1e-30, 5e-324])
def test_next_to_nothing_fits_as_often_as_the_job_has_tasks(demand):
    """What is free over the demand is above every whole number of 64 bits."""
    one, none = np.ones(1), np.zeros(1, np.int64)
    jobs = ListProblem(
        one, none, np.ones((1, 1)), np.array([[demand]]), np.array([0, 3]), none, none, np.zeros(1, np.int32), none, 0
    )
    assert room(jobs, np.ones((1, 1))) == 3
