"""The reasons for a job's wait: which resource was short, which jobs were ahead, when its host became free enough."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.model import CalendarRow
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.cards import cards_wanted
from loadmaster.model.units import GPUS
from loadmaster.runs.blocking_rules import BlockingRules
from loadmaster.runs.live_replay import may_be_replayed, slurm_of, without_a_pass
from loadmaster.runs.rebuild import RanTasks, tasks_between
from loadmaster.runs.record import Record
from loadmaster.runs.setting import discipline_of
from loadmaster.scheduling.host_eligibility import mask

LOOKED_AT = 50
"""At most so many of the cycles in which a job waited are looked at, spread evenly."""

TAKEN = "a host had room, but other jobs took it in the cycle"
KEPT = "a host had room to the end of the cycle, but was kept for other jobs"
NOT_LOOKED_AT = "a host had room, but none of Slurm's loops was due, so no job was considered"
KEPT_OR_NOT_LOOKED_AT = f"{KEPT}, or none of Slurm's loops was due"
KEPT_OR_NOT_REACHED = f"{KEPT}, or the pass never came to it: more waited than it tries"
HELD = "its user, or an administrator, held it"
LATER = "it might not begin yet: its begin time, or what it waited for, had not come"
APART = "every resource was there, but never enough of all on one host"


@dataclass(frozen=True)
class Delay:
    """The time from arrival to start.

    Attributes:
        first_cycle_s: the first cycle after the arrival.
        cycles: cycles in which the job was in the queue, with that of its start.
        ahead: jobs that were waiting and had come earlier, as its first cycle began.
        overtaken_by: jobs that came later and started earlier.
        looked_at: cycles in which it did not start and which were looked at, spread evenly over the wait.
        reasons: what stood in the way in each of those, counted, the most frequent first.
        room_since_s: from when on its host had room for it, without a break until the start; None if it never started.
        freed_by: the job whose end made that room; None if the room was there before the job came.
    """

    first_cycle_s: float
    cycles: int
    ahead: int
    overtaken_by: int
    looked_at: int
    reasons: dict[str, int]
    room_since_s: float | None
    freed_by: int | None


@dataclass(frozen=True)
class ReasonsByMoment:
    """Reasons that the record of a live run gives for a job's wait.

    Attributes:
        moments: in which the reason changed, ascending; no decision need have been taken then.
        words: the reason from each moment on; empty where there was none.
    """

    moments: Sequence[float] = ()
    words: Sequence[str] = ()

    def at(self, now_s: float) -> str:
        """In words; empty if there was none."""
        return self.words[max(0, bisect_right(self.moments, now_s) - 1)] if self.words else ""


class LiveReasons(NamedTuple):
    """What only the record of a live run knows of a job's wait.

    Attributes:
        awaited: other jobs that it waited for.
        refused: starts that came to nothing, and the rest that follows some of them; they go before any other reason.
        ruled: rules between jobs that kept it from each host with room.
    """

    awaited: ReasonsByMoment = ReasonsByMoment()
    refused: ReasonsByMoment = ReasonsByMoment()
    ruled: ReasonsByMoment = ReasonsByMoment()


def delay_of(record: Record, job: int, live: LiveReasons = LiveReasons()) -> Delay:
    """Look back over the wait of `job`."""
    workload, schedule = record.workload, record.schedule
    submit, start = float(workload.submit_s[job]), float(schedule.start_s[job])
    times = np.union1d(schedule.cycles.time_s, np.array(live.awaited.moments, float))
    until = start if not np.isnan(start) else float(times.max(initial=submit))
    begin, end = np.searchsorted(times, submit), np.searchsorted(times, until, side="right")
    own = times[begin:end]
    in_vain = own[own < until] if not np.isnan(start) else own
    in_vain = in_vain[~_at_work(record, job, in_vain)]
    first_cycle = float(own[0]) if own.size else until
    started_before = schedule.start_s < first_cycle
    tasks = tasks_between(record, submit, until)
    looked_at = in_vain[np.unique(np.linspace(0, in_vain.size - 1, min(LOOKED_AT, in_vain.size)).astype(int))]
    rules = BlockingRules(record, job)
    ways = [(now, _in_the_way(record, rules, tasks, job, now)) for now in looked_at.tolist()]
    ways = _without_short_passes(record, _without_idle_loops(record, ways))
    ways = [(now, rules.kept_words if why == KEPT and rules.kept_words else why) for now, why in ways]
    reasons = Counter(
        live.refused.at(now) or (why == LATER and live.awaited.at(now)) or live.ruled.at(now) or why
        for now, why in ways
    )
    room_since, freed_by = (None, None) if np.isnan(start) else _room(record, tasks, job)
    return Delay(
        first_cycle,
        int(in_vain.size) + int(not np.isnan(start)),
        int((~started_before[:job]).sum()),
        int((schedule.start_s[job + 1 :] < start).sum()) if not np.isnan(start) else 0,
        looked_at.size,
        dict(reasons.most_common()),
        room_since,
        freed_by,
    )


def _at_work(record: Record, job: int, moments: Floats) -> Bools:
    """bool[N]: whether `job` ran already as each of the moments was over, and was only stopped later."""
    works = np.zeros(moments.shape, bool)
    if (cut := record.schedule.segments) is not None:
        for run in np.flatnonzero(cut.job == job).tolist():
            works |= (moments >= cut.start_s[run]) & (moments < cut.end_s[run])
    return works


def _in_the_way(record: Record, rules: BlockingRules, tasks: RanTasks, job: int, now_s: float) -> str:
    """Why `job` could not start in the cycle at `now_s`: what lacked as it began, else what lacked as it ended."""
    if reason := _not_eligible(record, job, now_s) or rules.awaits(now_s) or rules.never:
        return reason
    demand, capacity, hosts = record.workload.demand[job], record.case.cluster.capacity, rules.hosts
    after_s = float(np.nextafter(now_s, np.inf))
    if reason := rules.limit(tasks.jobs_at(now_s), now_s):
        return reason
    enough = tasks.enough(capacity, demand, now_s)[hosts]
    room = np.zeros(len(capacity), bool)
    room[hosts] = enough.all(axis=1)
    if reason := calendar_reason(record, job, now_s, room) or _lacking_resources(record, job, enough, hosts):
        return reason
    if reason := rules.limit(tasks.jobs_at(after_s), after_s):
        return reason
    after = _lacking_resources(record, job, tasks.enough(capacity, demand, after_s)[hosts], hosts)
    return f"{TAKEN}; then {after}" if after else KEPT


def _without_idle_loops(record: Record, ways: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The reasons by moment; if Slurm's loops serve the queue, `KEPT` only where they tried some job."""
    kept_s = [now for now, why in ways if why == KEPT]
    loops = slurm_of(record) if kept_s else None
    if loops is None:
        return ways
    if not may_be_replayed(record, kept_s[-1]):
        return [(now, KEPT_OR_NOT_LOOKED_AT if why == KEPT else why) for now, why in ways]
    idle = without_a_pass(record, loops, kept_s[-1])
    return [(now, NOT_LOOKED_AT if why == KEPT and now in idle else why) for now, why in ways]


