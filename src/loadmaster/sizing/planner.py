"""A sizer that also counts running tasks: cheapest, within a budget, or by a deadline, at a confidence."""

from dataclasses import dataclass

from loadmaster.sizing.goal import Goal
from loadmaster.sizing.snapshot import Actions, BagSnapshot


@dataclass(frozen=True)
class Planner(Goal):
    """Rents by a forecast of the work left, from finished tasks and from the ages of running ones.

    Takes the options of `Goal`: budget or deadline, the confidence at which to keep it, and what is expected of a task.
    """

    name: str = "planner"

    def decide(self, snapshot: BagSnapshot) -> Actions:
        """What to rent, give back and repeat now."""
        from loadmaster.sizing.planning import plan

        return plan(snapshot, self)
