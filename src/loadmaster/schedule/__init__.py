"""Composes a placement policy and a discipline into `decide(snapshot) -> decision`; pure."""

from loadmaster.model.snapshot import Decide, Decision, Snapshot
from loadmaster.order import Discipline
from loadmaster.place import Policy
from loadmaster.schedule.max_jobs import MaxJobs

AnyPolicy = Policy | MaxJobs


def compose(policy: AnyPolicy, discipline: Discipline) -> Decide:
    """The one function that simulator and live adapters drive."""

    def decide(snapshot: Snapshot) -> Decision:
        if isinstance(policy, MaxJobs):
            return policy.choose(snapshot, discipline)
        return discipline.serve(snapshot, policy)

    return decide


def members_of(policy: AnyPolicy) -> tuple[Policy, ...]:
    """The placement policies that `policy` consists of."""
    return policy.members if isinstance(policy, MaxJobs) else (policy,)


def is_plain_data(policy: AnyPolicy) -> bool:
    """Whether its attributes say all that `policy` does; a subclass may have methods, which only Python runs."""
    return type(policy) in (Policy, MaxJobs) and all(type(member) is Policy for member in members_of(policy))


__all__ = ["AnyPolicy", "MaxJobs", "compose", "is_plain_data", "members_of"]
