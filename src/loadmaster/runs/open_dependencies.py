"""The open dependencies of a job of a recorded run at a moment, from those in its log."""

from loadmaster.model.awaited_jobs import UNTIL, AwaitedJob, Awaits
from loadmaster.model.dependencies import KINDS
from loadmaster.runs.record import Record
from loadmaster.scheduling.dependencies import Waits, ended_well

_SINGLETON = KINDS.index("singleton")


def open_dependencies(record: Record, waits: Waits, job: int, now_s: float) -> Awaits | None:
    """What was open as the cycle at `now_s` began; None if that was nothing."""
    rows = range(int(waits.first[job]), int(waits.first[job + 1]))
    by_row = [_open(record, waits, row, now_s) for row in rows]
    one_is_enough = bool(waits.one_is_enough[job])
    if one_is_enough and not all(by_row):
        by_row = []
    open_ones = [each for one in by_row for each in one]
    if waits.single[job] and _others(record, waits, job, now_s):
        open_ones.append(AwaitedJob("", UNTIL[_SINGLETON]))
    return Awaits(str(record.name_of(job)), tuple(open_ones), one_is_enough) if open_ones else None


def _open(record: Record, waits: Waits, row: int, now_s: float) -> list[AwaitedJob]:
    jobs = waits.on[int(waits.first_on[row]) : int(waits.first_on[row + 1])].tolist()
    open_ones = [_awaited_job(record, waits, row, other, now_s) for other in jobs]
    return [each for each in open_ones if each is not None]


def _awaited_job(record: Record, waits: Waits, row: int, other: int, now_s: float) -> AwaitedJob | None:
    until, start_s = UNTIL[int(waits.kind[row])], float(record.schedule.start_s[other])
    over = bool(record.schedule.ends_s(record.workload)[other] <= now_s)
    name = str(record.name_of(other))
    if until == "begin":
        if start_s < now_s:
            late = start_s + float(waits.delay_s[row]) > now_s
            return AwaitedJob(name, "have begun longer ago") if late else None
        return AwaitedJob(name, until)
    never = over and until != "end" and ended_well(_status(record, waits, other)) != (until == "end well")
    return AwaitedJob(name, until, never) if never or not over else None


def _status(record: Record, waits: Waits, job: int) -> int:
    """How it ended: as the run stopped it, else as the log says."""
    stopped = -1 if record.schedule.status is None else int(record.schedule.status[job])
    return int(waits.status[job]) if stopped < 0 else stopped


def _others(record: Record, waits: Waits, job: int, now_s: float) -> bool:
    """Whether another of its user and name ran, or waited with a smaller number."""
    start_s, ends_s = record.schedule.start_s, record.schedule.ends_s(record.workload)
    group = waits.group == waits.group[job]
    group[job] = False
    running = group & (start_s < now_s) & ~(ends_s <= now_s)
    earlier = group & (record.workload.submit_s <= now_s) & ~(start_s < now_s)
    return bool(running.any() or earlier[:job].any())
