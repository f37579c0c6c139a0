"""The speeds of tightly coupled jobs on VMs: all tasks of a job go as fast as its slowest (rule V3).

A speed counts CPU seconds a second of one task, on a core of speed 1: a task that requests c cores takes its runtime if
it goes at c.

A slow member throttles its fellows everywhere, and what they leave unused goes to their neighbours: the ripple effect.
"""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.sharing.capacity import equilibrium_capacity, potential_capacity
from loadmaster.sharing.virtual_machines import VirtualMachines

TOLERANCE = 1e-9
MOST_ROUNDS = 10_000
PATIENCE = 50
LEAST_STEP = 1 / 32
"""Smaller steps are not needed: with n VMs on a machine those below 2 / n do not swing."""


class Settled(NamedTuple):
    """The speeds that `settle` found.

    Attributes:
        speed: float64[V], CPU seconds that a task of the job on each VM does in a second, 0 where idle.
        rounds: that changed a speed.
        settled: False if the speeds still changed in the last round allowed. Then they are no fixed point, but
            lowered to what each job can get while the others go at theirs, so that no machine is overfull.
    """

    speed: Floats
    rounds: int
    settled: bool


def settle(
    vms: VirtualMachines,
    job: Longs,
    start: Floats | None = None,
    tolerance: float = TOLERANCE,
    most: int = MOST_ROUNDS,
    asks: Floats | float = np.inf,
) -> Settled:
    """The fixed point r_j = min over the job's VMs w of PC(w) x speed, every other VM requesting its own job's r.

    Found by r <- (1 - step) r + step r_new, step 1/2, until nothing would change by more than `tolerance`. The map
    falls in r, so full steps would swing; where a job has four tasks on one machine even half steps swing for ever,
    so the step is halved after every `PATIENCE` rounds down to `LEAST_STEP`. With unequal shares speeds can also
    drift for long, which small steps would make longer: then it is 1/2 again, with twice the patience.

    With equal shares and at most one task of a job a machine this is max-min fairness and all starts lead to the same
    speeds. With unequal shares there can be many fixed points, and the start decides: 0, or the speeds before the
    change; or the speeds go round for ever (docs/explanation/coupled-jobs).

    Args:
        vms: the machines.
        job: int64[V], the job whose task is on each VM, -1 where idle. A bag's tasks are jobs of their own.
        start: float64[V] to begin with; 0 if None.
        tolerance: of the speeds.
        most: rounds after which to give up (rule V3).
        asks: float64[V], cores that a task of the job on each VM can use, or one number for all.

    Example:
        >>> two = VirtualMachines.alike(2, shares=(1, 1))
        >>> settle(two, np.array([0, 1, 0, -1])).speed.round(6).tolist()
        [0.5, 0.5, 0.5, 0.0]
    """
    wants = np.broadcast_to(asks, vms.count)
    speed = np.zeros(vms.count) if start is None else np.where(job >= 0, start, 0.0)
    step, patience, change_at = 0.5, PATIENCE, PATIENCE
    for number in range(most):
        if number == change_at:
            step *= 0.5
            if step < LEAST_STEP:
                step, patience = 0.5, 2 * patience
            change_at += patience
        change = _reachable_speeds(vms, job, speed, wants) - speed
        if float(np.abs(change).max(initial=0.0)) < 2.0 * tolerance:
            return Settled(speed, number, True)
        speed = speed + step * change
    return Settled(np.minimum(speed, _reachable_speeds(vms, job, speed, wants)), most, False)


def settle_without_redistribution(vms: VirtualMachines, job: Longs, asks: Floats | float = np.inf) -> Floats:
    """The speeds if what a throttled VM leaves unused is lost: r_j = min over its VMs of EC x speed."""
    wants, busy, speed = np.broadcast_to(asks, vms.count), job >= 0, vms.speed[vms.machine]
    reached = [
        equilibrium_capacity(vms, busy, v, wants, wants[v]) * speed[v] if busy[v] else 0.0 for v in range(vms.count)
    ]
    return _slowest(job, np.array(reached))


def _reachable_speeds(vms: VirtualMachines, job: Longs, speed: Floats, wants: Floats) -> Floats:
    """float64[V]: the speed that the job on each VM could go at if all others kept theirs."""
    of_core = vms.speed[vms.machine]
    used = speed / of_core
    reached = [
        potential_capacity(vms, used, v, wants[v]) * of_core[v] if job[v] >= 0 else 0.0 for v in range(vms.count)
    ]
    return _slowest(job, np.array(reached))


def _slowest(job: Longs, reached: Floats) -> Floats:
    """float64[V]: for each VM the least of `reached` over all VMs of its job."""
    least = np.full(int(job.max(initial=-1)) + 1, np.inf)
    busy = job >= 0
    np.minimum.at(least, job[busy], reached[busy])
    slowest = np.zeros(len(job))
    slowest[busy] = least[job[busy]]
    return slowest
