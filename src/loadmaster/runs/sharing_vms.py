"""One log on virtual machines: coupled jobs on hosts of any size, each divided into VMs (Delgado 2011; rule V1)."""

from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats
from loadmaster.sharing.model import SharingModel
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sim.timeshared.problem import Progress
from loadmaster.sim.vms.problem import TOLERANCE
from loadmaster.sim.vms.simulation import VmProblem, VmRun, simulate_vms


def run_on_vms(
    choice: str,
    workload: Workload,
    cluster: Cluster,
    shares: tuple[float, ...],
    sharing: SharingModel,
    progress: Progress | None = None,
) -> VmRun:
    """Every host a machine with VMs of these shares; FCFS with EASY backfill, the VMs taken by `choice`.

    Args:
        choice: a name of `VM_CHOICES`.
        workload: jobs; each task takes one VM. Resources beside the cores are not looked at.
        cluster: hosts of any number of cores and any speed.
        shares: of the VMs of every host.
        sharing: how a host divides its cores among its VMs.
        progress: told (jobs ended, jobs in all) now and then.

    Returns:
        The run; jobs with more tasks than there are VMs never start, and their times are NaN.

    Raises:
        InputError: a job that requests no CPU, or a share that is not more than zero.
    """
    problem = vm_problem(choice, workload, cluster, shares, sharing)
    run = simulate_vms(problem, progress=progress)
    start_s, end_s = np.full(workload.jobs, np.nan), np.full(workload.jobs, np.nan)
    fits = workload.task_count <= problem.vms.count
    start_s[fits], end_s[fits] = run.start_s, run.end_s
    return replace(run, start_s=start_s, end_s=end_s)


def vm_problem(
    choice: str, workload: Workload, cluster: Cluster, shares: tuple[float, ...], sharing: SharingModel
) -> VmProblem:
    """What the engine of VMs is given: the jobs that do not have more tasks than there are VMs."""
    check_shares(shares)
    assert cluster.speed is not None
    vms = VirtualMachines.on(cluster.capacity[:, 0], cluster.speed, shares, sharing)
    narrow = workload.take(np.flatnonzero(workload.task_count <= vms.count))
    return VmProblem(narrow, vms, choice, tolerance=_tolerance(narrow.demand[:, 0], vms))


def check_shares(shares: tuple[float, ...]) -> None:
    """Refuse shares that are none.

    Raises:
        InputError: no share, or one that is not a number above zero.
    """
    for share in shares or (0.0,):
        if not 0.0 < share < np.inf:
            raise InputError(f"{share:g}", "the share of a VM is a number above zero", fix="write it like 1,1,2,4")


def _tolerance(asks: Floats, vms: VirtualMachines) -> float:
    """Of the speeds: as fine for the least of the tasks, on the slowest host, as `TOLERANCE` is for one of a core."""
    asking = asks[asks > 0.0]
    least = min(1.0, float(asking.min(initial=1.0)), float(vms.cores.min()))
    return TOLERANCE * least * min(1.0, float(vms.speed.min()))
