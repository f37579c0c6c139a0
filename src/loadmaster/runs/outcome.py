"""The results of one run that are stored for tables and charts; small for any number of jobs."""

import dataclasses
import json
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from loadmaster.measure import MemberShare, Metrics, member_shares, violations
from loadmaster.measure.distribution import wait_counts
from loadmaster.measure.losses import Losses
from loadmaster.measure.metric import metrics_row, values_of
from loadmaster.measure.recorded_hosts import same_hosts
from loadmaster.measure.run_diagnostics import RunDiagnostics, run_diagnostics
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.measure.timeline import QUEUE_POINTS, QueueSeries, Timeline, queue_series
from loadmaster.model import Schedule, Workload
from loadmaster.model.arrays import Longs
from loadmaster.results.block import arrays_of, from_arrays
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.setting import Setting, discipline_of, policy_of
from loadmaster.sim.queue import Progress, simulate_lived
from loadmaster.sim.queue.engine_cost import is_plain_quicker


@dataclass(frozen=True, eq=False)
class Outcome:
    """The results of a run.

    Attributes:
        setting: how it was run.
        metrics: waits, slowdowns, queue and utilization.
        queue: jobs that wait, over time.
        use: what was used of every resource, over time.
        wait_counts: int64[B], jobs by how long they waited, in buckets that grow with the wait.
        load: offered load after scaling; infinite where all jobs arrive at once.
        rejected: jobs that were left out before the run.
        simulated_jobs_per_s: jobs over the wall seconds that the engine took.
        members: for a meta-rule, how often each member was chosen.
        stranded: for each resource, the mean part of the cluster that was stranded until the last arrival.
        losses: jobs that did not run, or not to their end, and the work that was lost.
        faults: rules that the schedule breaks, if it was checked.
        beside: diagnostics: the steady state, waits by group, the reason for idle machines.
        values: every metric of the registry by its name, the use of each resource, and the user's own; NaN where this
            run has none.
        same_hosts: of the jobs whose real hosts the log names, the part that ran on just those; None without any.
    """

    setting: Setting
    load: float
    rejected: int
    metrics: Metrics
    simulated_jobs_per_s: float
    members: tuple[MemberShare, ...]
    stranded: dict[str, float]
    losses: Losses
    faults: tuple[str, ...]
    queue: QueueSeries
    use: Timeline
    wait_counts: Longs
    beside: RunDiagnostics
    values: dict[str, float]
    same_hosts: float | None = None

    def ran_once(self, jobs: int) -> bool:
        """Whether it ran so many jobs, all that can run, each once and to its end (rule D8)."""
        m, lost = self.metrics, self.losses
        return m.jobs - m.unstarted == jobs and not (lost.stopped or lost.killed)

    def row(self) -> dict[str, Any]:
        """The row that `compare --json` prints."""
        m = self.metrics
        row: dict[str, Any] = {
            "kind": self.setting.kind,
            "policy": self.setting.policy,
            "discipline": self.setting.discipline,
            **self.setting.beyond_usual(),
            "load": self.load,
            "jobs": m.jobs,
            "rejected": self.rejected,
            "unstarted": m.unstarted,
            **({"never_run": self.losses.never_run} if self.losses.never_run else {}),
            **metrics_row(self.values),
            "cycles": m.cycles,
            "simulated_jobs_per_s": self.simulated_jobs_per_s,
            **self.beside.row(),
        }
        if self.members:
            row["chosen"] = {share.member: share.chosen for share in self.members}
        if self.same_hosts is not None:
            row["same_hosts"] = self.same_hosts
        return row


class Run(NamedTuple):
    """A run as it was made.

    Attributes:
        workload: the jobs as they arrived, at the load of the run (rule C11).
        schedule: of those jobs.
        outcome: the results of the run.
    """

    workload: Workload
    schedule: Schedule
    outcome: Outcome


def run(
    case: Case, setting: Setting, sources: Sources, *, check: bool = False, progress: Progress | None = None
) -> Outcome:
    """Simulate `setting` on `case` and measure it."""
    return run_fully(case, setting, sources, check=check, progress=progress).outcome


def members_in(schedule: Schedule) -> tuple[MemberShare, ...]:
    """How often each member of a meta-rule was chosen, of max-jobs or a twin; nothing under any other rule."""
    choices = schedule.cycles.choices
    return () if choices is None else member_shares(schedule.cycles.winners, choices.members)


