"""The jobs and the hosts of a run, brought together, with a name made from their content."""

from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.gpu_kinds import notes_on_unnamed_kinds, with_gpu_kinds
from loadmaster.model.units import percent
from loadmaster.model.whole_hosts import hold_whole_hosts
from loadmaster.runs.gpu_models import bind_gpu_models
from loadmaster.runs.running_now import begin_at_window, go_on_from
from loadmaster.runs.unenforced_constraints import notes_on_features, notes_on_licences, without_unknown_hosts
from loadmaster.site.jobs import with_longest_times
from loadmaster.traces import Skipped, SpreadChoice, Trace, fit_by
from loadmaster.traces.amount_columns import notes_on_hosts, notes_on_shared_gpus
from loadmaster.traces.dump_window import window_load
from loadmaster.traces.fit import FOREIGN
from loadmaster.traces.recipe import Recipe

MOST_LEFT_OUT = 0.1
"""Memory by which a larger part of the jobs fits nowhere was read in the wrong unit."""
MOST_WORK_LEFT_OUT = 0.05
"""If a larger part of the work is left out, what is left is another log."""


@dataclass(frozen=True, eq=False)
class Case:
    """The data that all runs of a comparison share.

    Attributes:
        workload: the jobs that the cluster can hold, as the log has them.
        cluster: the hosts.
        rejected: jobs left out because no empty host could hold them, by reason.
        skipped: lines of the log that were left out, by reason.
        notes: facts that the user must know about the data, one sentence each.
        spread: where the tasks of one job may go; empty where that is not known.
        several_tasks: the log has jobs of several tasks.
        recipe: how a synthetic log says that it was made.
        among: all sets of machines on which the same jobs are compared, where there are several (rule N1).
        first: the case of the first of them, whose load is the one requested; None where it is this one.
        allowed: there is a verdict, however many jobs are left out.
        window_s: when the window of the dump opens, if runs begin then (rule L12); None if they begin with the log.
        launch_s: by so much the runtimes are longer than in the log, since a site launches and cleans up (rule H12).
    """

    workload: Workload
    cluster: Cluster
    rejected: Skipped = field(default_factory=Skipped)
    skipped: Skipped = field(default_factory=Skipped)
    notes: tuple[str, ...] = ()
    spread: Literal["", "single-host", "any", "asked"] = ""
    several_tasks: bool = False
    recipe: Recipe | None = None
    among: tuple[Cluster, ...] = ()
    first: "Case | None" = None
    launch_s: float = 0.0
    allowed: bool = False
    window_s: float | None = None

    @cached_property
    def digest(self) -> str:
        """A name for the content of all columns: two cases with the same name run alike."""
        extra_columns = tuple(
            name for name in ("recorded_hosts", "starting", "epoch_s") if getattr(self.workload, name) is not None
        )
        return f"{digest_of(self.workload, _WORKLOAD + extra_columns)}-{digest_of(self.cluster, _CLUSTER)}"

    @cached_property
    def load(self) -> float:
        """The load that the log itself offers to the first resource; of a dump, that of its window."""
        if self.window_s is not None:
            return window_load(self.workload, self.cluster, self.window_s)[self.workload.resources[0]]
        return float(self.workload.offered_load(self.cluster))

    @property
    def jobs_in_words(self) -> str:
        """How many jobs there are, such as `2,000 synthetic jobs`; `2,000 jobs that fit` where others do not."""
        one = self.workload.jobs == 1
        kind = "synthetic " if self.workload.synthetic else ""
        fit = f" that {'fits' if one else 'fit'}" if self.rejected.total else ""
        return f"{self.workload.jobs:,} {kind}{'job' if one else 'jobs'}{fit}"

    @property
    def left_out(self) -> str:
        """How many jobs are left out, and how much of the work, in words; empty where none is."""
        lost = self.rejected.total + self.skipped.malformed
        jobs = self.workload.jobs + lost
        work = f" with {percent(self.rejected.work)} of the work" if self.rejected.total else ""
        return f"{lost:,} of {jobs:,} jobs ({percent(lost / jobs)}){work}" if lost else ""

    @property
    def leaves_too_much_out(self) -> bool:
        """Over 5 % of the work are left out; of a line that cannot be read the work is not known, so lines count."""
        malformed = self.skipped.malformed / max(self.workload.jobs + self.rejected.total + self.skipped.malformed, 1)
        return max(self.rejected.work, malformed) > MOST_WORK_LEFT_OUT

    @property
    def without_verdict(self) -> str:
        """Why the queue of these jobs says nothing about the log, and what to change; mostly empty."""
        foreign = [reason for reason in self.rejected.counts if reason.startswith(FOREIGN)]
        if self.allowed or not self.leaves_too_much_out:
            return ""
        if self.skipped.malformed > self.rejected.total:
            fix = "say what the log holds (--format, --columns), or mend its lines"
        elif 2 * sum(self.rejected.counts[each] for each in foreign) > self.rejected.total:
            what = ", ".join(each.removeprefix(FOREIGN) for each in foreign)
            fix = f"give machines that have {what} (--hosts)"
        elif self.spread == "single-host" and self.several_tasks:
            fix = "let the tasks of a job go to several hosts (--spread any), or give larger machines (--hosts)"
        else:
            fix = "give larger machines (--hosts), or the right unit of memory (--memory-unit)"
        be = "is" if self.rejected.total + self.skipped.malformed == 1 else "are"
        return f"No verdict: {self.left_out} {be} left out; {fix}, or judge the rest (--allow-left-out)."

    @property
    def left_out_first(self) -> str:
        """The left-out jobs, as the sentence before an answer; empty if there are none."""
        return f"Left out: {self.left_out}. " if self.left_out else ""

    def beta_for(self, load: float) -> float:
        """The factor on the times between arrivals that makes `load` the offered load."""
        if not np.isfinite(self.load) or self.load <= 0:
            raise InputError(self.load, "the load of this log cannot be scaled: all its jobs arrive at once")
        beta = self.load / load
        why, more = self.workload.why_not_scaled(beta)
        if why:
            fix = "a lower load" if more else "a higher load"
            raise InputError(f"{load:.3g}", f"offered load: {why}", fix=fix)
        return beta


