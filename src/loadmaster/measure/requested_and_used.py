"""Requested and really used amounts of jobs: processor time and memory (rule H15)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loadmaster.measure.job_groups import JobGroup
from loadmaster.model.arrays import Floats
from loadmaster.model.units import CORES, MEMORY
from loadmaster.model.workload import Workload

_HALF = 0.5


@dataclass(frozen=True, eq=False)
class RequestedAndUsed:
    """One resource, over the jobs whose use of it is known.

    Attributes:
        resource: `cores` or `memory`.
        asked: float64[J], what each job held, over its runtime: core seconds or byte seconds; 0 where its use is
            unknown.
        used: float64[J], what it used, likewise; memory as if its highest use lasted for the whole runtime.
    """

    resource: str
    asked: Floats
    used: Floats

    @property
    def jobs(self) -> int:
        """Number of jobs whose use is known."""
        return int((self.asked > 0).sum())

    @property
    def part(self) -> float:
        """The used part of the requested amount."""
        return float(self.used.sum() / self.asked.sum())

    @property
    def below_half(self) -> int:
        """Number of jobs that used less than half of their request."""
        return int((self.used < _HALF * self.asked).sum())

    @property
    def idle_below_half(self) -> float:
        """The part of all requests that these jobs requested and did not use."""
        low = self.used < _HALF * self.asked
        return float((self.asked - self.used)[low].sum() / self.asked.sum())

    def by(self, group: JobGroup) -> dict[str, float | None]:
        """The used part of each group's request, by its name; None if the use of none of its jobs is known."""
        codes, row = np.unique(group.code, return_inverse=True)
        asked, used = np.bincount(row, self.asked), np.bincount(row, self.used)
        parts = [float(u / a) if a > 0 else None for a, u in zip(asked, used, strict=True)]
        return dict(zip(map(group.name, codes.tolist()), parts, strict=True))


def requested_and_used(workload: Workload, use: Mapping[str, NDArray[Any]]) -> tuple[RequestedAndUsed, ...]:
    """Of processor time and of memory; of a resource whose use no job tells there is nothing.

    Args:
        workload: the jobs.
        use: `cpu_time_s`, float64[J], seconds of processor time for each core, and `used_memory`, float64[J], bytes for
            each task; -1 where unknown, and either may be missing.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[2, 2])
        >>> (cores,) = requested_and_used(jobs, {"cpu_time_s": np.array([5.0, -1.0])})
        >>> cores.part, cores.jobs
        (0.5, 1)
    """
    found = []
    for name, resource in (("cpu_time_s", CORES), ("used_memory", MEMORY)):
        if name not in use or resource not in workload.resources:
            continue
        demand = workload.demand[:, workload.resources.index(resource)] * workload.task_count
        known = (use[name] > 0) & (demand > 0)
        each = use[name] * demand if resource == CORES else use[name] * workload.task_count * workload.runtime_s
        if known.any():
            asked = np.where(known, demand * workload.runtime_s, 0.0)
            found.append(RequestedAndUsed(resource, asked, np.where(known, each, 0.0)))
    return tuple(found)
