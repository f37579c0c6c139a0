"""The cards that the tasks of a schedule held, where GPUs are cards (rule Q22)."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.cards import host_cards
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


@dataclass(frozen=True, eq=False)
class CardsHeld:
    """What N tasks hold of the cards of H hosts, C of each.

    Attributes:
        column: the resource that counts GPUs.
        empty: float64[H, C], the cards of hosts on which nothing runs; 0 where a host has fewer.
        held: float64[N, C], what each task holds of each card of its host.
    """

    column: int
    empty: Floats
    held: Floats

    def free(self, host: Ints, on: Bools) -> Floats:
        """float64[H, C]: what is free of each card beside the tasks `on`, bool[N], which lie on `host`, int32[N]."""
        free = self.empty.copy()
        np.subtract.at(free, host[on], self.held[on])
        return free


def cards_held(workload: Workload, cluster: Cluster, schedule: Schedule, job: Longs, task: Longs) -> CardsHeld | None:
    """What tasks that started hold, by their jobs and their numbers, int64[N] each; None where GPUs are no cards.

    A run on cards stops no task early, so a task holds its cards from the start of its job to the end.
    """
    taken = schedule.cards
    cards = None if taken is None else host_cards(workload, cluster)
    if cards is None or taken is None:
        return None
    share = np.minimum(workload.demand[job, cards.column], 1.0)
    bits = (taken[task][:, None] >> np.arange(cards.most)) & 1
    return CardsHeld(cards.column, cards.free(), bits * share[:, None])
