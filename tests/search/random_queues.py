"""Random queues of a dozen jobs on a few hosts of unlike size and speed."""

import numpy as np

from loadmaster.model import Cluster, Workload


def random_queue(seed, most_tasks=3):
    """Whole seconds and amounts, so that sums are exact."""
    rng = np.random.default_rng(seed)
    jobs, hosts = int(rng.integers(2, 60)), int(rng.integers(1, 4))
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, 80, jobs)),
        runtime_s=rng.choice([1, 2, 5, 20, 50], jobs),
        cores=rng.integers(1, 5, jobs),
        memory=rng.integers(0, 5, jobs),
        tasks=rng.integers(1, most_tasks + 1, jobs),
    )
    capacity = np.full((hosts, 2), 4.0 * most_tasks) + rng.integers(0, 3, (hosts, 2))
    return workload, Cluster(("cores", "memory"), capacity, speed=rng.choice([1.0, 1.0, 2.0], hosts))