def _without_short_passes(record: Record, ways: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The reasons by moment, `KEPT` alone only where a pass tries as many jobs as waited."""
    discipline, cycles = discipline_of(record.setting, record.sources), record.schedule.cycles
    most = discipline.most_tried
    if most is None:
        return ways

    def waited(now_s: float) -> int:
        first, last = np.searchsorted(cycles.time_s, now_s), np.searchsorted(cycles.time_s, now_s, side="right")
        return int(cycles.queue_length[first:last].max(initial=0))

    return [(now, KEPT_OR_NOT_REACHED if why == KEPT and waited(now) > most else why) for now, why in ways]


def _not_eligible(record: Record, job: int, now_s: float) -> str:
    """Why it was not its turn at all, as far as the jobs' columns tell; empty if it may have been."""
    bound = record.workload.constraints
    if bound is None:
        return ""
    if bound.hold is not None and bound.hold[job]:
        return HELD
    return LATER if bound.eligible_s is not None and now_s < bound.eligible_s[job] else ""


def _lacking_resources(record: Record, job: int, enough: Bools, hosts: Bools) -> str:
    """What a job lacked on the hosts that it may use, in words; empty if one had enough of all."""
    if enough.all(axis=1).any():
        return ""
    there = np.atleast_1d(enough.any(axis=0)).tolist()
    names = list(record.workload.resources)
    if record.schedule.cards is not None:
        gpus = names.index(GPUS)
        names[gpus] = "free on one GPU" if record.workload.demand[job, gpus] < 1 else "GPUs that are wholly free"
    short = [name for name, some in zip(names, there, strict=True) if not some]
    which = "no host" if hosts.all() else "no host that it may use"
    return f"{which} had enough {' nor enough '.join(short)}" if short else APART


def _room(record: Record, tasks: RanTasks, job: int) -> tuple[float, int | None]:
    """Since when the job's first host had room for it, and whose end made it."""
    submit, start = float(record.workload.submit_s[job]), float(record.schedule.start_s[job])
    host = int(record.schedule.host[record.workload.first_task[job]])
    here = np.flatnonzero((tasks.host == host) & (tasks.job != job))
    capacity, demand = record.case.cluster.capacity[host], record.workload.demand[job]
    ends = sorted({float(end) for end in tasks.end_s[here] if submit < end <= start}, reverse=True)
    since, freed_by = start, None
    for moment in [*ends, submit]:
        if not _fits_from(tasks, here, capacity, demand, moment, since):
            break
        since = moment
        ending = here[tasks.end_s[here] == moment]
        freed_by = int(tasks.job[ending[0]]) if ending.size and moment > submit else None
    return since, freed_by


def _fits_from(tasks: RanTasks, here: np.ndarray, capacity: Floats, demand: Floats, begin: float, until: float) -> bool:
    """The host could have held the task at every moment from `begin` to `until`."""
    starts = tasks.start_s[here]
    moments = [begin, *starts[(starts > begin) & (starts < until)].tolist()]
    for moment in moments:
        on = here[(starts <= moment) & (tasks.end_s[here] > moment)]
        if (capacity - tasks.demand[on].sum(axis=0) < demand).any():
            return False
        if tasks.cards is not None and not _fits_on_cards(tasks, on, demand):
            return False
    return True


def _fits_on_cards(tasks: RanTasks, on: np.ndarray, demand: Floats) -> bool:
    """The cards of a host hold a task of `demand` beside the tasks `on`, int64[M], which all lie there."""
    cards = tasks.cards
    if cards is None or not on.size:
        return True
    wanted, share = cards_wanted(float(demand[cards.column]))
    free = cards.empty[tasks.host[on[0]]] - cards.held[on].sum(axis=0)
    return int((free >= share).sum()) >= wanted


def calendar_reason(record: Record, job: int, now_s: float, room: Bools) -> str:
    """Why a job may not start at `now_s` on any of the hosts that have room for it; empty if the calendar lets it.

    Args:
        record: of the run.
        job: its number.
        now_s: the cycle.
        room: bool[H], the hosts that have room for one of its tasks.
    """
    rules = record.case.cluster.rules
    if rules is None or not rules.calendar:
        return ""
    own = _job_name(record, job)
    rows = [row for row in rules.calendar if row.kind == "reserved" and row.name == own] if own else []
    if rows and not any(row.flex or row.from_s <= now_s for row in rows):
        return f"its reservation {own} had not begun"
    left, names = room.copy(), []
    for row in (row for row in rules.calendar if _is_in_the_way(record, job, now_s, row, own)):
        hosts = mask(record.case.cluster.hosts, row.hosts)
        if (left & hosts).any():
            names.append(f"kept by the reservation {row.name}" if row.kind == "reserved" else row.kind)
        left &= ~hosts
    if left.any() or not room.any():
        return ""
    return f"the hosts that had room were {' or '.join(dict.fromkeys(names))}"


def _job_name(record: Record, job: int) -> str:
    bound = record.workload.constraints
    return "" if bound is None or bound.reservation is None else bound.reservation.words()[job] or ""


def _is_in_the_way(record: Record, job: int, now_s: float, row: CalendarRow, own: str) -> bool:
    """Whether it holds hosts at some time of the run that the job would begin now, and not for this job."""
    if row.kind == "reserved" and row.name == own:
        return False
    until_s = now_s if row.kind == "down" else now_s + float(record.workload.expected_s[job])
    return bool(row.from_s <= now_s or row.from_s < until_s) and row.until_s > now_s and np.isfinite(row.from_s)
