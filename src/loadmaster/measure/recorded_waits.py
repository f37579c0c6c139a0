"""How long jobs really waited, by the log alone: no machines are needed for that."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.units import show_seconds
from loadmaster.model.workload import Workload


@dataclass(frozen=True)
class RecordedWaits:
    """The waits of the jobs whose start is in the log.

    Attributes:
        jobs: how many these are.
        unknown: jobs whose start is not known.
        mean_wait_s, median_wait_s, p95_wait_s, longest_wait_s: of them.
        waited: the part of them that waited at all.
    """

    jobs: int
    unknown: int
    mean_wait_s: float
    median_wait_s: float
    p95_wait_s: float
    longest_wait_s: float
    waited: float

    @property
    def sentence(self) -> str:
        """The waits in words."""
        jobs = "the only job" if self.jobs == 1 else f"the {self.jobs:,} jobs"
        known = f" whose start is known ({self.unknown:,} are not)" if self.unknown else ""
        return (
            f"Recorded: {jobs}{known} waited {show_seconds(self.mean_wait_s)} on average; half of them up to "
            f"{show_seconds(self.median_wait_s)}, 95 % up to {show_seconds(self.p95_wait_s)}, the longest "
            f"{show_seconds(self.longest_wait_s)}."
        )


def recorded_waits(workload: Workload) -> RecordedWaits | None:
    """The waits that a log recorded; None where it knows the start of no job.

    Example:
        >>> log = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[1, 1], recorded_wait_s=[60, 180])
        >>> recorded_waits(log).mean_wait_s
        120.0
    """
    waits_s = workload.recorded_wait_s
    if waits_s is None or np.isnan(waits_s).all():
        return None
    known_s = waits_s[~np.isnan(waits_s)]
    median_s, p95_s = np.quantile(known_s, [0.5, 0.95]).tolist()
    return RecordedWaits(
        known_s.size,
        workload.jobs - known_s.size,
        float(known_s.mean()),
        median_s,
        p95_s,
        float(known_s.max()),
        float((known_s > 0).mean()),
    )