def run_fully(
    case: Case,
    setting: Setting,
    sources: Sources,
    *,
    check: bool = False,
    progress: Progress | None = None,
    plainly: bool | None = None,
) -> Run:
    """As `run`, with the jobs as they arrived and the schedule itself.

    Args:
        case: jobs and hosts.
        setting: how they are run.
        sources: text of every file whose rules it names.
        check: whether the schedule is checked against the rules.
        progress: called with the progress of long runs.
        plainly: whether the plain engine makes the run; None for the one that ends first.
    """
    policy, discipline = policy_of(setting, sources), discipline_of(setting, sources)
    workload = case.workload if setting.beta == 1.0 else case.workload.scaled(setting.beta)
    began = time.perf_counter()
    workload, schedule = simulate_lived(
        workload,
        case.cluster,
        policy,
        discipline,
        interval_s=setting.interval_s,
        seed=setting.seed,
        plainly=is_plain_quicker(case.workload) if plainly is None else plainly,
        progress=progress,
        estimate_model=setting.estimate_model,
    )
    pace = workload.jobs / (time.perf_counter() - began)
    faults = violations(workload, case.cluster, schedule) if check else ()
    jobs = ScheduledJobs(workload, case.cluster, schedule)
    own = values_of(jobs, setting.metrics, sources)
    return Run(workload, schedule, measured_outcome(case, setting, jobs, own, simulated_jobs_per_s=pace, faults=faults))


def measured_outcome(
    case: Case,
    setting: Setting,
    jobs: ScheduledJobs,
    values: dict[str, float],
    *,
    simulated_jobs_per_s: float,
    faults: tuple[str, ...] = (),
) -> Outcome:
    """The results of a schedule.

    Args:
        case: jobs and hosts before they were scaled.
        setting: how it was run.
        jobs: as they were scheduled.
        values: its metrics, by name.
        simulated_jobs_per_s: how fast it was made.
        faults: rules that it breaks.
    """
    workload, cluster, schedule = jobs.workload, jobs.cluster, jobs.schedule
    return Outcome(
        setting=setting,
        load=case.load / setting.beta,
        rejected=case.rejected.total,
        metrics=jobs.measures,
        simulated_jobs_per_s=simulated_jobs_per_s,
        members=members_in(schedule),
        stranded=jobs.stranded,
        losses=jobs.losses,
        faults=faults,
        queue=queue_series(workload, schedule).thinned(QUEUE_POINTS),
        use=jobs.use,
        wait_counts=wait_counts(jobs.wait_s),
        beside=run_diagnostics(workload, cluster, schedule),
        values=values,
        same_hosts=same_hosts(workload, cluster, schedule),
    )


def to_bytes(outcome: Outcome) -> bytes:
    """The outcome as one compressed block: plain values as JSON, series as arrays."""
    plain = {name: getattr(outcome, name) for name in _PLAIN}
    plain["setting"] = outcome.setting.plain()
    plain["metrics"] = dataclasses.asdict(outcome.metrics)
    plain["beside"] = outcome.beside.plain()
    plain["losses"] = dataclasses.asdict(outcome.losses)
    plain["members"] = [dataclasses.asdict(share) for share in outcome.members]
    arrays = {f"queue.{f.name}": getattr(outcome.queue, f.name) for f in dataclasses.fields(QueueSeries)}
    arrays |= {f"use.{f.name}": getattr(outcome.use, f.name) for f in dataclasses.fields(Timeline)}
    text = np.frombuffer(json.dumps(plain).encode(), np.uint8)
    return from_arrays({"plain": text, "wait_counts": outcome.wait_counts, **arrays})


def from_bytes(block: bytes) -> Outcome:
    """The outcome that `to_bytes` wrote."""
    arrays = arrays_of(block)
    plain = json.loads(arrays["plain"].tobytes())
    queue = QueueSeries(*(arrays[f"queue.{f.name}"] for f in dataclasses.fields(QueueSeries)))
    use = Timeline(*(arrays[f"use.{f.name}"] for f in dataclasses.fields(Timeline)))
    return Outcome(
        setting=Setting.of(plain["setting"]),
        metrics=Metrics(**plain["metrics"]),
        members=tuple(MemberShare(**share) for share in plain["members"]),
        losses=Losses(**plain["losses"]),
        faults=tuple(plain["faults"]),
        **{
            name: plain[name]
            for name in ("load", "rejected", "simulated_jobs_per_s", "stranded", "values", "same_hosts")
        },
        queue=queue,
        use=use,
        wait_counts=arrays["wait_counts"],
        beside=RunDiagnostics.of(plain["beside"]),
    )


_PLAIN = ("load", "rejected", "simulated_jobs_per_s", "stranded", "values", "faults", "same_hosts")
