"""Synthetic logs like those of Intel's NetBatch pools (Shai 2014, Table 2.1 and section 3.2)."""

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.units import GB
from loadmaster.traces.trace import Trace

_MACHINES = {"A": (1633, 16588), "B": (3115, 33300), "C": (1499, 18816), "D": (2692, 40372)}
_JOBS = {"A": 13_368_191, "B": 13_085_800, "C": 13_313_793, "D": 9_054_066}


def generate_netbatch(
    pool: str = "A",
    *,
    jobs: int | None = None,
    hosts: int | None = None,
    load: float = 0.85,
    burstiness: float = 1.0,
    memory_per_core_gb: float = 4.0,
    seed: int = 0,
) -> Trace:
    """A synthetic month of pool A, B, C or D.

    Args:
        pool: whose totals and marginals to follow.
        jobs: number of jobs; None for the pool's published number.
        hosts: number of hosts; None for the pool's published number.
        load: offered load on cores; it fixes the rate of arrivals.
        burstiness: 0 for no bursts, 1 for the pool's own.
        memory_per_core_gb: memory of the hosts, GiB a core; the pools' own is not published.
        seed: of every random draw.

    Returns:
        A trace with its cluster, marked synthetic.
    """
    rng = np.random.default_rng(seed)
    count = _JOBS[pool] if jobs is None else jobs
    machines = _MACHINES[pool][0] if hosts is None else hosts
    host_cores = rng.choice([8.0, 12.0, 16.0], size=machines, p=[0.5, 0.3, 0.2])
    cluster = Cluster(("cores", "memory"), np.column_stack((host_cores, host_cores * memory_per_core_gb * GB)))
    runtime = np.maximum(1.0, np.round(rng.lognormal(6.2, 2.2, count)))
    runtime = np.minimum(runtime, 200_000.0)
    cores = rng.choice([1.0, 2.0, 4.0], size=count, p=[0.97, 0.02, 0.01])
    memory = rng.choice([1.0, 2.0, 4.0, 8.0, 16.0], size=count, p=[0.3, 0.3, 0.2, 0.15, 0.05]) * GB
    burst = (np.sin(np.arange(count) / max(count / 40, 1.0)) > 1 - 0.5 * burstiness) & (rng.random(count) < 0.6)
    memory[burst] = 16.0 * GB
    span = float((cores * runtime).sum()) / (load * host_cores.sum())
    submit = np.floor(np.sort(rng.random(count)) * span)
    workload = Workload(
        ("cores", "memory"), submit - submit[0], runtime, np.column_stack((cores, memory)),
        user=rng.integers(0, 100, count).astype(np.int32),
        source=f"synthetic NetBatch pool {pool}, seed {seed}", synthetic=True,
    )  # fmt: skip
    return Trace(workload, cluster, notes=("This log is synthetic: made by a generator, not recorded.",))
