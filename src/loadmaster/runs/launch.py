"""Jobs that hold their hosts beyond their runtime: launch, clean-up, whatever a site does between two jobs."""

from dataclasses import replace

from loadmaster.model import Workload


def held_longer(workload: Workload, launch_s: float) -> Workload:
    """`workload` with every runtime, and what is expected of it, longer by `launch_s`; limits stay as they are.

    Example:
        >>> jobs = Workload.of(submit_s=[0], runtime_s=[60], cores=[1], estimate_s=[100])
        >>> longer = held_longer(jobs, 5)
        >>> float(longer.runtime_s[0]), float(longer.expected_s[0])
        (65.0, 105.0)
    """
    if launch_s == 0:
        return workload
    bound, estimate_s = workload.constraints, workload.estimate_s
    if bound is not None and bound.limit_s is None and estimate_s is not None:
        bound = replace(bound, limit_s=estimate_s)  # which is what estimates stand for where there is no limit
    longer_s = None if estimate_s is None else estimate_s + launch_s
    return replace(workload, runtime_s=workload.runtime_s + launch_s, estimate_s=longer_s, constraints=bound)
