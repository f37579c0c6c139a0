"""Simulates jobs on virtual machines: FCFS with EASY backfill, coupled speeds, one call a run (rules V1 to V11)."""

from dataclasses import replace
from typing import Literal

import numpy as np

from loadmaster.model import Workload
from loadmaster.sharing.water_filling import WaterFilling
from loadmaster.sim.timeshared.problem import Progress
from loadmaster.sim.vms.problem import Ranking, VmProblem, VmRun
from loadmaster.sim.vms.reference import replay_vms


def simulate_vms(
    problem: VmProblem, *, engine: Literal["auto", "reference"] = "auto", progress: Progress | None = None
) -> VmRun:
    """Run all jobs of `problem` to their end.

    Args:
        problem: jobs, machines and how VMs are chosen.
        engine: `reference` for the plain Python engine; `auto` is compiled, save for machines with a sharing model of
            the user's own, or any other than water-filling.
        progress: called with the progress of long runs.

    Example:
        >>> from loadmaster.sharing.virtual_machines import VirtualMachines
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[1, 1], tasks=[2, 1])
        >>> run = simulate_vms(VmProblem(jobs, VirtualMachines.alike(2, shares=(1, 1)), "pmvm"))
        >>> run.end_s.round().tolist()  # speeds are found to 1e-4
        [120.0, 120.0]
    """
    if engine == "reference" or not is_compiled(problem):
        return replay_vms(problem, progress)
    from loadmaster.sim.vms.vms_kernel import run_vms

    return run_vms(problem, progress)


def is_compiled(problem: VmProblem) -> bool:
    """Whether the compiled engine knows how the machines share; by exact type, a subclass has rules of its own."""
    return type(problem.vms.sharing) is WaterFilling


def narrowed(workload: Workload, most: int) -> Workload:
    """The same jobs, none with more than `most` tasks."""
    return replace(workload, tasks=np.minimum(workload.task_count, most))


def as_bags(workload: Workload) -> Workload:
    """Every task a job of its own, submitted at the same time: bags, whose tasks wait for no other."""
    owner = np.repeat(np.arange(workload.jobs), workload.task_count)
    return replace(workload.take(owner), tasks=None)


__all__ = ["Ranking", "VmProblem", "VmRun", "as_bags", "is_compiled", "narrowed", "simulate_vms"]
