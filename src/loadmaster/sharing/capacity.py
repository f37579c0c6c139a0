"""What an idle VM could get: potential, equilibrium and free capacity (Delgado 2011; rule V2).

The poster says what the metrics are for, not how they are computed: potential capacity (PC) is "the upper limit on a
VM's capacity", equilibrium capacity (EC) the lower one. These are reconstructions that agree with all it says.
"""

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sharing.water_filling import water_fill


def allotment(vms: VirtualMachines, demand: Floats, vm: int) -> Floats:
    """float64 for each VM beside `vm`: what its machine gives them at these demands."""
    beside = vms.beside(vm)
    limit = np.minimum(demand[beside], vms.high[beside])
    return water_fill(limit, np.minimum(minima(vms.low[beside], limit), limit), vms.share[beside], 1.0)


def minima(low: Floats, limit: Floats) -> Floats:
    """What VMs of one machine are promised: their minima, scaled down by one factor where those of the VMs that ask for
    anything do not fit together (rule V4).

    Example:
        >>> minima(np.array([0.8, 0.5, 0.3]), np.array([1.0, 1.0, 0.0]))[:2].round(6).tolist()
        [0.615385, 0.384615]
    """
    total = float(low[limit > 0].sum())
    return np.asarray(low / total if total > 1.0 else low)


def potential_capacity(vms: VirtualMachines, demand: Floats, vm: int) -> float:
    """PC: what `vm` would get now if it asked for its maximum and all others for what they use.

    Args:
        vms: the machines.
        demand: float64[V], what each VM uses now, 0 where idle.
        vm: the candidate.

    Example:
        >>> vms = VirtualMachines.alike(1, shares=(1, 1, 2, 4))
        >>> round(potential_capacity(vms, np.array([0, 0, 0, 1.0]), 0), 6)
        0.2
    """
    asked = demand.copy()
    asked[vm] = vms.high[vm]
    return float(allotment(vms, asked, vm)[vm - vms.beside(vm).start])


def equilibrium_capacity(vms: VirtualMachines, active: Bools, vm: int) -> float:
    """EC: what `vm` would get if it and all active VMs of its machine asked for their maximum."""
    asked = np.where(active, vms.high, 0.0)
    asked[vm] = vms.high[vm]
    return float(allotment(vms, asked, vm)[vm - vms.beside(vm).start])


def free_capacity(vms: VirtualMachines, demand: Floats, vm: int) -> float:
    """FC: what the machine of `vm` has left at the current demands."""
    return float(1.0 - allotment(vms, demand, vm).sum())
