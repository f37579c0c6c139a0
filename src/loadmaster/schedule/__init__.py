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


__all__ = ["AnyPolicy", "MaxJobs", "compose"]
