"""GPUs as cards: a task takes whole cards of its host, or a part of one (rules Q22 and K22)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from loadmaster.model.amounts import Amounts
from loadmaster.model.arrays import Floats, Longs, frozen_longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload


class CardLayout(NamedTuple):
    """Where cards stand among amounts: R resources first, then each card of the host.

    Attributes:
        column: the resource that counts GPUs.
        most: the cards of the host that has the most, C.
    """

    column: int
    most: int


MOST_CARDS = 62
"""The most cards of a host where tasks take parts: the cards of a task are the bits of one number."""
NO_CARD = 0.0
"""What is free of a card that the host does not have."""


@dataclass(frozen=True, eq=False)
class HostCards:
    """The cards of H hosts.

    Attributes:
        column: the resource that counts GPUs.
        count: int64[H], the cards of each host.
    """

    column: int
    count: Longs

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", frozen_longs(self.count))

    @cached_property
    def most(self) -> int:
        """The cards of the host that has the most, C."""
        return int(self.count.max(initial=0))

    @property
    def layout(self) -> CardLayout:
        """Where these cards stand among amounts."""
        return CardLayout(self.column, self.most)

    def free(self) -> Floats:
        """float64[H, C]: what is free of each card of empty hosts; 0 where the host has fewer cards."""
        return np.where(np.arange(self.most) < self.count[:, None], 1.0, NO_CARD)


def host_cards(workload: Workload, cluster: Cluster) -> HostCards | None:
    """The cards of the hosts; None if no job requests a part of a GPU: then a number of GPUs says all (rule Q22).

    Raises:
        InputError: a job requests several GPUs and a part of one, or a host has a part of a GPU or too many GPUs.

    Example:
        >>> from loadmaster.model import Cluster, Workload
        >>> log = Workload(("cores", "gpus"), submit_s=[0.0], runtime_s=[1.0], demand=[[1.0, 0.5]])
        >>> host_cards(log, Cluster.uniform(2, cores=8, gpus=2)).free().tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    if GPUS not in workload.resources:
        return None
    column = workload.resources.index(GPUS)
    gpus = workload.demand[:, column]
    partly = gpus != np.floor(gpus)
    if not partly.any():
        return None
    beyond = partly & (gpus > 1)
    if beyond.any():
        job = int(np.argmax(beyond))
        rule = f"a task of job {workload.id_of(job)} must request a part of one GPU, or whole GPUs"
        fix = "round it up, or write one task for each part and let tasks go to several hosts (--spread any)"
        raise InputError(f"{gpus[job]:g} gpus", rule, fix=fix)
    count = whole_cards(cluster.capacity[:, column], cluster.names)
    if count.max(initial=0) > MOST_CARDS:
        host = int(np.argmax(count))
        rule = f"where jobs request parts of a GPU a host has at most {MOST_CARDS} GPUs, unlike {cluster.name(host)}"
        raise InputError(f"{count[host]} gpus", rule, fix="split the host, or round the parts up")
    return HostCards(column, count)


def cards_at_start(workload: Workload, cluster: Cluster, cards: HostCards) -> Longs:
    """int64[T]: the cards, as bits, of each task in `StartingState.host` (rule Q22).

    The tasks of a host take them in the order of their starts. If these cards are not enough, the largest go first.

    Raises:
        InputError: the cards of a host are not enough for its tasks in either order.

    Example:
        >>> from loadmaster.model import Cluster, StartingState, Workload
        >>> state = StartingState(9.0, job=[0, 1, 2], start_s=[5.0, 2.0, 5.0], host=[0, 0, 0])
        >>> times = {"submit_s": [0, 0, 0], "runtime_s": [20, 20, 20]}
        >>> log = Workload.of(**times, cores=[1, 1, 1], gpus=[0.5, 0.75, 0.5], starting=state)
        >>> hosts = Cluster.uniform(1, cores=8, gpus=2)
        >>> [cards_in(bits) for bits in cards_at_start(log, hosts, host_cards(log, hosts)).tolist()]
        [[1], [0], [1]]
    """
    state = workload.starting
    assert state is not None
    many, taken = workload.task_count[state.job], np.zeros(len(state.host), np.int64)
    gpus = np.repeat(workload.demand[state.job, cards.column], many)
    order = np.lexsort((np.repeat(state.start_s, many), state.host))  # stable: equal starts go by number
    hosts, begins = np.unique(state.host[order], return_index=True)
    for host, tasks in zip(hosts.tolist(), np.split(order, begins[1:]), strict=False):
        for turn in (tasks, tasks[np.argsort(-gpus[tasks], kind="stable")]):
            bits = _in_turn(int(cards.count[host]), gpus[turn].tolist())
            if bits is not None:
                taken[turn] = bits
                break
        else:
            rule = "the parts of GPUs that running jobs hold on this host were not found to fit on its GPUs"
            raise InputError(cluster.name(host), rule, fix="correct the jobs that run at the start, or round parts up")
    return taken


