"""All that a decision needs beside what it sees: `decide(snapshot) -> decision`; pure."""

from dataclasses import dataclass

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import Policy
from loadmaster.schedule.discipline import Discipline
from loadmaster.schedule.max_jobs import MaxJobs, Serves

AnyPolicy = Policy | MaxJobs

WORTHWHILE = 4000
"""Rows of the queue times hosts from which on a decision is made compiled: smaller ones are as quick without."""


@dataclass(frozen=True)
class Scheduler:
    """A placement policy, or a meta-policy over several, under a discipline: what simulator and live adapters drive."""

    policy: AnyPolicy
    discipline: Discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now; compiled where that is known and worthwhile, which says the same to the bit."""
        if len(snapshot.queue) * len(snapshot.free) >= WORTHWHILE and is_plain_data(self.policy):
            from loadmaster.schedule.compiled_decide import compiled  # Numba is not loaded for nothing

            quick = compiled(self.discipline, snapshot)
            if quick is not None:
                return self._decide(snapshot, quick)
        return self.decide_plainly(snapshot)

    def decide_plainly(self, snapshot: Snapshot) -> Decision:
        """The same in plain Python: what defines it, and what policies go through that listen or are not compiled."""
        return self._decide(snapshot, self.discipline)

    def _decide(self, snapshot: Snapshot, discipline: Serves) -> Decision:
        if isinstance(self.policy, MaxJobs):
            return self.policy.choose(snapshot, discipline)
        return discipline.serve(snapshot, self.policy)


def members_of(policy: AnyPolicy) -> tuple[Policy, ...]:
    """The placement policies that `policy` consists of."""
    return policy.members if isinstance(policy, MaxJobs) else (policy,)


def is_plain_data(policy: AnyPolicy) -> bool:
    """Whether its attributes say all that `policy` does; a subclass may have methods, which only Python runs."""
    return type(policy) in (Policy, MaxJobs) and all(type(member) is Policy for member in members_of(policy))
