"""Synthetic logs of parallel supercomputers: the workload model of Lublin and Feitelson 2003 as a whole."""

from typing import Literal, NamedTuple

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.units import CORES
from loadmaster.traces.lublin.arrivals import arrival_times, daily_cycle, times_between
from loadmaster.traces.lublin.parameters import ALL_JOBS, BATCH, INTERACTIVE, LONGEST_LOG_RUNTIME, JobClass
from loadmaster.traces.lublin.runtimes import job_runtimes
from loadmaster.traces.lublin.sizes import job_sizes
from loadmaster.traces.recipe import Recipe
from loadmaster.traces.trace import Trace
from loadmaster.traces.user_estimates import estimates_of_users

__all__ = ["generate_lublin"]

Classes = Literal["both", "one"]
Estimates = Literal["exact", "tsafrir"]

LONGEST_ESTIMATE_S = 172_800.0
"""Two days, more than any runtime of the model."""
SESSION_JOBS = 5.0
"""Mean number of jobs that a user submits one after the other; an assumption."""
SESSION_SPREAD = 0.25
"""Standard deviation of log runtime within them; an assumption."""
LOAD_STEPS, LOAD_WITHIN = 30, 1e-3
MOST_JOBS, MOST_CORES, MOST_USERS = 100_000_000, 1 << 24, 1_000_000
NOTE = "This log is synthetic: made by the model of Lublin and Feitelson 2003, not recorded."
NOTE_USERS = "The model has no users. Here a user submits similar jobs in sessions: an assumption of this generator."


class LublinStream(NamedTuple):
    """Jobs of one class, before their arrivals are known; all arrays have J rows."""

    nodes: Longs
    runtime_s: Floats
    user: Ints
    between_s: Floats
    cycle: Floats


def generate_lublin(
    jobs: int = 10_000,
    *,
    cores: int = 128,
    classes: Classes = "both",
    load: float | None = None,
    estimates: Estimates = "exact",
    longest_estimate_s: float = LONGEST_ESTIMATE_S,
    users: int = 0,
    seed: int = 0,
) -> Trace:
    """A log of rigid parallel jobs with its machine (rules W2, W4 and W5). It begins soon after midnight.

    A job has a task of one core for each node.

    Args:
        jobs: number of jobs.
        cores: of the machine, which is one pool; the published parameters are for 128, others scale the sizes.
        classes: `both` for batch and interactive jobs, each with its parameters; `one` for those of the whole sample.
        load: offered load on cores; the times between arrivals are multiplied by one factor until it holds.
            None leaves them as published.
        estimates: `exact` runtimes, or those of the model of Tsafrir, Etsion and Feitelson 2005.
        longest_estimate_s: the longest estimate that `tsafrir` gives.
        users: 0 for none, as published; else so many, each of which submits alike jobs in sessions.
        seed: of every random draw.

    Returns:
        Jobs and machine. `extra["queue"]` is 1 for batch jobs, 0 for interactive ones, -1 without classes.

    Raises:
        InputError: a number out of range.

    Example:
        >>> trace = generate_lublin(1000, load=0.8, seed=1)
        >>> trace.workload.jobs, trace.cluster.total.tolist(), round(trace.workload.offered_load(trace.cluster), 2)
        (1000, [128.0], 0.8)
    """
    _check(jobs, cores, load, users)
    generators = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(3)]
    parts = [BATCH, INTERACTIVE] if classes == "both" else [ALL_JOBS]
    streams = [_stream(part.on(cores), jobs, users, rng) for part, rng in zip(parts, generators, strict=False)]
    workload, kind = _at_load(streams, jobs, cores, load)
    asked_s = workload.runtime_s
    if estimates == "tsafrir":
        asked_s = estimates_of_users(workload.runtime_s, longest_estimate_s, generators[2])
    named = "" if estimates == "exact" else ", estimates after Tsafrir et al. 2005"
    workload = Workload(
        (CORES,),
        workload.submit_s,
        workload.runtime_s,
        workload.demand,
        tasks=workload.tasks,
        estimate_s=asked_s,
        user=workload.user if users else None,
        job_id=np.arange(1, jobs + 1),
        source=f"synthetic, as Lublin and Feitelson 2003{named}, seed {seed}",
        synthetic=True,
    )
    queue = np.where(kind == 0, 1, 0) if classes == "both" else np.full(jobs, -1)
    parameters = {
        "jobs": jobs,
        "cores": cores,
        "classes": classes,
        "load": load,
        "estimates": estimates,
        "longest_estimate_s": longest_estimate_s,
        "users": users,
    }
    return Trace(
        workload,
        Cluster.uniform(1, cores=cores),
        notes=(NOTE, NOTE_USERS) if users else (NOTE,),
        extra={"queue": queue},
        recipe=Recipe("lublin", parameters, seed),
    )