def _in_turn(count: int, gpus: Sequence[float]) -> list[int] | None:
    """The cards, as bits, of tasks that take them one after another on an empty host; None if they are not enough."""
    free, taken = [1.0] * count, list[int]()
    for wanted, share in map(cards_wanted, gpus):
        chosen = tightest_cards(free, wanted, share)
        if chosen is None:
            return None
        for card in chosen:
            free[card] -= share
        taken.append(bits_of(chosen))
    return taken


def whole_cards(gpus: Floats, host_names: Sequence[str] = ()) -> Longs:
    """int64[H]: the cards of each host, from its number of GPUs.

    Raises:
        InputError: a host has part of a GPU.
    """
    broken = gpus != np.floor(gpus)
    if broken.any():
        host = int(np.argmax(broken))
        rule = f"host {host_names[host] if host_names else host} must have whole GPUs"
        raise InputError(f"{gpus[host]:g} gpus", rule, fix="round it down")
    return gpus.astype(np.int64)


def cards_wanted(gpus: float) -> tuple[int, float]:
    """How many cards a task takes that requests so many GPUs, and which part of each.

    Example:
        >>> cards_wanted(0.25), cards_wanted(2.0), cards_wanted(0.0)
        ((1, 0.25), (2, 1.0), (0, 0.0))
    """
    return ceil(gpus), min(gpus, 1.0)


def tightest_cards(
    free: Sequence[float], wanted: int, share: float, cost: Sequence[float] | None = None
) -> list[int] | None:
    """The cards that a task takes: those with the least free amount that suffices, of equal ones the first.

    Args:
        free: of each card of the host.
        wanted: cards that the task takes.
        share: of each of them.
        cost: of each card; cheaper cards go first, whatever is free of them.

    Returns:
        Their numbers; None if too few cards suffice.

    Example:
        >>> tightest_cards([1.0, 0.4, 0.7], 1, 0.5), tightest_cards([1.0, 0.4, 0.7], 2, 1.0)
        ([2], None)
    """
    fitting = [(cost[card] if cost else 0.0, left, card) for card, left in enumerate(free) if left >= share]
    return [card for _, _, card in sorted(fitting)[:wanted]] if len(fitting) >= wanted else None


def tasks_on_cards(free: Sequence[float], wanted: int, share: float) -> int:
    """How many tasks the cards of a host hold, each of which takes `share` of `wanted` cards.

    Example:
        >>> tasks_on_cards([1.0, 0.5, 1.0], 1, 0.5), tasks_on_cards([1.0, 0.5, 1.0], 2, 1.0)
        (5, 1)
    """
    return sum(floor(left / share) for left in free if left >= share) // wanted


def bits_of(cards: Sequence[int]) -> int:
    """Cards as the bits of one number.

    Example:
        >>> bits_of([0, 3]), cards_in(9)
        (9, [0, 3])
    """
    return sum(1 << card for card in cards)


def cards_in(bits: int) -> list[int]:
    """The numbers of the cards that are the bits of `bits`, ascending."""
    return [card for card in range(bits.bit_length()) if bits >> card & 1]


def with_cards(demand: Amounts, bits: int, share: float, most: int) -> Amounts:
    """R + C amounts: what a task takes of the R resources of its host and of each of its C cards.

    Args:
        demand: R amounts.
        bits: its cards.
        share: of each of them.
        most: C.

    Example:
        >>> with_cards((4.0, 0.5), bits_of([1]), 0.5, 2)
        (4.0, 0.5, 0.0, 0.5)
    """
    return (*demand, *(share if bits >> card & 1 else 0.0 for card in range(most)))
