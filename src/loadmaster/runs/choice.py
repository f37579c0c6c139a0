"""Why a job got its host: the cycle of its start decided again, with every score written down."""

from dataclasses import dataclass, field, replace

import numpy as np

from loadmaster.model import Decision, Snapshot
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.request import requests_of
from loadmaster.place import Context, Policy
from loadmaster.place.trial import try_out
from loadmaster.runs.live_replay import live_state_until, may_be_replayed
from loadmaster.runs.rebuild import snapshot_at
from loadmaster.runs.record import Record
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.scheduling import Discipline, Scheduler, Twin, is_meta, members_of


@dataclass(frozen=True, eq=False)
class Candidate:
    """A host that the policy rated for the job.

    Attributes:
        host: its number.
        score: the score of the policy; the lowest wins.
        free: float64[R], what was free before the job was placed.
    """

    host: int
    score: float
    free: Floats


@dataclass(frozen=True)
class Member:
    """The decision of a member of a meta-rule in the cycle.

    Attributes:
        name: of the policy.
        value: its value for the meta-rule, the higher the better; None if it was not computed.
        started: how many jobs it would have started; None if it was not tried.
        won: its decision was the one taken.
    """

    name: str
    value: float | None
    started: int | None
    won: bool


@dataclass(frozen=True)
class Followed:
    """The discipline that a twin followed.

    Attributes:
        name: as its members are written.
        look_s: when it last looked at the queue and the values of the members differed; None if they did not.
        mean_wait_s: the mean wait of the queue of that moment under each member, by name.
        counted_wait_s: as long as that counts where members are compared.
    """

    name: str
    look_s: float | None
    mean_wait_s: dict[str, float]
    counted_wait_s: dict[str, float]


@dataclass(frozen=True, eq=False)
class Choice:
    """The placement of one task, decided again.

    Attributes:
        policy: the policy that rated the hosts; of a meta-rule, the member that won.
        summary: which hosts that policy prefers, in words.
        candidates: the hosts that were rated, the best first.
        fitting: hosts open to the job that had room for the task as its turn came.
        kept_back: those of them that were not offered: reserved, or held by the discipline for other jobs.
        started_before: jobs that got their hosts earlier in the same cycle.
        queue_length: jobs waiting as the cycle began.
        members: for a meta-rule, the decision of each member.
        same: the decision came out as in the record.
        followed: the member that a twin followed as the job started; None under any other discipline.
    """

    policy: str
    summary: str
    candidates: tuple[Candidate, ...]
    fitting: int
    kept_back: int
    started_before: int
    queue_length: int
    members: tuple[Member, ...]
    same: bool
    followed: Followed | None = None


def choice_of(record: Record, job: int) -> Choice:
    """Decide the cycle in which `job` started once more, listening to how its first task's hosts are rated.

    What the record does not say, promises that stood, loops that were due, the order of starts within one cycle, is had
    by living through the run once more up to that cycle, if it is not too long.
    """
    remembers = discipline_of(record.setting, record.sources).remembers
    start_s = float(record.schedule.start_s[job])
    short_enough = may_be_replayed(record, start_s)
    if remembers and short_enough:
        return _choice_in(record, job, live_state_until(record, job))
    choice = _choice_in(record, job, snapshot_at(record, start_s))
    if choice.same or not short_enough:
        return choice
    return _choice_in(record, job, live_state_until(record, job))


def _choice_in(record: Record, job: int, snapshot: Snapshot) -> Choice:
    """The cycle decided again from what was seen then."""
    policy, discipline = policy_of(record.setting, record.sources), discipline_of(record.setting, record.sources)
    workload = record.workload
    task, demand = int(workload.first_task[job]), workload.demand[job]
    choice, decision = choice_on(Scheduler(policy, discipline), snapshot, job, task, demand)
    followed = None if choice.members else _rule_followed(record, discipline, snapshot.now_s)
    return replace(choice, same=_as_recorded(record, decision, snapshot.now_s), followed=followed)