def case_of(
    trace: Trace,
    cluster: Cluster | None = None,
    spread: SpreadChoice = "single-host",
    *,
    from_window: bool = False,
) -> Case:
    """Fit the jobs of `trace` to `cluster`, or to the machines that the trace names.

    Args:
        trace: the log.
        cluster: the machines.
        spread: where the tasks of one job may go.
        from_window: of a dump that shows a window, runs begin as it opens.

    Raises:
        InputError: no machines are known, or none of the jobs fits.
    """
    hosts = cluster if cluster is not None else trace.cluster
    source = trace.workload.source or "this log"
    if hosts is None:
        raise InputError(source, "this log does not name its machines", fix="give them with --hosts, such as 20x16c64g")
    of_log = cluster is None and trace.machines == "log"
    workload, hosts = with_gpu_kinds(trace.workload, hosts)
    workload, rejected, spread, note = fit_by(spread, workload, hosts, machines_of_log=of_log)
    workload = hold_whole_hosts(workload, hosts)
    if workload.jobs == 0:
        reason = next(iter(rejected.counts), "it holds no job")
        raise InputError(source, f"none of its {trace.workload.jobs} jobs can run here: {reason}", fix="check --hosts")
    workload, of_names = without_unknown_hosts(workload, hosts)
    of_features = (*of_names, *notes_on_features(workload, hosts))
    workload, limited = with_longest_times(workload, hosts)
    workload, of_models = bind_gpu_models(workload, hosts)
    workload, going_on = go_on_from(trace.listed_s, workload, hosts)
    opens_s = trace.window_s if from_window else None
    workload, opening = begin_at_window(opens_s, workload, hosts)
    of_hosts = (
        *notes_on_hosts(hosts),
        *notes_on_shared_gpus(workload),
        *limited,
        *of_features,
        *of_models,
        *notes_on_unnamed_kinds(workload, hosts),
        *notes_on_licences(workload, hosts),
    )
    notes = (*trace.notes, *filter(None, (note, going_on, opening)), *of_hosts)
    return Case(
        workload,
        hosts,
        rejected,
        trace.skipped,
        notes,
        spread,
        trace.workload.tasks is not None,
        trace.recipe,
        window_s=None if workload.starting is None else opens_s,
    )


def digest_of(value: object, columns: tuple[str, ...]) -> str:
    """Sixteen hex digits over the named columns of `value`: their types, shapes and bytes."""
    digest = blake2b(digest_size=8)
    for name in columns:
        _add(digest, name, getattr(value, name))
    return digest.hexdigest()


def digest_of_hosts(cluster: Cluster) -> str:
    """A name for all of a cluster that a run looks at."""
    return digest_of(cluster, _CLUSTER)


def _add(digest: blake2b, name: str, column: Any) -> None:
    if isinstance(column, np.ndarray):
        digest.update(f"{name}:{column.dtype.str}:{column.shape}".encode())
        digest.update(np.ascontiguousarray(column).data)
    elif is_dataclass(column):
        for field_ in fields(column):
            _add(digest, f"{name}.{field_.name}", getattr(column, field_.name))
    else:
        digest.update(f"{name}:{column!r}".encode())


_WORKLOAD = ("resources", "submit_s", "runtime_s", "demand", "tasks", "estimate_s", "project", "user", "constraints")
_CLUSTER = ("resources", "capacity", "speed", "rules")
