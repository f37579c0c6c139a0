"""What reservations and drained hosts keep a waiting job from, in words."""

import numpy as np

from loadmaster.model import CalendarRow
from loadmaster.model.arrays import Bools
from loadmaster.runs.record import Record
from loadmaster.scheduling.host_eligibility import mask


def kept_back(record: Record, job: int, now_s: float, room: Bools) -> str:
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
    own = _named(record, job)
    found = [row for row in rules.calendar if row.kind == "reserved" and row.name == own] if own else []
    if found and not any(row.flex or row.from_s <= now_s for row in found):
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


def _named(record: Record, job: int) -> str:
    bound = record.workload.constraints
    return "" if bound is None or bound.reservation is None else bound.reservation.words()[job] or ""


def _is_in_the_way(record: Record, job: int, now_s: float, row: CalendarRow, own: str) -> bool:
    """Whether it holds hosts at some time of the run that the job would begin now, and not for this job."""
    if row.kind == "reserved" and row.name == own:
        return False
    until_s = now_s if row.kind == "down" else now_s + float(record.workload.expected_s[job])
    return bool(row.from_s <= now_s or row.from_s < until_s) and row.until_s > now_s and np.isfinite(row.from_s)
