"""All that a decision needs beside what it sees: `decide(snapshot) -> decision`; pure."""

from dataclasses import dataclass

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import Policy
from loadmaster.schedule.discipline import Discipline
from loadmaster.schedule.max_jobs import MaxJobs

AnyPolicy = Policy | MaxJobs


@dataclass(frozen=True)
class Scheduler:
    """A placement policy, or a meta-policy over several, under a discipline: what simulator and live adapters drive."""

    policy: AnyPolicy
    discipline: Discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        """What to start now."""
        if isinstance(self.policy, MaxJobs):
            return self.policy.choose(snapshot, self.discipline)
        return self.discipline.serve(snapshot, self.policy)


def members_of(policy: AnyPolicy) -> tuple[Policy, ...]:
    """The placement policies that `policy` consists of."""
    return policy.members if isinstance(policy, MaxJobs) else (policy,)


def is_plain_data(policy: AnyPolicy) -> bool:
    """Whether its attributes say all that `policy` does; a subclass may have methods, which only Python runs."""
    return type(policy) in (Policy, MaxJobs) and all(type(member) is Policy for member in members_of(policy))
