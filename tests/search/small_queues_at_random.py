"""Tiny random queues, and the least sum of waits that any schedule of them has, found by trying all."""

from itertools import permutations, product

import numpy as np

from loadmaster.model import Cluster, Constraints, Named, Partition, SiteRules, Workload
from loadmaster.search.rigid import host_by_host


def tiny_queue(seed):
    """Two to four jobs on one or two hosts: sizes, speeds, partitions and begin times at random."""
    rng = np.random.default_rng(seed)
    jobs, hosts = int(rng.choice([2, 3, 4], p=[0.3, 0.6, 0.1])), int(rng.integers(1, 3))
    submit_s = np.sort(rng.integers(0, 6, jobs)).astype(float)
    columns = {"eligible_s": submit_s + rng.integers(0, 3, jobs)} if rng.random() < 0.3 else {}
    rules = None
    if hosts == 2 and rng.random() < 0.4:
        columns["partition"] = Named.of([str(rng.choice(["all", "one", "one,all"])) for _ in range(jobs)])
        rules = SiteRules(partitions=(Partition("all"), Partition("one", hosts=(0,))))
    tasks = rng.integers(1, hosts + 1, jobs)
    tasks[0] = 1  # one at least can run on whatever hosts it may use
    workload = Workload.of(
        submit_s=submit_s,
        runtime_s=rng.integers(1, 7, jobs),
        cores=rng.integers(1, 4, jobs),
        memory=rng.integers(0, 4, jobs),
        tasks=tasks,
        constraints=Constraints(**columns) if columns else None,
    )
    capacity = np.full((hosts, 2), 3.0) + (rng.integers(0, 3, (hosts, 2)) if rng.random() < 0.5 else 0.0)
    speed = rng.choice([0.5, 1.0, 2.0], hosts) if rng.random() < 0.3 else None
    return workload, Cluster(("cores", "memory"), capacity, speed=speed, rules=rules)


def least_sum_of_waits_s(workload, cluster):
    """Over every order of the jobs, every choice of hosts, each job as early as it can.

    Some schedule of the least sum is among these: take its jobs in the order of their starts.
    """
    queue = host_by_host(workload, cluster)
    best = np.inf
    for order in permutations(range(queue.jobs)):
        best = min(best, least_in_order(queue, order, [], 0.0, best))
    return best + float(queue.late_s.sum())


def least_in_order(queue, order, placed, waited_s, best):
    """The least sum of waits if the jobs of `order` are placed one after another behind what is `placed`."""
    if not order or waited_s >= best:
        return min(waited_s, best)
    job, tasks = order[0], int(queue.tasks[order[0]])
    for hosts in product(range(len(queue.class_of)), repeat=tasks):
        lasts_s = max(queue.lasts_s[job, queue.class_of[h]] for h in hosts)
        asked = np.zeros((len(queue.class_of), queue.demand.shape[1]))
        for h in hosts:
            asked[h] += queue.demand[job]
        if lasts_s == np.inf or list(hosts) != sorted(hosts) or (asked > queue.capacity[queue.class_of]).any():
            continue
        start_s = earliest_plainly(queue, placed, asked, float(queue.ready_s[job]), lasts_s)
        here = [*placed, (start_s, start_s + lasts_s, asked)]
        best = least_in_order(queue, order[1:], here, waited_s + start_s - queue.ready_s[job], best)
    return best


def earliest_plainly(queue, placed, asked, ready_s, lasts_s):
    """The first moment at which all `placed` (start, end, held) leave room for `asked` float64[H, R]."""
    for start_s in sorted({ready_s, *(end for _, end, _ in placed if end > ready_s)}):
        moments = [start_s, *(begin for begin, _, _ in placed if start_s < begin < start_s + lasts_s)]
        held = [sum((h for begin, end, h in placed if begin <= t < end), np.zeros_like(asked)) for t in moments]
        if all((each + asked <= queue.capacity[queue.class_of]).all() for each in held):
            return start_s
    raise AssertionError("after the last end there is room")
