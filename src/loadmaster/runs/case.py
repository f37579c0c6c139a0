"""The jobs and the hosts of a run, brought together, with a name made from their content."""

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.traces import Skipped, Spread, Trace, fit_to
from loadmaster.traces.amount_columns import notes_on_hosts


@dataclass(frozen=True, eq=False)
class Case:
    """What every run of a comparison shares.

    Attributes:
        workload: the jobs that the cluster can hold, as the log has them.
        cluster: the hosts.
        rejected: jobs left out because no empty host could hold them, by reason.
        skipped: lines of the log that were left out, by reason.
        notes: what the user must know of the data, one sentence each.
    """

    workload: Workload
    cluster: Cluster
    rejected: Skipped = field(default_factory=Skipped)
    skipped: Skipped = field(default_factory=Skipped)
    notes: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """A name for the content of all columns: two cases with the same name run alike."""
        return f"{digest_of(self.workload, _WORKLOAD)}-{digest_of(self.cluster, _CLUSTER)}"

    @cached_property
    def load(self) -> float:
        """The load that the log itself offers to the first resource."""
        return float(self.workload.offered_load(self.cluster))

    def beta_for(self, load: float) -> float:
        """The factor on the times between arrivals that makes `load` the offered load."""
        if not np.isfinite(self.load) or self.load <= 0:
            raise InputError(self.load, "the load of this log cannot be scaled: all its jobs arrive at once")
        return self.load / load


def case_of(trace: Trace, cluster: Cluster | None = None, spread: Spread = "single-host") -> Case:
    """Fit the jobs of `trace` to `cluster`, or to the machines that the trace names.

    Raises:
        InputError: no machines are known, or none of the jobs fits.
    """
    hosts = cluster if cluster is not None else trace.cluster
    source = trace.workload.source or "this log"
    if hosts is None:
        raise InputError(source, "this log does not name its machines", fix="give them with --hosts, such as 20x16c64g")
    workload, rejected = fit_to(trace.workload, hosts, spread)
    if workload.jobs == 0:
        reason = next(iter(rejected.counts), "it holds no job")
        raise InputError(source, f"none of its {trace.workload.jobs} jobs can run here: {reason}", fix="check --hosts")
    return Case(workload, hosts, rejected, trace.skipped, (*trace.notes, *notes_on_hosts(hosts)))


def digest_of(value: object, columns: tuple[str, ...]) -> str:
    """Sixteen hex digits over the named columns of `value`: their types, shapes and bytes."""
    digest = blake2b(digest_size=8)
    for name in columns:
        column = getattr(value, name)
        if isinstance(column, np.ndarray):
            digest.update(f"{name}:{column.dtype.str}:{column.shape}".encode())
            digest.update(np.ascontiguousarray(column).data)
        else:
            digest.update(f"{name}:{column!r}".encode())
    return digest.hexdigest()


_WORKLOAD = ("resources", "submit_s", "runtime_s", "demand", "tasks", "estimate_s", "project")
_CLUSTER = ("resources", "capacity", "speed")
