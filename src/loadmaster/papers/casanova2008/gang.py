"""Gang scheduling, the paper's point of comparison: whole machines in turn, beside fractions of them."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.instance import Instance
from loadmaster.packing.solve import pack
from loadmaster.papers.claim import Claim, exceeds
from loadmaster.papers.estimate import mean_of

HOSTS, TASKS, SLACK = 64, 250, 0.3
INSTANCES = 20


def gang_slots(instance: Instance) -> Longs | None:
    """int64[J]: the time slot of every job in an Ousterhout matrix; None if some job finds no memory.

    All tasks of a job run in one slot, each on a host of its own. A task keeps its memory between its turns, so the
    tasks of all slots share the memory of a host. The largest jobs come first, each takes the first slot in which
    enough hosts are idle and have the memory; of these the hosts with most free memory.
    """
    job = instance.job_of
    free = instance.rigid_capacity[:, 0].copy()
    idle: list[np.ndarray] = []
    slot = np.full(instance.jobs, -1, np.int64)
    for number in np.argsort(-np.bincount(job, minlength=instance.jobs), kind="stable"):
        tasks = np.flatnonzero(job == number)
        need = float(instance.rigid[tasks, 0].max())
        for at in range(len(idle) + 1):
            if at == len(idle):
                idle.append(np.ones(instance.hosts, bool))
            hosts = np.flatnonzero(idle[at] & (free >= need - 1e-12))
            if hosts.size >= tasks.size:
                break
        else:
            return None
        chosen = hosts[np.argsort(-free[hosts], kind="stable")[: tasks.size]]
        idle[at][chosen] = False
        free[chosen] -= need
        slot[number] = at
    return slot


def gang_yields(instance: Instance, slot: Longs) -> Floats:
    """float64[T]: CPU received over CPU requested with equal, ideal time slices: 1 / slots of a host, at most 1."""
    share = 1.0 / (int(slot.max()) + 1)
    return np.asarray(np.minimum(1.0, share / np.maximum(instance.fluid[:, 0], 1e-12)))


def fractions_beat_slices(seed: int, *, parallel: bool) -> Claim:
    """MCB8's minimum yield less that of gang scheduling, on the instances that both place."""
    spec = Spec(HOSTS, TASKS, SLACK, parallel=parallel)
    gains, levels = [], []
    for repetition in range(INSTANCES):
        instance = virtual_clusters(spec, seed, repetition)
        slot, packed = gang_slots(instance), pack(instance, "mcb8")
        if slot is not None and packed.placed:
            levels.append(float(gang_yields(instance, slot).min()))
            gains.append(packed.level - levels[-1])
    found = mean_of(np.array(gains))
    kind = "parallel jobs" if parallel else "tasks of one VM each"
    return Claim(
        "section 8",
        f"fractions of machines serve better than whole machines in turn (gang scheduling); {kind}",
        "gang scheduling suffers from memory pressure and switches",
        f"minimum yield {np.mean(levels):.3f} by gang scheduling, {found.show(3)} more by MCB8" if levels else "",
        exceeds(found),
        "the interval of the paired difference lies above 0",
        found.n,
        "time slices are ideal here, without the cost of switches and swapping: the least that fractions gain",
    )
