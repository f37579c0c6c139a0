"""What an idle VM could get: potential, equilibrium and free capacity (Delgado 2011; rule V2).

The poster says what the metrics are for, not how they are computed: potential capacity (PC) is "the upper limit on a
VM's capacity", equilibrium capacity (EC) the lower one. These are reconstructions that agree with all it says.
"""

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.sharing.model import Claims, divided
from loadmaster.sharing.virtual_machines import VirtualMachines


def allotment(vms: VirtualMachines, demand: Floats, vm: int) -> Floats:
    """float64 for each VM beside `vm`: the cores that its machine gives them at these demands, float64[V]."""
    beside = vms.beside(vm)
    cores = float(vms.cores[vms.machine_of(vm)])
    limit = np.minimum(demand[beside], vms.high[beside])
    low = minima(vms.low[beside], limit, cores)
    asking = np.flatnonzero(limit > 0)
    given = np.zeros(len(limit))
    claims = Claims(low[asking], vms.high[beside][asking], vms.share[beside][asking])
    given[asking] = limit[asking] * divided(vms.sharing, limit[asking][:, None], np.array([cores]), claims)
    return given


def minima(low: Floats, limit: Floats, cores: float = 1.0) -> Floats:
    """What VMs of one machine are promised: their minima, scaled down by one factor where those of the VMs that request
    anything do not fit together (rule V4).

    Example:
        >>> minima(np.array([0.8, 0.5, 0.3]), np.array([1.0, 1.0, 0.0]))[:2].round(6).tolist()
        [0.615385, 0.384615]
    """
    total = float(low[limit > 0].sum())
    return np.asarray(low * (cores / total) if total > cores else low)


def potential_capacity(vms: VirtualMachines, demand: Floats, vm: int, most: float = np.inf) -> float:
    """PC: cores that `vm` would get now if it requested its maximum and all others what they use.

    Args:
        vms: the machines.
        demand: float64[V], cores that each VM uses now, 0 where idle.
        vm: the candidate.
        most: cores that its task could use.

    Example:
        >>> vms = VirtualMachines.alike(1, shares=(1, 1, 2, 4))
        >>> round(potential_capacity(vms, np.array([0, 0, 0, 1.0]), 0), 6)
        0.2
    """
    asked = demand.copy()
    asked[vm] = min(most, vms.high[vm])
    return float(allotment(vms, asked, vm)[vm - vms.beside(vm).start])


def equilibrium_capacity(
    vms: VirtualMachines, active: Bools, vm: int, most: Floats | float = np.inf, wants: float = np.inf
) -> float:
    """EC: cores that `vm` would get if it and all active VMs of its machine requested their maximum.

    Args:
        vms: the machines.
        active: bool[V].
        vm: the candidate.
        most: cores that the task on each VM could use, float64[V] or one for all.
        wants: cores that the candidate's task could use.
    """
    asked = np.where(active, np.minimum(most, vms.high), 0.0)
    asked[vm] = min(wants, vms.high[vm])
    return float(allotment(vms, asked, vm)[vm - vms.beside(vm).start])


def free_capacity(vms: VirtualMachines, demand: Floats, vm: int) -> float:
    """FC: cores that the machine of `vm` has left at the current demands."""
    return float(vms.cores[vms.machine_of(vm)] - allotment(vms, demand, vm).sum())
