"""The input and the result of a decision. Simulator and live adapters exchange nothing else."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from loadmaster.model.amounts import Amounts, on_hosts, plus, rounded_up, sums_on_hosts
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.cards import CardLayout
from loadmaster.model.cluster import Cluster
from loadmaster.model.host_count import HostsAsked
from loadmaster.model.request import RowRequest, requests_of

NEVER_S = 1e30
"""The expected runtime of a job that does not end by itself. Whenever it begins, its end is this moment in 64 bits. A
job that could start only then gets no promise that another such job would delay (rule Q16)."""


@dataclass(frozen=True, eq=False)
class Queue:
    """Q waiting jobs that may start as far as time, holds and dependencies go, in the order of arrival.

    A job that may run in several partitions has a row for each, and starts in the first that has room.
    A column that is None means the same for every job: rank by arrival, one partition, every host, no limit.

    Attributes:
        job: int64[Q], the job's number in its workload.
        demand: float64[Q, R], what one task requests.
        tasks: int32[Q].
        expected_s: float64[Q], the runtime at speed 1 that a scheduler may count on.
        project: int32[Q].
        first_task: int64[Q], the number of the job's first task in its workload.
        tier: float64[Q], lower goes first, before any rank.
        rank: float64[Q], the order's value at this moment, lower goes first, ties by arrival.
        partition: int32[Q].
        hosts: int32[Q], the row of `Snapshot.allowed` that holds the job's hosts.
        array: int64[Q], the array of which the job is a task, -1 of none.
        user: int32[Q].
        eligible_s: float64[Q], since when the job might have started; NaN where unknown.
        no_reserve: bool[Q], the job gets no reservation.
        min_hosts, max_hosts: int32[Q], the least and the greatest number of hosts of the job; 0 for any number.
        uses: for each job the limits that its start counts against: ((row of `Snapshot.left`, amount), ...).
        columns: the properties of each job for orders, `order.JobColumns`; only if the discipline tries several.
        cards: where GPUs are cards (rule Q22), which amounts are cards.
    """

    job: Longs
    demand: Floats
    tasks: Ints
    expected_s: Floats
    project: Ints
    first_task: Longs
    tier: Floats | None = None
    rank: Floats | None = None
    partition: Ints | None = None
    hosts: Ints | None = None
    array: Longs | None = None
    user: Ints | None = None
    eligible_s: Floats | None = None
    no_reserve: Bools | None = None
    min_hosts: Ints | None = None
    max_hosts: Ints | None = None
    uses: tuple[tuple[tuple[int, float], ...], ...] | None = None
    columns: tuple[Any, ...] | None = None
    cards: CardLayout | None = None

    def __len__(self) -> int:
        return int(self.job.shape[0])

    @cached_property
    def requests(self) -> list[RowRequest]:
        """The request of each job; rows with equal requests share one object."""
        return requests_of(self.demand, self.tasks, self.hosts, self.min_hosts, self.max_hosts, self.cards)

    @cached_property
    def runtimes_s(self) -> list[float]:
        """`expected_s` as plain numbers."""
        return self.expected_s.tolist()  # type: ignore[no-any-return]

    def take(self, rows: Bools) -> "Queue":
        """The jobs of `rows` bool[Q] alone."""
        columns = {each.name: getattr(self, each.name) for each in fields(self)}
        taken: dict[str, Any] = {
            name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)
        }
        if self.uses is not None:
            taken["uses"] = tuple(self.uses[row] for row in np.flatnonzero(rows))
        if self.columns is not None:
            taken["columns"] = type(self.columns)(*(column[rows] for column in self.columns))
        return replace(self, **taken)

    def asked(self, row: int) -> HostsAsked:
        """The number of tasks of the job `row`, and the numbers of hosts that it may use."""
        least = 0 if self.min_hosts is None else int(self.min_hosts[row])
        most = 0 if self.max_hosts is None else int(self.max_hosts[row])
        return HostsAsked(int(self.tasks[row]), least, most)


class ExpectedEnd(NamedTuple):
    """A running job's expected end on one of its hosts: `host` gets `demand` back at `end_s`.

    These are R amounts, and where GPUs are cards (rule Q22) those of its C cards behind them.
    """

    end_s: float
    job: int
    host: int
    demand: Amounts


END_S = attrgetter("end_s")
BY_END = itemgetter(0, 1)


def ends_of(job: int, end_s: float, hosts: Sequence[int], demand: Amounts) -> tuple[ExpectedEnd, ...]:
    """The expected end of a job with a task of R amounts `demand` on each of `hosts`, on every host."""
    return tuple([ExpectedEnd(end_s, job, host, amounts) for host, amounts in on_hosts(hosts, demand)])


def ends_of_each(job: int, end_s: float, hosts: Sequence[int], each: Sequence[Amounts]) -> tuple[ExpectedEnd, ...]:
    """The expected end of a job whose task on each of `hosts` holds `each`, on every host."""
    return tuple([ExpectedEnd(end_s, job, host, amounts) for host, amounts in sums_on_hosts(hosts, each)])


@dataclass(frozen=True, eq=False)
class Running:
    """N running tasks in the order in which they were started.

    Attributes:
        job: int64[N].
        host: int32[N].
        demand: float64[N, R].
        expected_end_s: float64[N], the start plus the expected runtime; may lie in the past.
        project: int32[N].
        start_s: float64[N]; None where unknown.
        cards: float64[N, C], the part of each card of its host that each task holds; None where GPUs are no cards.
    """

    job: Longs
    host: Ints
    demand: Floats
    expected_end_s: Floats
    project: Ints
    start_s: Floats | None = None
    cards: Floats | None = None

    @cached_property
    def ends(self) -> list[ExpectedEnd]:
        """The resources that every job gives back to each of its hosts, in the order of (expected end, job).

        The tasks of a job on one host count as one, if they are expected to end together.
        """
        held: dict[tuple[float, int, int], Amounts] = {}
        columns = (column.tolist() for column in (self.expected_end_s, self.job, self.host))
        held_by = self.demand if self.cards is None else np.hstack((self.demand, self.cards))
        for key, demand in zip(zip(*columns, strict=True), map(tuple, held_by.tolist()), strict=True):
            held[key] = plus(held[key], demand) if key in held else demand
        return sorted((ExpectedEnd(*key, demand) for key, demand in held.items()), key=BY_END)


class Need(NamedTuple):
    """Groups of jobs that are served by need: next is the group with the least used / share, lower index first.

    Attributes:
        group: int32[Q], the group of every waiting job.
        used: float64[P], cores in use.
        share: float64[P].
    """

    group: Ints
    used: Floats
    share: Floats


class Promise(NamedTuple):
    """The reservation of a waiting job that lasts beyond the pass that made it.

    Attributes:
        start_s: when it starts.
        hosts: one for each of its tasks; () where only a count of hosts is promised.
        cards: of each of its tasks, as bits; () where GPUs are no cards.
    """

    start_s: float
    hosts: tuple[int, ...]
    cards: tuple[int, ...] = ()


class Closure(NamedTuple):
    """Hosts that only some jobs may use for some time.

    Attributes:
        hosts: bool[H].
        from_s, to_s: the time, half open.
        jobs: numbers of the jobs that may run there in that time.
        against: numbers of the jobs that may not; None: all but `jobs`.
    """

    hosts: Bools
    from_s: float
    to_s: float
    jobs: frozenset[int] = frozenset()
    against: frozenset[int] | None = None

    def shuts_out(self, job: int) -> bool:
        """Whether the job may not run there then."""
        return job not in self.jobs if self.against is None else job in self.against


class NextLoops(NamedTuple):
    """What a scheduler notes for its next decision: when its loops run next; infinite: not before something happens.

    Attributes:
        last_s: when the queue was last looked at for what had come.
        main_s: a look at the front of the queue.
        full_s: a look at all of it.
        backfill_s: a backfill pass.
        choice_s: of one that follows others: a new choice is due.
        member: that it follows, by number; -1 before the first choice.
    """

    last_s: float = float("-inf")
    main_s: float = float("inf")
    full_s: float = float("inf")
    backfill_s: float = float("inf")
    choice_s: float = float("-inf")
    member: float = -1.0

    @property
    def next_s(self) -> float:
        """When the next of its loops runs; a choice waits until something happens."""
        return min(self.main_s, self.full_s, self.backfill_s)


NOTHING_DUE = NextLoops()


class JobRulesNow(Protocol):
    """Where jobs are at one moment of a decision, and what rules between jobs leave to one that waits."""

    def kind(self, job: int) -> Hashable:
        """Jobs of one kind may start on the same hosts; () for a job that no rule looks at."""
        ...

    def open_hosts(self, job: int) -> Bools:
        """bool[H], the hosts on which a waiting job may start."""
        ...

    def closed_by(self, job: int) -> list[tuple[str, Bools]]:
        """Each rule that closes hosts to a waiting job, in words, and bool[H], the hosts that it closes."""
        ...

    def start(self, job: int, host: int) -> None:
        """Put a job on a host."""
        ...


class JobRules(Protocol):
    """Rules on where jobs of one task may start that look at where other jobs are: near them, apart, spread evenly."""

    def beside(self, running: Running) -> JobRulesNow:
        """The rules with these jobs on their hosts."""
        ...


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of the cluster and of the queue at one moment: the input of a decision.

    Attributes:
        now_s: the clock.
        free: float64[H, R], the free resources of every host.
        last_host: the host that got the last task, -1 before the first.
        allowed: bool[C, H], the sets of hosts that jobs may use; None: every job may use every host.
        left: float64[L], the amount that is left of every limit; None: there are no limits.
        need: groups that are served by need; None: jobs are served by rank.
        closures: hosts that are closed for some time, now or later.
        promises: the reservations of earlier passes, by job number.
        early_end: a job has ended before it was expected to, since the last pass.
        limits_stop: if a job is beyond a limit, no later job of its partition is tried.
        clock: when the scheduler's loops run next, by the last decision.
        arrived: a job has come since the last pass.
        ended: a job has ended since then, or something else has changed that frees a host.
        partitions: bool[P, H], the hosts of every partition; None: of each job those that it may use.
        as_pool: every task takes one host of its own and any host serves: counting hosts is exact.
        free_cards: float64[H, C], the free part of each card of every host; None where GPUs are no cards.
        cluster_wide: the first so many limits of `left` are amounts of the whole cluster, such as licences: a job that
            lacks some does not fit, and reservations count them (rule C13).
        cluster_wide_ends: the parts of these that running jobs give back, as for one host, by (expected end, job).
        cluster_wide_changes: changes of these amounts at later moments, in their order, such as those of a power cap.
        rules: constraints between jobs (rule C15); None: there are none.
    """

    now_s: float
    cluster: Cluster
    free: Floats
    queue: Queue
    running: Running
    last_host: int = -1
    seed: int = 0
    allowed: Bools | None = None
    left: Floats | None = None
    need: Need | None = None
    closures: tuple[Closure, ...] = ()
    promises: Mapping[int, Promise] = field(default_factory=dict)
    early_end: bool = False
    clock: NextLoops = NOTHING_DUE
    arrived: bool = True
    ended: bool = True
    partitions: Bools | None = None
    as_pool: bool = False
    limits_stop: bool = False
    free_cards: Floats | None = None
    cluster_wide: int = 0
    cluster_wide_ends: tuple[ExpectedEnd, ...] = ()
    cluster_wide_changes: tuple[ExpectedEnd, ...] = ()
    rules: JobRules | None = None

    @cached_property
    def amounts(self) -> list[Amounts]:
        """The R free amounts of each of H hosts as plain numbers; where GPUs are cards, those of its C cards too."""
        left = self.free if self.free_cards is None else np.hstack((self.free, self.free_cards))
        return list(map(tuple, left.tolist()))

    @cached_property
    def together(self) -> Amounts:
        """The R free amounts of all hosts together, rounded up: a job that requests more fits nowhere."""
        return rounded_up(self.free.sum(axis=0).tolist())


