"""Simulates dynamic fractional scheduling: jobs on hosts that give each task a part of the CPU it requests."""

from typing import Literal

from loadmaster.scheduling.fractional import Fractional
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sim.fractional.problem import FractionalProblem, FractionalRun
from loadmaster.sim.fractional.reference import replay_fractional
from loadmaster.sim.timeshared.problem import Progress


def simulate_fractional(
    problem: FractionalProblem, *, engine: Literal["auto", "reference"] = "auto", progress: Progress | None = None
) -> FractionalRun:
    """Run all jobs of `problem` to their end.

    All tasks of a job go at the speed of the slowest; what the others leave is not given away. Of the events at one
    moment ends come first, then arrivals; then waiting jobs are admitted, then running ones may move.

    Args:
        problem: jobs, hosts and policy.
        engine: `reference` for the plain Python engine; `auto` is compiled, save for a policy or a sharing model of
            the user's own, or any other than processor sharing.
        progress: called with the progress of long runs.

    Example:
        >>> from loadmaster.model import Cluster, Workload
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[4, 4], memory=[1, 1])
        >>> run = simulate_fractional(FractionalProblem(jobs, Cluster.uniform(1, cores=4, memory=4)))
        >>> run.end_s.tolist(), run.least_yield
        ([120.0, 120.0], 0.5)
    """
    if engine == "reference" or not is_compiled(problem):
        return replay_fractional(problem, progress)
    from loadmaster.sim.fractional.compiled import run_fractional

    return run_fractional(problem, progress)


def is_compiled(problem: FractionalProblem) -> bool:
    """Whether the compiled engine knows all of `problem`; by exact type, since a subclass has rules of its own."""
    return type(problem.policy) is Fractional and type(problem.sharing) is ProcessorSharing


__all__ = ["FractionalProblem", "FractionalRun", "is_compiled", "simulate_fractional"]
