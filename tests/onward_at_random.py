"""Queues at random, and whether they are worked off compiled as in plain Python.

As a program, with Numba switched off (NUMBA_DISABLE_JIT=1): `onward_at_random.py FIRST LAST` tries the kernels as the
plain Python that they are, and prints how many queues were compared and where the two differ.
"""

import sys
from dataclasses import replace

import numpy as np

from boards_at_random import rate_in_python, scan_in_python, snapshot_at_random
from loadmaster.backfilling import Easy, Stepwise
from loadmaster.order import ORDERS, JobColumns
from loadmaster.place import POLICIES
from loadmaster.schedule import Discipline, compiled_onward, onward, onward_kernel

RULES = (Easy(), Easy(fill="shortest"), Easy(2), Stepwise(3), Easy(promise="hosts"))
POLICY_NAMES = ("first-fit", "round-robin", "best-fit-cores")


def queue_at_random(seed):
    """A snapshot without limits and groups, what orders may know of its rows, and how long each really runs."""
    rng = np.random.default_rng(seed)
    snapshot = snapshot_at_random(rng)
    queue, many = snapshot.queue, len(snapshot.queue)
    _, first, which = np.unique(queue.job, return_index=True, return_inverse=True)
    submit_s = np.sort(rng.integers(0, 100, len(first)).astype(float))[which]
    codes, none = np.zeros(many, np.int32), np.zeros(many)
    tasks = np.asarray(queue.tasks, np.int32)
    columns = JobColumns(
        submit_s, submit_s, queue.expected_s.copy(), tasks, queue.demand[:, 0] * tasks, queue.demand[:, -1] * tasks,
        codes, codes, codes, codes, none, none,
    )  # fmt: skip
    other = (queue.expected_s * rng.choice([0.3, 1.0, 1.0, 2.0], many))[first][which]
    lasts_s = other if rng.random() < 0.5 else queue.expected_s
    seen = replace(snapshot, left=None, need=None, promises={}, queue=replace(queue, uses=None))
    return seen, columns, lasts_s


def starts(seed, order):
    """When the rows of a seed start, compiled and in plain Python; None where only the latter knows the rule."""
    snapshot, columns, lasts_s = queue_at_random(seed)
    rng = np.random.default_rng(seed)
    discipline = Discipline(ORDERS[order], RULES[rng.integers(len(RULES))], order)
    rule = onward.rule_of(discipline.backfilling, snapshot)
    if rule is None or (snapshot.as_pool and snapshot.queue.min_hosts is not None):
        return None
    policy = POLICIES[str(rng.choice(POLICY_NAMES))]
    ranks = onward.ranks_of(discipline.order, columns, snapshot.now_s)
    return (
        compiled_onward.work_off_compiled(snapshot, policy, discipline.order, rule, columns, ranks, lasts_s),
        onward.onward_plainly(snapshot, policy, discipline, columns, lasts_s),
    )


def differing(first, last):
    """Every (seed, order) of which the two differ; and how many were compared."""
    compared, found = 0, []
    for seed in range(first, last):
        for order in ("fcfs", "lxf", "wfp3"):
            both = starts(seed, order)
            compared += both is not None
            if both is not None and not np.array_equal(*both, equal_nan=True):
                found.append(f"{seed} {order}")
    return compared, found


if __name__ == "__main__":
    compiled_onward.scanner, compiled_onward.rater = scan_in_python, rate_in_python
    compiled_onward._engine = lambda stage, by_moment: (
        onward_kernel.run_onward, onward_kernel.pass_by_moments if by_moment else onward_kernel.pass_on_hosts,
    )  # fmt: skip
    print(*differing(int(sys.argv[1]), int(sys.argv[2])))
