"""Max-Jobs: try several placement policies on the same snapshot, keep the best result (Shai 2014, section 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling.meta_rule import Chosen, Trial, best_of

Target = Literal["jobs", "cores", "weighted"]


@dataclass(frozen=True)
class MaxJobs:
    """A meta-rule that keeps the decision that starts most (rule Q8).

    Attributes:
        members: the policies to try, or their names, in the order in which ties are broken; at most 62.
        target: what to maximise: `jobs` started, `cores` started, or `weighted`: for each resource, the started
            share of the cluster, summed.
        log_ties: try all members in every cycle, so that every tied one is logged. Without it, trying stops at the
            first that starts the whole queue: the same schedule sooner, but the log of winners is incomplete.
    """

    members: tuple[Policy | str, ...] = tuple(
        POLICIES[name]
        for name in ("best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit")
    )
    target: Target = "jobs"
    log_ties: bool = True
    name: str = "max-jobs"

    def choose(self, snapshot: Snapshot, trials: Sequence[Trial]) -> Chosen:
        """The first member of the highest target."""
        values: list[float | None] = [None] * len(trials)
        for member, trial in enumerate(trials):
            values[member] = target_value(self.target, snapshot, trial.now)
            if not self.log_ties and len(trial.now.place) == len(snapshot.queue):
                break
        return best_of(values)


def target_value(target: Target, snapshot: Snapshot, decision: Decision) -> float:
    """The value of the jobs started by `decision`."""
    if target == "jobs":
        return float(len(decision.place))
    row = {int(job): index for index, job in enumerate(snapshot.queue.job)}
    started = [row[place.job] for place in decision.place]
    demand = snapshot.queue.demand[started] * snapshot.queue.tasks[started][:, None]
    if target == "cores":
        return float(demand[:, 0].sum())
    total = snapshot.cluster.total
    # One term a job in the order of starts: the compiled engine adds them in the same order, to the bit.
    value = 0.0
    for row_demand in demand:
        for r in range(len(total)):
            if total[r] > 0:
                value += row_demand[r] / total[r]
    return float(np.float64(value))