def choice_on(rule: Scheduler, snapshot: Snapshot, job: int, task: int, demand: Floats) -> tuple[Choice, Decision]:
    """Why a job gets its first host when a rule decides on a snapshot; and the decision, not yet compared.

    Args:
        rule: that decides.
        snapshot: what it sees.
        job: its number there; it need not wait there.
        task: the number of its first task.
        demand: float64[R], of that.
    """
    policy, discipline, queue = rule.policy, rule.discipline, snapshot.queue
    for each in members_of(policy):
        try_out(each, queue.demand, snapshot.cluster.capacity, snapshot.cluster.resources)
    members: tuple[Member, ...] = ()
    winner = members_of(policy)[0]
    if is_meta(policy):
        followed = Scheduler(policy, discipline).decide_plainly(snapshot)
        members = tuple(
            Member(option.member, option.value, option.started, m == followed.chosen)
            for m, option in enumerate(followed.options)
        )
        winner = members_of(policy)[followed.chosen]
    if isinstance(discipline, Twin):  # looks compile the policy, so the listener would get nothing
        snapshot = discipline.looked(snapshot, winner)
    listener = Listener(winner, task)
    decision = Scheduler(listener.policy, discipline).decide_plainly(snapshot)
    order = [place.job for place in decision.place]
    position = order.index(job) if job in order else len(order)
    fits = _fits(snapshot, decision, position, demand) & _open_hosts(snapshot, job)
    offered = listener.last_call
    kept_back = int(fits.sum()) - len(offered)
    ranked = tuple(sorted(offered, key=lambda candidate: (candidate.score, candidate.host)))
    return Choice(
        winner.name,
        winner.summary,
        ranked,
        int(fits.sum()),
        max(kept_back, 0),
        position,
        len(queue),
        members,
        True,
    ), decision


def _rule_followed(record: Record, discipline: Discipline, now_s: float) -> Followed | None:
    """The rule that the twin followed then, as the record says."""
    cycles = record.schedule.cycles
    choices = cycles.choices
    if not isinstance(discipline, Twin) or choices is None:
        return None
    at = int(np.searchsorted(cycles.time_s, now_s, side="right")) - 1
    look = int(np.searchsorted(choices.cycle, at, side="right")) - 1
    name = choices.members[int(choices.chosen[at])]
    since_s = now_s if discipline.every_s == 0 else now_s // discipline.every_s * discipline.every_s
    if look < 0 or cycles.time_s[choices.cycle[look]] < since_s:
        return Followed(name, None, {}, {})
    counted_s = -choices.value[look]
    waited, counted = (
        dict(zip(choices.members, each.tolist(), strict=True)) for each in (counted_s / discipline.counts, counted_s)
    )
    return Followed(name, float(cycles.time_s[choices.cycle[look]]), waited, counted)


@dataclass
class Listener:
    """Stands in for a policy and writes down how the hosts of one task are rated."""

    original: Policy
    task: int
    last_call: list[Candidate] = field(default_factory=list)

    @property
    def policy(self) -> Policy:
        """The policy to decide with."""
        return replace(self.original, score=self.score, contextual=True, varies=True)

    def score(self, demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
        """What the original says; hosts come in ascending order, so a lower one begins a new search."""
        value = self.original.rate(demand, free, capacity, context)
        if context.task == self.task:
            if self.last_call and context.host <= self.last_call[-1].host:
                self.last_call.clear()
            self.last_call.append(Candidate(int(context.host), value, free.copy()))
        return value


def _fits(snapshot: Snapshot, decision: Decision, position: int, demand: Floats) -> Bools:
    """The hosts with room for the task after the jobs that were started before it in this cycle."""
    free = snapshot.free.copy() if snapshot.free_cards is None else np.hstack((snapshot.free, snapshot.free_cards))
    row = {int(job): index for index, job in enumerate(snapshot.queue.job)}
    for place in decision.place[:position]:
        for host, amounts in zip(place.hosts, snapshot.queue.requests[row[place.job]].each(place.cards), strict=True):
            free[host] -= amounts
    one_task = np.array([1], np.int32)
    request = requests_of(demand[None, :], one_task, None, None, None, snapshot.queue.cards)[0]
    return np.array([request.fits(room) for room in free.tolist()], bool)


def _open_hosts(snapshot: Snapshot, job: int) -> Bools:
    """The hosts on which a waiting job may start now; all for one that does not wait there."""
    queue, is_open = snapshot.queue, np.ones(len(snapshot.free), bool)
    [*row] = np.flatnonzero(queue.job == job)
    if row and queue.hosts is not None and snapshot.allowed is not None:
        is_open &= snapshot.allowed[queue.hosts[row]].any(axis=0)
    for closure in snapshot.closures:
        if closure.from_s <= snapshot.now_s < closure.to_s and closure.shuts_out(job):
            is_open &= ~closure.hosts
    return is_open


def _as_recorded(record: Record, decision: Decision, now_s: float) -> bool:
    first_task, host, cards = record.workload.first_task, record.schedule.host, record.schedule.cards
    started = set(np.flatnonzero(record.schedule.start_s == now_s).tolist())
    passes = int((record.schedule.cycles.time_s == now_s).sum())
    decided = {place.job for place in decision.place}
    return (started == decided or (passes > 1 and started > decided > set())) and all(
        tuple(host[first_task[place.job] : first_task[place.job + 1]].tolist()) == place.hosts
        and (cards is None or tuple(cards[first_task[place.job] : first_task[place.job + 1]].tolist()) == place.cards)
        for place in decision.place
    )
