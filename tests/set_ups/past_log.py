"""A made log of some weeks with limits, users, hours of the day and a queue; equal for equal seeds."""

import numpy as np

from loadmaster.model import Workload


def past_log(weeks=3, seed=1, every_s=300.0, cores=(1, 2, 4), users=6, mean_s=3600.0):
    rng = np.random.default_rng(seed)
    many = int(weeks * 7 * 86400 / every_s)
    submit_s = np.sort(rng.uniform(0, weeks * 7 * 86400, many))
    limit_s = rng.choice([1.0, 2.0, 4.0], many) * 2 * mean_s
    runtime_s = np.maximum(limit_s * rng.beta(1.2, 2.5, many), 10.0)
    return Workload.of(
        submit_s=submit_s - submit_s[0],
        runtime_s=runtime_s,
        estimate_s=limit_s,
        cores=rng.choice(cores, many),
        user=rng.integers(0, users, many),
    )
