"""One row of a sharing comparison: the results of a log's jobs under one method."""

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats

BOUND_S = 10.0


@dataclass(frozen=True)
class SharingRow:
    """One method on one log; times in simulated seconds, all means over the jobs that ran.

    Attributes:
        method: as on the command line.
        policy: that places the batch queue's jobs; empty for methods that are none.
        kind: `shared`, `fractional`, `vms` or `batch`.
        parameters: of the method, in words.
        jobs: of the log, the refused ones among them.
        refused: jobs that never ran.
        mean_wait_s, mean_turnaround_s: until they start, and until they end.
        mean_slowdown, median_slowdown: turnaround over the runtime on a machine of speed 1 for oneself.
        mean_stretch, p95_stretch, max_stretch: turnaround over max(runtime, 10 s), at least 1.
        mean_yield: runtime over the time from start to end, mean over jobs: how fast jobs ran once they had started.
        migrations: tasks moved.
    """

    method: str
    policy: str
    kind: str
    parameters: str
    jobs: int
    refused: int
    mean_wait_s: float
    mean_turnaround_s: float
    mean_slowdown: float
    median_slowdown: float
    mean_stretch: float
    p95_stretch: float
    max_stretch: float
    mean_yield: float
    migrations: int

    def as_dict(self) -> dict[str, Any]:
        """The row of `--json`; None for a figure without jobs, and for the policy of a method that is no queue."""
        row = asdict(self) | {"policy": self.policy or None}
        return {name: None if isinstance(x, float) and math.isnan(x) else x for name, x in row.items()}


class RowLabels(NamedTuple):
    """What a row is of, as in `SharingRow`."""

    method: str
    policy: str
    kind: str
    parameters: str


def row_of(what: RowLabels, workload: Workload, start_s: Floats, end_s: Floats, migrations: int = 0) -> SharingRow:
    """The row of a run that started and ended its jobs so, float64[J]; the end of one that never ran is not finite."""
    ran = np.isfinite(end_s)
    submit_s, start_s, end_s, runtime_s = (
        column[ran] if ran.any() else np.array([np.nan])
        for column in (workload.submit_s, start_s, end_s, workload.runtime_s)
    )
    turnaround_s = end_s - submit_s
    slowdown = turnaround_s / runtime_s
    stretch = np.maximum(1.0, turnaround_s / np.maximum(runtime_s, BOUND_S))
    return SharingRow(
        *what,
        jobs=workload.jobs,
        refused=int((~ran).sum()),
        mean_wait_s=float((start_s - submit_s).mean()),
        mean_turnaround_s=float(turnaround_s.mean()),
        mean_slowdown=float(slowdown.mean()),
        median_slowdown=float(np.median(slowdown)),
        mean_stretch=float(stretch.mean()),
        p95_stretch=float(np.quantile(stretch, 0.95)),
        max_stretch=float(stretch.max()),
        mean_yield=float((runtime_s / (end_s - start_s)).mean()),
        migrations=migrations,
    )
