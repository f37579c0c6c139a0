"""Why a job got its host: the cycle of its start decided once more, with every score written down."""

from dataclasses import dataclass, field, replace

import numpy as np

from loadmaster.model import Decision, Snapshot
from loadmaster.model.arrays import Bools, Floats
from loadmaster.place import Context, Policy
from loadmaster.place.trial import try_out
from loadmaster.runs.live_again import lived_until
from loadmaster.runs.rebuild import snapshot_at
from loadmaster.runs.record import Record
from loadmaster.runs.setting import discipline_of, policy_of
from loadmaster.schedule import MaxJobs, Scheduler, members_of
from loadmaster.schedule.max_jobs import target_value

MOST_LIVED = 20_000
"""Jobs that have arrived by then; the plain engine lives through a run in seconds to minutes."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A host that the policy rated for the job.

    Attributes:
        free: float64[R], what was free before the job was placed.
    """

    host: int
    score: float
    free: Floats


@dataclass(frozen=True)
class Member:
    """What a member of a meta-policy would have done in the cycle.

    Attributes:
        target: what the jobs it would have started are worth.
        started: how many jobs that is.
        won: its decision was the one taken.
    """

    name: str
    target: float
    started: int
    won: bool


@dataclass(frozen=True, eq=False)
class Choice:
    """One task's place, decided again.

    Attributes:
        policy: the policy that rated the hosts; of a meta-policy, the member that won.
        summary: what that policy prefers, in words.
        candidates: the hosts that were rated, the best first.
        fitting: hosts that had room for the task as its turn came.
        kept_back: those of them that were not offered: reserved, or held by the discipline for other jobs.
        started_before: jobs that got their hosts earlier in the same cycle.
        queue_length: jobs waiting as the cycle began.
        members: for a meta-policy, what each member would have done.
        same: the decision came out as in the record.
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


def choice_of(record: Record, job: int) -> Choice:
    """Decide the cycle in which `job` started once more, listening to how its first task's hosts are rated.

    What the record does not say, promises that stood, loops that were due, the order of starts within one cycle, is had
    by living through the run once more up to that cycle, if it is not too long.
    """
    remembers = discipline_of(record.setting, record.sources).remembers
    may_be_lived = int(np.searchsorted(record.workload.submit_s, record.schedule.start_s[job])) <= MOST_LIVED
    if remembers and may_be_lived:
        return _choice_in(record, job, lived_until(record, job))
    choice = _choice_in(record, job, snapshot_at(record, float(record.schedule.start_s[job])))
    if choice.same or not may_be_lived:
        return choice
    return _choice_in(record, job, lived_until(record, job))


def _choice_in(record: Record, job: int, snapshot: Snapshot) -> Choice:
    """The cycle decided again from what was seen then."""
    policy, discipline = policy_of(record.setting, record.sources), discipline_of(record.setting, record.sources)
    for each in members_of(policy):
        try_out(each, record.workload.demand, record.case.cluster.capacity, record.case.cluster.resources)
    task = int(record.workload.first_task[job])
    members: tuple[Member, ...] = ()
    winner = policy
    if isinstance(policy, MaxJobs):
        members = _members(policy, snapshot, record)
        winner = policy.members[next(m for m, member in enumerate(members) if member.won)]
    assert isinstance(winner, Policy)
    listener = Listener(winner, task)
    decision = Scheduler(listener.policy, discipline).decide_plainly(snapshot)
    order = [place.job for place in decision.place]
    position = order.index(job) if job in order else len(order)
    fits = _fits(snapshot, decision, position, record.workload.demand[job])
    offered = listener.last_call
    kept_back = int(fits.sum()) - len(offered)
    ranked = tuple(sorted(offered, key=lambda candidate: (candidate.score, candidate.host)))
    return Choice(
        winner.name, winner.summary, ranked, int(fits.sum()), max(kept_back, 0), position,
        len(snapshot.queue), members, _as_recorded(record, decision, snapshot.now_s),
    )  # fmt: skip


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


def _members(policy: MaxJobs, snapshot: Snapshot, record: Record) -> tuple[Member, ...]:
    discipline = discipline_of(record.setting, record.sources)
    decisions = [discipline.serve(snapshot, member) for member in policy.members]
    values = [target_value(policy.target, snapshot, decision) for decision in decisions]
    first = values.index(max(values))
    return tuple(
        Member(member.name, value, len(decision.place), m == first)
        for m, (member, value, decision) in enumerate(zip(policy.members, values, decisions, strict=True))
    )


def _fits(snapshot: Snapshot, decision: Decision, position: int, demand: Floats) -> Bools:
    """The hosts with room for the task after the jobs that were started before it in this cycle."""
    free = snapshot.free.copy()
    row = {int(job): index for index, job in enumerate(snapshot.queue.job)}
    for place in decision.place[:position]:
        for host in place.hosts:
            free[host] -= snapshot.queue.demand[row[place.job]]
    return np.asarray((free >= demand).all(axis=1))


def _as_recorded(record: Record, decision: Decision, now_s: float) -> bool:
    first_task, host = record.workload.first_task, record.schedule.host
    started = set(np.flatnonzero(record.schedule.start_s == now_s).tolist())
    passes = int((record.schedule.cycles.time_s == now_s).sum())
    decided = {place.job for place in decision.place}
    return (started == decided or (passes > 1 and started > decided > set())) and all(
        tuple(host[first_task[place.job] : first_task[place.job + 1]].tolist()) == place.hosts
        for place in decision.place
    )