def _stream(part: JobClass, jobs: int, users: int, rng: np.random.Generator) -> LublinStream:
    between_s = times_between(part.arrivals, jobs, rng)
    cycle = daily_cycle(part.arrivals)
    if not users:
        nodes = job_sizes(part.sizes, jobs, rng)
        return LublinStream(nodes, job_runtimes(part.runtimes, nodes, rng), np.zeros(jobs, np.int32), between_s, cycle)
    session = np.cumsum(rng.random(jobs) < 1 / SESSION_JOBS)
    sessions = int(session[-1]) + 1
    nodes = job_sizes(part.sizes, sessions, rng)
    runtime_s = job_runtimes(part.runtimes, nodes, rng)[session]
    runtime_s = np.floor(runtime_s * np.exp(SESSION_SPREAD * rng.standard_normal(jobs)))
    runtime_s = np.clip(runtime_s, 1.0, np.floor(np.exp(LONGEST_LOG_RUNTIME)))
    busy = 1 / np.arange(1.0, users + 1)
    user = rng.choice(users, sessions, p=busy / busy.sum()).astype(np.int32)
    return LublinStream(nodes[session], runtime_s, user[session], between_s, cycle)


def _at_load(streams: list[LublinStream], jobs: int, cores: int, load: float | None) -> tuple[Workload, Ints]:
    """The first `jobs` arrivals of all streams, and int32[J] of which stream each is.

    With a load the factor is sought by repeated correction: it changes which jobs are among the first.
    """
    cluster = Cluster.uniform(1, cores=cores)
    factor = 1.0
    for _ in range(LOAD_STEPS):
        workload, kind = _merged(streams, jobs, factor)
        if load is None:
            return workload, kind
        offered = workload.offered_load(cluster)
        if abs(offered / load - 1) < LOAD_WITHIN:
            break
        factor *= offered / load
    return workload, kind


def _merged(streams: list[LublinStream], jobs: int, factor: float) -> tuple[Workload, Ints]:
    times = [np.floor(arrival_times(stream.between_s * factor, stream.cycle)) for stream in streams]
    kind = np.repeat(np.arange(len(streams), dtype=np.int32), jobs)
    submit_s = np.concatenate(times)
    first = np.argsort(submit_s, kind="stable")[:jobs]
    nodes, runtime_s, user = (
        np.concatenate([getattr(stream, name) for stream in streams])[first] for name in ("nodes", "runtime_s", "user")
    )
    workload = Workload(
        (CORES,),
        submit_s[first] - submit_s[first[0]],
        runtime_s,
        np.ones((jobs, 1)),
        tasks=nodes.astype(np.int32),
        user=user,
    )
    return workload, kind[first]


def _check(jobs: int, cores: int, load: float | None, users: int) -> None:
    for name, value, least, most in (
        ("jobs", jobs, 1, MOST_JOBS),
        ("cores", cores, 1, MOST_CORES),
        ("users", users, 0, MOST_USERS),
    ):
        if not least <= value <= most:
            raise InputError(value, f"{name} must be {least} to {most:,}")
    if load is not None and not 0 < load < np.inf:
        raise InputError(load, "load must be more than zero", fix="give a number such as 0.8")
    if load is not None and jobs < 2:
        raise InputError(jobs, "one job has no span, so no load", fix="give more jobs, or no load")
