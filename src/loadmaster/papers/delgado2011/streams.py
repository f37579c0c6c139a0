"""The streams of jobs on which the poster's study is made again: CTC, LCG, and synthetic ones."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Ints, sum_of_products
from loadmaster.sim.vms.simulation import narrowed

WIDEST = 256
"""Jobs of logs are clipped to the VMs there are."""
LARGEST = 64
"""Synthetic jobs have at most as many tasks as there are machines (hi = 6 in the model of Lublin and Feitelson)."""


CREDITS = {"CTC": "Dan Dwyer and Steve Hotovy", "LCG": "e-Science group at Imperial College"}
"""Whose the logs are."""


@dataclass(frozen=True, eq=False)
class JobStream:
    """Jobs with a name that says where they come from, synthetic or not."""

    name: str
    workload: Workload


@dataclass(frozen=True, eq=False)
class StreamGroup:
    """Streams of one kind: seeds of one law, or stretches of one log. What is said of it is said with an interval."""

    name: str
    streams: tuple[JobStream, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of its streams."""
        return tuple(stream.name for stream in self.streams)


def stretches(stream: JobStream, count: int) -> StreamGroup:
    """`count` stretches of a stream, one after another, of equally many jobs."""
    cuts = np.linspace(0, stream.workload.jobs, count + 1).astype(int)
    parts = (
        JobStream(f"{stream.name}, stretch {k + 1} of {count}", stream.workload.take(slice(cuts[k], cuts[k + 1])))
        for k in range(count)
    )
    return StreamGroup(stream.name, tuple(parts))


def seeds(name: str, jobs: int, serial: float, first: int, count: int) -> StreamGroup:
    """`count` synthetic streams that differ by their seed."""
    made = (JobStream(f"{name}, seed {first + k}", synthetic(jobs, serial, first + k)) for k in range(count))
    return StreamGroup(name, tuple(made))


def ctc(folder: Path | None, jobs: int) -> JobStream:
    """The first jobs of the CTC log, or a synthetic stream that says so."""
    found = _from_log(folder, "CTC-SP2-1996-3.1-cln.swf.gz", jobs)
    if found is not None:
        return JobStream("CTC", found)
    return JobStream("synthetic (no CTC log)", synthetic(jobs, serial=0.4, seed=11))


def grid(folder: Path | None, jobs: int) -> JobStream:
    """A grid's serial jobs: the first of the LCG log, or synthetic ones. The Grid'5000 trace cannot be had."""
    found = _from_log(folder, "LCG.swf.gz", jobs)
    if found is not None:
        return JobStream("LCG", found)
    return JobStream("synthetic serial bags", synthetic(jobs, serial=1.0, seed=12))


def synthetic(jobs: int, serial: float, seed: int) -> Workload:
    """Sizes as Lublin and Feitelson 2003 (rule W2) with a given part of serial jobs.

    Work is log-normal and arrivals are Poisson. Scale the arrivals with `at_load`.
    """
    rng = np.random.default_rng(seed)
    work = np.clip(rng.lognormal(6.5, 1.6, jobs), 10.0, 36 * 3600.0)
    return Workload(
        ("cores",),
        np.cumsum(rng.exponential(100.0, jobs)),
        work,
        np.ones((jobs, 1)),
        tasks=_sizes(rng, jobs, serial),
        source=f"synthetic, {serial:.0%} serial, seed {seed}",
        synthetic=True,
    )


def at_load(workload: Workload, machines: int, load: float) -> Workload:
    """The same jobs with arrivals stretched so that they request `load` of the machines' CPU."""
    offered = sum_of_products(workload.runtime_s, workload.task_count) / (machines * workload.span_s)
    return workload.scaled(offered / load)


def _sizes(rng: np.random.Generator, jobs: int, serial: float) -> Ints:
    """Parallel jobs: log2 of the size is uniform in two stages; most are rounded to a power of two."""
    low, high = 0.8, np.log2(LARGEST)
    middle = high - 2.5
    exponent = np.where(rng.random(jobs) < 0.86, rng.uniform(low, middle, jobs), rng.uniform(middle, high, jobs))
    exponent = np.where(rng.random(jobs) < 0.762, np.round(exponent), exponent)
    size = np.maximum(2, np.round(2.0**exponent))
    return np.where(rng.random(jobs) < serial, 1, size).astype(np.int32)


def _from_log(folder: Path | None, name: str, jobs: int) -> Workload | None:
    path = folder / name if folder is not None else None
    if path is None or not path.is_file():
        return None
    from loadmaster.traces import read_trace

    workload = read_trace(path).workload
    return narrowed(replace(workload.take(slice(0, jobs)), synthetic=False), WIDEST)
