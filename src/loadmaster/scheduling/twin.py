"""The twin: a discipline that tries several on the present queue, and follows the one that serves it best."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.snapshot import NEVER_S, Alternative, Decision, NextLoops, Snapshot
from loadmaster.model.workload import Workload
from loadmaster.order import AnyOrder, Job, JobColumns, Order, job_columns
from loadmaster.order.order import IgnoresEvents, rank_of
from loadmaster.order.trial import alone
from loadmaster.place import Policy
from loadmaster.scheduling.discipline import Discipline
from loadmaster.scheduling.meta_rule import MOST_MEMBERS, best_of

USUAL_MEMBERS = ("fcfs+easy", "wfp3+easy", "lxf+easy", "fcfs+easy(fill=shortest)", "lxf+easy(fill=shortest)")
"""The usual members: orders under which no job waits for ever."""
EVERY_S = 600.0
"""Seconds from look to look, as usual."""
HANDICAP = 0.2
"""The usual part by which a wait counts longer under an order that does not look at runtimes."""
LONG_S = 1e9
"""A job that has waited so long must come before a job that has just arrived."""
DAY_S = 86_400.0
LookAhead = Callable[[Snapshot, Policy, Discipline, JobColumns], Floats]
"""The start of each row's job of a snapshot's queue if no more jobs arrive (rule Q19), float64[Q]; NaN: never. The
columns are what orders know of the rows."""


@dataclass(frozen=True)
class ByColumns:
    """The order of a twin: it has none of its own, and passes the columns of jobs to the orders of its members."""

    name: str = "twin"

    def begin(self, workload: Workload, cluster: Cluster) -> "Telling":
        """The order at the beginning of a log."""
        return Telling(job_columns(workload))


class Telling(IgnoresEvents):
    """Passes the columns of jobs on."""

    def __init__(self, jobs: JobColumns) -> None:
        self._jobs = jobs

    def columns(self, jobs: Longs) -> JobColumns:
        """What orders may know of the waiting `jobs` int64[Q]."""
        return JobColumns._make(column[jobs] for column in self._jobs)


@dataclass(frozen=True)
class Twin(Discipline):
    """Follows the member under which the present jobs wait least (rule Q20).

    When a look is due, the queue is simulated onward under each member, without arrivals and with estimates. The member
    with the lowest mean wait is followed until the next look. Of equal ones the present member stays, else the first is
    taken. Jobs that arrive meanwhile are left out. They lose under orders that let no short job pass, so waits under
    these orders count longer.

    Attributes:
        members: the disciplines, none of which lets a job wait for ever.
        every_s: seconds from look to look, at whole multiples.
        handicap: by this part longer counts the mean wait under a member whose order does not look at runtimes.
        look_ahead: simulates the queue of a snapshot under a member; a simulator, which stands above this room.
    """

    members: tuple[Discipline, ...] = field(default=())
    every_s: float = EVERY_S
    handicap: float = HANDICAP
    look_ahead: LookAhead | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_members(self.members)

    @cached_property
    def counts(self) -> tuple[float, ...]:
        """The weight of the mean wait under each member."""
        return tuple(1.0 + self.handicap * (not looks_at_runtimes(member.order)) for member in self.members)

    @property
    def looks_ahead(self) -> bool:
        """Expected runtimes change what it does."""
        return True

    @property
    def remembers(self) -> bool:
        """The twin goes on following its present member."""
        return True

    def serve(self, snapshot: Snapshot, policy: Policy) -> Decision:
        """Choose the jobs to start now; pure."""
        columns = _columns(snapshot)
        clock = snapshot.clock
        values: Sequence[float | None] = [None] * len(self.members)
        before, member = int(clock.member), max(0, int(clock.member))
        if before < 0 or clock.choice_s <= snapshot.now_s:
            values = self._values(snapshot, policy, columns)
            first = best_of(values).member
            member = before if before >= 0 and values[before] == values[first] else first
            clock = clock._replace(choice_s=_next_look_s(snapshot.now_s, self.every_s), member=float(member))
        decision = _member_decision(self.members[member], snapshot, policy, columns)
        best = values[member]
        winners = sum(1 << m for m, value in enumerate(values) if m == member or (best is not None and value == best))
        options = tuple(Alternative(each.name, None, value) for each, value in zip(self.members, values, strict=True))
        return replace(decision, clock=clock, winners=winners, chosen=member, options=options)

    @property
    def most_tried(self) -> int | None:
        """The fewest waiting jobs that a pass of any member tries."""
        return min((each.most_tried for each in self.members if each.most_tried is not None), default=None)

    def looked(self, snapshot: Snapshot, policy: Policy) -> Snapshot:
        """The snapshot after a look: the followed member is settled, and no look is due."""
        clock = self.serve(snapshot, policy).clock
        return replace(snapshot, clock=clock._replace(choice_s=math.inf))

    def _values(self, snapshot: Snapshot, policy: Policy, columns: JobColumns) -> list[float | None]:
        """The value of each member: minus its weighted mean wait; None if other members start more jobs."""
        if self.look_ahead is None:
            rule = "this twin has no simulator to look ahead with"
            raise InputError(self.name, rule, fix="loadmaster.sim.queue.looking_ahead(discipline)")
        _, first = np.unique(snapshot.queue.job, return_index=True)
        starts_s = [self.look_ahead(snapshot, policy, each, columns) for each in self.members]
        waits_s = [(np.where(each < NEVER_S, each, np.nan) - columns.eligible_s)[first] for each in starts_s]
        started = [int(np.isfinite(each).sum()) for each in waits_s]
        most = max(started)
        return [
            None if many < most else -_total(each) / most * count if most else 0.0
            for many, each, count in zip(started, waits_s, self.counts, strict=True)
        ]


def _total(waits_s: Floats) -> float:
    """The sum of the finite waits, from the first to the last, as compiled engines add them."""
    return float(np.cumsum(waits_s[np.isfinite(waits_s)])[-1])


def check_members(members: Sequence[Discipline]) -> None:
    """Refuse members among which a twin cannot choose.

    Raises:
        InputError: there are none or too many, two of one name, or one that the twin cannot try or must not follow.
    """
    if not 1 <= len(members) <= MOST_MEMBERS:
        raise InputError(f"{len(members)} members", f"a twin has 1 to {MOST_MEMBERS}")
    names = [member.name for member in members]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(twice, "a member of a twin is named once")
    for member in members:
        if type(member.order) is not Order:  # a subclass is a rule of its own, which is not asked here
            rule = "a twin tries orders that are functions of job and time; this one keeps state"
            raise InputError(member.name, rule, fix=f"members such as {', '.join(USUAL_MEMBERS[:3])}")
        if member.remembers:
            rule = "a twin tries backfillings that keep no reservation from pass to pass; this one keeps them"
            raise InputError(member.name, rule, fix=f"members such as {', '.join(USUAL_MEMBERS[:3])}")
        if starves(member.order):
            rule = "under this order jobs may wait for ever, and a twin that looks at the queue of the moment does not "
            raise InputError(member.name, f"{rule}see it", fix=f"members such as {', '.join(USUAL_MEMBERS[:3])}")


def starves(order: Order) -> bool:
    """Whether a large job that has waited very long still ranks behind a small job that has just arrived."""
    large = Job(0.0, 0.0, 5 * DAY_S, 1, 512.0, 512.0, 0, 0, 0, 0, 0.0, 0.0)
    small = Job(LONG_S, LONG_S, 60.0, 1, 1.0, 1.0, 0, 0, 0, 0, 0.0, 0.0)
    mirrored = small._replace(submit_s=0.0, eligible_s=0.0), large._replace(submit_s=LONG_S, eligible_s=LONG_S)
    pairs = ((large, small), mirrored)
    return any(
        rank_of(order, old, LONG_S, alone(old, LONG_S)) > rank_of(order, new, LONG_S, alone(old, LONG_S))
        for old, new in pairs
    )


def looks_at_runtimes(order: AnyOrder) -> bool:
    """Whether a job's rank changes if its expected runtime is a day instead of a minute."""
    if not isinstance(order, Order):
        return True
    short = Job(0.0, 0.0, 60.0, 1, 16.0, 16.0, 0, 0, 0, 0, 0.0, 0.0)
    beside = alone(short, DAY_S)
    one, other = (rank_of(order, short._replace(expected_s=each), DAY_S, beside) for each in (60.0, DAY_S))
    return one != other


def _columns(snapshot: Snapshot) -> JobColumns:
    assert snapshot.queue.columns is not None  # engines ask the ranking of `ByColumns`
    return JobColumns._make(snapshot.queue.columns)


def _next_look_s(now_s: float, every_s: float) -> float:
    return (math.floor(now_s / every_s) + 1) * every_s if every_s > 0 else now_s


def _member_decision(member: Discipline, snapshot: Snapshot, policy: Policy, columns: JobColumns) -> Decision:
    """The decision of the member with the ranks of its own order: compiled even for a short queue, as looks are."""
    from loadmaster.compiled_rules.orders import ranks_of
    from loadmaster.scheduling.compiled_decide import compiled
    from loadmaster.scheduling.scheduler import is_plain_data

    assert isinstance(member.order, Order)
    ranks = ranks_of(member.order, columns, snapshot.now_s)
    seen = replace(snapshot, clock=NextLoops(), queue=replace(snapshot.queue, rank=ranks))
    this_pass = compiled(member, seen) if is_plain_data(policy) else None
    return (this_pass or member).serve(seen, policy)
