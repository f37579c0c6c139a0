import numpy as np
from random_queues import random_queue

from loadmaster.search.greedy import listed
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
