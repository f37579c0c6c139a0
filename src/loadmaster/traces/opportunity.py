"""Synthetic streams for time-shared clusters, as in the simulations of Amir et al. 2000, section 5."""

from typing import Literal

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.traces.trace import Trace

ComponentWork = Literal["each", "split"]
ComponentMemory = Literal["split", "each", "iid"]
MemoryCap = Literal["clip", "redraw", "none"]

CLUSTERS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "three-kinds": ((0.44, 0.44, 0.44, 0.67, 0.67, 1.0), (128.0,) * 6),
    "equal": ((1.0,) * 6, (128.0,) * 6),
    "one-fast": ((0.5,) * 5 + (1.0,), (128.0,) * 6),
    "unequal-memory": ((0.44, 0.44, 0.67, 0.67, 1.0, 1.0), (32.0, 32.0, 64.0, 64.0, 128.0, 128.0)),
}
"""Six machines, speeds and memories: the paper names Pentium 133, Pentium Pro 200 and Pentium II, not how many of
each nor their memories. All four are guesses; the first is the default."""

MOST_JOBS = 1e8
"""A trace of more has no room in the memory of common machines."""


def opportunity_cluster(name: str = "three-kinds") -> Cluster:
    """One of `CLUSTERS`: six hosts of one core, memory in units of 1/128 of the largest.

    Raises:
        InputError: no such cluster.
    """
    if name not in CLUSTERS:
        raise InputError(name, "no such cluster", fix=f"known: {', '.join(CLUSTERS)}")
    speed, memory = CLUSTERS[name]
    capacity = np.column_stack((np.ones(len(speed)), np.array(memory)))
    return Cluster(("cores", "memory"), capacity, speed=np.array(speed))


def generate_opportunity(
    cluster: str = "three-kinds",
    *,
    window_s: float = 1000.0,
    every_s: float = 10.0,
    component_work: ComponentWork = "each",
    component_memory: ComponentMemory = "split",
    memory_cap: MemoryCap = "clip",
    seed: int | tuple[int, ...] = 0,
) -> Trace:
    """Jobs of Pareto length and memory: 2/r seconds and (1/m) % of the largest memory, r and m uniform on (0, 1].

    5 % of the jobs need 20/r seconds instead and have 1 to 20 parallel components (rule W3). Arrivals are Poisson.

    Args:
        cluster: a name of `CLUSTERS`.
        window_s: how long jobs arrive.
        every_s: mean time between arrivals.
        component_work: whether each component needs 20/r seconds or they share them.
        component_memory: whether the components share the job's memory, have as much each, or draw each its own.
        memory_cap: what becomes of a job larger than the largest memory: cut to it, drawn again, or left.
        seed: of every draw.

    Raises:
        InputError: no such cluster, or a time that is not more than zero.

    Returns:
        A trace with its cluster. Components are tasks of one job; with `iid` they are jobs with one `job_id`.

    Example:
        >>> trace = generate_opportunity(seed=1)
        >>> trace.cluster.hosts, trace.workload.synthetic
        (6, True)
    """
    for name, value in (("window_s", window_s), ("every_s", every_s)):
        if not 0 < value < np.inf:
            raise InputError(value, f"{name} must be more than zero seconds", fix="give a number such as 1000")
    if window_s / every_s > MOST_JOBS:
        rule = f"a job every so many seconds is more than {MOST_JOBS:,.0f} jobs in {window_s:g} s"
        raise InputError(every_s, rule, fix="let jobs come more rarely, or for a shorter time")
    rng = np.random.default_rng(seed)
    hosts = opportunity_cluster(cluster)
    largest = float(hosts.capacity[:, 1].max())
    jobs = max(1, int(rng.poisson(window_s / every_s)))
    submit = np.sort(rng.uniform(0.0, window_s, jobs))
    parallel = rng.random(jobs) < 0.05
    components = np.where(parallel, rng.integers(1, 21, jobs), 1).astype(np.int32)
    runtime = np.where(parallel, 20.0, 2.0) / (1.0 - rng.random(jobs))
    if component_work == "split":
        runtime = runtime / components
    job = np.arange(jobs)
    tasks: np.ndarray | None = components
    if component_memory == "iid":
        job, tasks = np.repeat(job, components), None
    memory = _memory(rng, len(job), memory_cap) * largest
    if component_memory == "split":
        memory = memory / components
    return Trace(
        Workload(
            ("cores", "memory"),
            submit[job],
            runtime[job],
            np.column_stack((np.ones(len(job)), memory)),
            tasks=tasks,
            job_id=job,
            source=f"synthetic, as Amir et al. 2000, seed {seed}",
            synthetic=True,
        ),
        hosts,
        notes=("This stream is synthetic; the machines are a guess at the paper's six.",),
    )


def _memory(rng: np.random.Generator, count: int, cap: MemoryCap) -> np.ndarray:
    """Fractions of the largest memory: (1/m) %."""
    memory = 0.01 / (1.0 - rng.random(count))
    if cap == "clip":
        return np.minimum(memory, 1.0)
    while cap == "redraw" and (memory > 1.0).any():
        over = memory > 1.0
        memory[over] = 0.01 / (1.0 - rng.random(int(over.sum())))
    return memory
