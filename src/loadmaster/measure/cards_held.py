"""The cards that the tasks of a schedule held, where GPUs are cards (rule Q22)."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.cards import host_cards
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload


class CardsHeld(NamedTuple):
    """N task intervals, in the order of `task_intervals`, on H hosts of at most C cards.

    Attributes:
        column: the resource that counts GPUs.
        taken: float64[N, C], the part of each card that the task took.
        free: float64[H, C], what is free of each card of empty hosts; 0 where the host has fewer cards.
    """

    column: int
    taken: Floats
    free: Floats


def cards_held(workload: Workload, cluster: Cluster, schedule: Schedule) -> CardsHeld | None:
    """Which part of each card of its host every task took; None where GPUs are no cards.

    A run on cards stops no task early, so each task that started has one interval.
    """
    cards = None if schedule.cards is None else host_cards(workload, cluster)
    if cards is None or schedule.cards is None:
        return None
    share = np.minimum(workload.demand[:, cards.column], 1.0).repeat(workload.task_count)
    taken = share[:, None] * (schedule.cards[:, None] >> np.arange(cards.most) & 1)
    return CardsHeld(cards.column, taken[schedule.host >= 0], cards.free())