class Place(NamedTuple):
    """Start `job` now in that partition, task k on hosts[k], and where GPUs are cards on cards[k] of it, as bits."""

    job: int
    hosts: tuple[int, ...]
    partition: int = 0
    cards: tuple[int, ...] = ()


class Alternative(NamedTuple):
    """What a member of a meta-rule would have done.

    Attributes:
        member: its name.
        started: how many jobs it would have started; None if it was not tried on this snapshot.
        value: what that was held to be worth, the higher the better; None if it was not worked out.
    """

    member: str
    started: int | None
    value: float | None


@dataclass(frozen=True)
class Decision:
    """The result of a decision.

    Attributes:
        place: jobs to start now, in order.
        reserved: hosts kept free for waiting jobs until the next decision.
        last_host: the host that got the last task.
        winners: bit m is set if member m of a meta-rule was followed, or has the same value as the followed one.
        chosen: the member that a meta-rule followed, -1 without one.
        options: the decision of each of its members.
        promises: the reservations for later passes, by job number.
        wake_s: decide again no later than this, also if nothing happens.
        clock: when the scheduler's loops run next.
    """

    place: tuple[Place, ...] = ()
    reserved: tuple[int, ...] = ()
    last_host: int = -1
    winners: int = 0
    chosen: int = -1
    options: tuple[Alternative, ...] = field(default=(), compare=False)
    promises: Mapping[int, Promise] = field(default_factory=dict)
    wake_s: float = float("inf")
    clock: NextLoops = NOTHING_DUE


Decide = Callable[[Snapshot], Decision]
"""The one contract between policies and engines, simulated or live: pure, same snapshot, same actions."""
