"""Why a job got this host at that time, worked out again from the record of its run."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from loadmaster.measure.queue_metrics import waits
from loadmaster.model import InputError
from loadmaster.model.cards import cards_in
from loadmaster.runs.choice import Choice, choice_of
from loadmaster.runs.delay import Delay, LiveReasons, delay_of
from loadmaster.runs.rebuild import job_named
from loadmaster.runs.record import LIVE, Record
from loadmaster.runs.trust import check_trust

RESUMED = "it went on where it had been stopped"


@dataclass(frozen=True)
class EarlierRun:
    """A run of a job that was cut short.

    Attributes:
        start_s, end_s: seconds from the start of the log.
        lost: its work was lost; else the job goes on from there.
        hosts: the host of each task.
    """

    start_s: float
    end_s: float
    lost: bool
    hosts: tuple[int, ...]


@dataclass(frozen=True)
class Explanation:
    """The history of one job, with reasons.

    Attributes:
        job: its number in the record.
        identifier: its name for its user, or in the log.
        submit_s: its arrival, seconds from the start of the log, as it was simulated.
        runtime_s: seconds that it ran, or would have run.
        tasks: how many it has.
        start_s: of its last run; None if it never started.
        wait_s: from arrival to end, less the time of work that counted (rule C8); None if it never started.
        hosts: the host of each task; empty if it never started.
        cards: the numbers of the GPUs of its host that each task took; empty if it never started, or where GPUs are no
            cards (rule Q22).
        start_up_s: how long it waited for its hosts to start, as a part of its wait (rule C17).
        delay: its wait and the reasons.
        choice: why its first task got its host; None if it never started, or if that cannot be repeated.
        unexplained: why it cannot be repeated; mostly empty.
        stops: its runs before the last, in the order of time.
    """

    job: int
    identifier: int | str
    submit_s: float
    start_s: float | None
    wait_s: float | None
    runtime_s: float
    tasks: int
    hosts: tuple[int, ...]
    delay: Delay
    choice: Choice | None
    unexplained: str = ""
    stops: tuple[EarlierRun, ...] = ()
    cards: tuple[tuple[int, ...], ...] = ()
    start_up_s: float = 0.0

    @property
    def waited(self) -> bool:
        """Whether it did not start in at least one cycle; its wait for the first cycle does not count."""
        return self.start_s is None or self.delay.cycles > 1


def explain(
    record: Record,
    identifier: int | str,
    *,
    trust: bool = False,
    chosen: Callable[[int], Choice] | None = None,
    live: Callable[[int], LiveReasons] = lambda _: LiveReasons(),
    where: str = "",
) -> Explanation:
    """Explain the job that the log calls `identifier`.

    Args:
        record: the run.
        identifier: of the job.
        trust: run the Python of a policy file that the record carries, without which no choice can be explained.
        chosen: explains better than the record why a job got its host; raises InputError where it cannot.
        live: tells what the record of a live run knows of a job's wait.
        where: the record's folder, for a refusal.

    Raises:
        InputError: the run has no such job, or the record carries Python and is not trusted.
    """
    check_trust(record, trust)
    job = job_named(record, identifier)
    if job is None:
        raise InputError(identifier, "this run has no such job", fix=_hint(record), where=where)
    workload, schedule = record.workload, record.schedule
    started = bool(schedule.started[job])
    stops = _stops(record, job)
    choice, unexplained = _choice(record, job, chosen, stops) if started else (None, "")
    first, last = workload.first_task[job], workload.first_task[job + 1]
    return Explanation(
        job=job,
        identifier=record.name_of(job),
        submit_s=float(workload.submit_s[job]),
        start_s=float(schedule.start_s[job]) if started else None,
        wait_s=float(waits(workload, schedule)[job]) if started else None,
        runtime_s=float((schedule.ran_s(workload) if started else workload.runtime_s)[job]),
        tasks=int(last - first),
        hosts=tuple(schedule.host[first:last].tolist()) if started else (),
        delay=delay_of(record, job, live(job)),
        choice=choice,
        unexplained=unexplained,
        stops=stops,
        cards=_cards(record, job) if started else (),
        start_up_s=0.0 if schedule.start_up_s is None else float(schedule.start_up_s[job]),
    )


def _cards(record: Record, job: int) -> tuple[tuple[int, ...], ...]:
    """The GPUs of each task of a job that has started."""
    taken, first = record.schedule.cards, record.workload.first_task
    if taken is None:
        return ()
    return tuple(tuple(cards_in(bits)) for bits in taken[first[job] : first[job + 1]].tolist())


def _stops(record: Record, job: int) -> tuple[EarlierRun, ...]:
    cut = record.schedule.segments
    if cut is None:
        return ()
    own = np.flatnonzero(cut.job == job)
    return tuple(
        EarlierRun(
            float(cut.start_s[run]),
            float(cut.end_s[run]),
            bool(cut.lost[run]),
            tuple(cut.host[cut.first[run] : cut.first[run + 1]].tolist()),
        )
        for run in own[np.argsort(cut.start_s[own])].tolist()
    )


def _choice(
    record: Record, job: int, chosen: Callable[[int], Choice] | None, stops: tuple[EarlierRun, ...]
) -> tuple[Choice | None, str]:
    """Why it got its host, or why that is not known: the record of a live run lacks a part of what it observed."""
    if stops and not stops[-1].lost:
        return None, RESUMED
    try:
        return choice_of(record, job) if chosen is None else chosen(job), ""
    except InputError as error:
        if record.workload.source != LIVE:
            raise
        return None, error.rule


def _hint(record: Record) -> str:
    ids = np.arange(record.workload.jobs) if record.workload.job_id is None else record.workload.job_id
    hint = f"its {ids.size:,} jobs have identifiers from {ids.min()} to {ids.max()}"
    if record.called:
        hint = f"its {ids.size:,} jobs are called {record.called[0]} to {record.called[-1]}"
    if record.case.rejected.total:
        reasons = ", ".join(record.case.rejected.counts)
        hint += f"; {record.case.rejected.total:,} more were rejected before the run: {reasons}"
    return hint
