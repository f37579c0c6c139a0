"""One log on virtual machines: coupled jobs on hosts of one core, each divided into VMs (Delgado 2011; rule V1)."""

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sim.timeshared.problem import Progress
from loadmaster.sim.vms.door import VmProblem, VmRun, simulate_vms


def run_on_vms(
    choice: str, workload: Workload, cluster: Cluster, shares: tuple[float, ...], progress: Progress | None = None
) -> VmRun:
    """Every host a machine with VMs of these shares; FCFS with EASY backfill, the VMs taken by `choice`.

    Args:
        choice: a name of `VM_CHOICES`.
        workload: jobs; each task takes one VM. Resources beside the cores are not looked at.
        cluster: hosts of one core and speed 1.
        shares: of the VMs of every host.
        progress: told (jobs ended, jobs in all) now and then.

    Raises:
        InputError: a host or a task that the model does not know, or a share that is not more than zero.
    """
    check_shares(shares)
    assert cluster.speed is not None
    cores, speed, asked = cluster.capacity[:, 0], cluster.speed, workload.demand[:, 0]
    for column, what, rule in (
        (cores, "host", "VMs divide hosts of one core; this one has another number"),
        (speed, "host", "VMs divide hosts of speed 1; this one has another speed"),
        (asked, "job", "a task on a VM asks for one core; those of this job ask for another number"),
    ):
        other = np.flatnonzero(column != 1.0)
        if len(other):
            fix = "leave the choices of VMs out of --methods, or give --hosts such as 64x1c4g"
            raise InputError(f"{column[other[0]]:g}", rule, fix=fix, where=f"{choice}, {what} {other[0]}")
    return simulate_vms(VmProblem(workload, VirtualMachines.alike(cluster.hosts, shares), choice), progress=progress)


def check_shares(shares: tuple[float, ...]) -> None:
    """Refuse shares that are none.

    Raises:
        InputError: no share, or one that is not a number above zero.
    """
    for share in shares or (0.0,):
        if not 0.0 < share < np.inf:
            raise InputError(f"{share:g}", "the share of a VM is a number above zero", fix="write it like 1,1,2,4")
