"""Sequences of jobs for studies of queue rules: parts of the archive's logs, or synthetic ones."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.units import CORES
from loadmaster.traces import Trace, generate_lublin, read_trace
from loadmaster.traces.archive import ARCHIVE

DAY_S = 86_400.0


LOGS = {
    "CTC": ARCHIVE["CTC-SP2"],
    "KTH": ARCHIVE["KTH-SP2"],
    "SDSC": ARCHIVE["SDSC-SP2"],
    "BLUE": ARCHIVE["SDSC-BLUE"],
    "Curie": ARCHIVE["CEA-Curie"],
    "Intrepid": ARCHIVE["ANL-Intrepid"],
}
"""Logs by the names that papers give them."""


@dataclass(frozen=True, eq=False)
class LogSequences:
    """Sequences of one log or of one model, which stand for independent runs.

    Attributes:
        name: of the log; synthetic ones say so.
        cores: of the machine, one pool.
        parts: the jobs of each sequence; cores as the only resource, no constraints.
        credit: whose the log is, empty for a model.
    """

    name: str
    cores: int
    parts: tuple[Workload, ...]
    credit: str = ""

    @property
    def cluster(self) -> Cluster:
        """The machine."""
        return Cluster.uniform(1, cores=self.cores)


def archive_sequences(
    folder: Path | None, names: Sequence[str], cut: Callable[[Workload], tuple[Workload, ...]]
) -> list[LogSequences]:
    """The sequences that `cut` makes of each log of `names` that lies in `folder`, in any version."""
    found = []
    for name in names if folder is not None else ():
        log = LOGS[name]
        system_and_year = "-".join(log.file.split("-")[:3])
        path = next(iter(sorted(folder.glob(f"{system_and_year}*.swf*"))), None) if folder is not None else None
        if path is not None:
            jobs = jobs_of(read_trace(path), log.cores)
            found.append(LogSequences(name, log.cores, cut(jobs), log.credit))
    return found


def lublin_sequences(
    name: str, count: int, cut: Callable[[Workload], Workload], first_seed: int, /, **parameters: object
) -> LogSequences:
    """`count` logs of the model of Lublin and Feitelson 2003 that differ by their seed, each cut by `cut`."""
    traces = [generate_lublin(**parameters, seed=first_seed + k) for k in range(count)]  # type: ignore[arg-type]
    cores = int(parameters.get("cores", 128))  # type: ignore[call-overload]
    return LogSequences(name, cores, tuple(cut(jobs_of(trace, cores)) for trace in traces))


def jobs_of(trace: Trace, cores: int) -> Workload:
    """Jobs with nothing but cores, runtime, estimate and user; no job has more than `cores`."""
    work = trace.workload.on_single_host()
    return Workload(
        (CORES,),
        work.submit_s,
        work.runtime_s,
        np.minimum(work.demand[:, :1], cores),
        estimate_s=np.maximum(work.expected_s, 1.0),
        user=work.user,
        source=work.source,
        synthetic=work.synthetic,
    )


def stretches_of_jobs(work: Workload, count: int) -> tuple[Workload, ...]:
    """`count` stretches of equally many jobs, one after another; each begins at 0."""
    cuts = np.linspace(0, work.jobs, count + 1).astype(int)
    return tuple(_from_zero(work.take(slice(a, b))) for a, b in itertools.pairwise(cuts))


def stretches_of_days(work: Workload, days: float, count: int) -> tuple[Workload, ...]:
    """At most `count` stretches of so many days, spread evenly over the log, without overlap; each begins at 0."""
    length_s = days * DAY_S
    count = max(1, min(count, int(work.span_s // length_s)))
    starts = np.linspace(0.0, max(work.span_s - length_s, 0.0), count) + work.submit_s[0]
    edges = np.searchsorted(work.submit_s, np.column_stack((starts, starts + length_s)))
    return tuple(_from_zero(work.take(slice(a, b))) for a, b in edges if b > a)


def digest_of(work: Workload) -> str:
    """Names the very jobs of a sequence."""
    digest = sha256()
    for column in (work.submit_s, work.runtime_s, work.demand, work.expected_s, work.user):
        if column is not None:
            digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def _from_zero(work: Workload) -> Workload:
    return work.arriving(slice(None), work.submit_s - work.submit_s[0]) if work.jobs else work
