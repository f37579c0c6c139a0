"""A small log of eight weeks whose queue is long enough for orders to matter; the seed is fixed."""

import numpy as np

from loadmaster.model import Workload
from loadmaster.order import ORDERS

WEEK_S = 7 * 86400.0
FEW = {name: ORDERS[name] for name in ("fcfs", "smallest", "srf", "lxf", "wfp3")}
"""Built-in orders that candidates beat on this log."""


def weekly_log(weeks=8, jobs_a_week=40, users=6, seed=1):
    """Bursts of short and long jobs of one to eight cores, for a host of eight."""
    rng = np.random.default_rng(seed)
    jobs = weeks * jobs_a_week
    burst_s = np.repeat(np.arange(weeks), jobs_a_week) * WEEK_S + rng.integers(0, 4, jobs) * 86400.0
    submit_s = np.sort(burst_s + rng.uniform(0, 7200, jobs))
    submit_s[0], submit_s[-1] = 0.0, weeks * WEEK_S + 1.0
    runtime_s = np.where(rng.random(jobs) < 0.3, rng.uniform(10_000, 40_000, jobs), rng.uniform(60, 3000, jobs))
    return Workload.of(
        submit_s=submit_s,
        runtime_s=runtime_s,
        cores=rng.integers(1, 9, jobs),
        user=rng.integers(0, users, jobs),
        estimate_s=runtime_s * rng.uniform(1, 3, jobs),
        source="weekly",
    )
