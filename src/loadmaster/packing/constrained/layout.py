"""The arrays that the search kernels work on: a constrained problem, and a placement with all its counts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Bools, Floats, Longs

APART, SEPARATE, TOGETHER, ACCOMPANIED, SPREAD, SKEW = range(6)
"""Kinds of a rule: at most one member a domain; never both counters in a domain; each subject beside one of the other
counter; the same where subjects are members of the other counter themselves; at least so many domains in use; largest
less least count over eligible domains at most so much."""


class TaskArrays(NamedTuple):
    """T tasks.

    Attributes:
        demand: int64[T, R], whole units of each resource.
        now: int64[T], the host where the task runs now; -1 for none.
        allowed: int64[T], its row of `HostArrays.allowed`.
        move_cost: int64[T], what a move away from `now` costs, weights multiplied in.
        group: int64[T], the group whose moved tasks are counted for the largest of groups; -1 for none.
        movable: int64, the tasks that have another host open to them, the largest first; is_movable: bool[T].
        size: float64[T], the largest part of a mean host that the task requests.
        place_row: int64[T], its row of `HostArrays.place_cost`.
    """

    demand: Longs
    now: Longs
    allowed: Longs
    move_cost: Longs
    group: Longs
    movable: Longs
    is_movable: Bools
    size: Floats
    place_row: Longs


class HostArrays(NamedTuple):
    """H hosts.

    Attributes:
        capacity: int64[H, R].
        transient: bool[R], a task that moves holds this resource on both hosts.
        allowed: bool[K, H], hosts open to the tasks of each row.
        pair_cost: int64[H, H], what a move from host to host costs, weights multiplied in; int64[0, 0] for nothing.
        place_cost: int64[K, H], what it costs that a task is on a host, weights multiplied in; int64[0, 0] for nothing.
        price: int64[H], what a host with at least one task costs.
        worth: float64[R], what a unit of each resource is worth where hosts have prices; float64[0] where none has.
    """

    capacity: Longs
    transient: Bools
    allowed: Bools
    pair_cost: Longs
    place_cost: Longs
    price: Longs
    worth: Floats


class CostArrays(NamedTuple):
    """N costs of loads over safety capacities, B costs of balance; weights as given.

    Attributes:
        resource: int64[N]; safety: int64[H, N]; load_weight: int64[N].
        first, second, target, balance_weight: int64[B].
        group_weight: of the largest number of moved tasks of one group.
    """

    resource: Longs
    safety: Longs
    load_weight: Longs
    first: Longs
    second: Longs
    target: Longs
    balance_weight: Longs
    group_weight: int


class ShapeArrays(NamedTuple):
    """How unequally full the hosts are, and what the fullest resource of a host strands of the others.

    Attributes:
        full: float64[H, R], amounts at which a host counts as full; 0 for a resource that it does not have.
        mean_load: float64[R], of all tasks on all hosts.
        share: float64[H, R], the capacity of a host over the mean capacity.
        imbalance_weight, stranded_weight: of each millionth; 0 for none.
    """

    full: Floats
    mean_load: Floats
    share: Floats
    imbalance_weight: int
    stranded_weight: int


class RuleArrays(NamedTuple):
    """C counters of members of a group in each domain of a level, and N rules on them.

    Attributes:
        domain: int64[L, H], the domain of each host at each level; -1 for none.
        level, offset: int64[C], of each counter: its level, and where its counts begin in `PlacementState.counts`.
        counters_from: int64[T + 1], counters: those of task t are counters[counters_from[t]:counters_from[t + 1]].
        kind, subject, other, limit: int64[N]; subject and other are counters.
        rules_from: int64[T + 1], rules: those that a move of task t may break, in the same form.
        eligible: bool, beside `PlacementState.counts`: the domains that a skew looks at.
        domains: int64[C], how many domains each counter has.
        members_from: int64[C + 1], members: the tasks of each counter.
    """

    domain: Longs
    level: Longs
    offset: Longs
    counters_from: Longs
    counters: Longs
    kind: Longs
    subject: Longs
    other: Longs
    limit: Longs
    rules_from: Longs
    rules: Longs
    eligible: Bools
    domains: Longs
    members_from: Longs
    members: Longs


class SearchModel(NamedTuple):
    """A constrained problem as the kernels see it; they change nothing of it."""

    tasks: TaskArrays
    hosts: HostArrays
    costs: CostArrays
    shapes: ShapeArrays
    rules: RuleArrays


TOTAL, LARGEST, CHANGED, BEST = range(4)
"""Places in `PlacementState.totals`: the cost, moved tasks of the group with most, tasks that differ from the best
placement, its cost."""


class PlacementState(NamedTuple):
    """A placement with its sums, changed in place.

    Attributes:
        host: int64[T], -1 while a task is taken out.
        use: int64[H, R], the demands of the tasks on each host.
        held: int64[H, R], the same and, of transient resources, the demands of tasks that run there now and leave.
        on_host: int64[H], number of tasks.
        counts: int64, members of each counter by domain; in_use: int64[C], domains with a member; placed: int64[C].
        moved: int64[G], tasks of each group that are away from their host; groups_with: int64[M + 1], groups by that.
        host_cost: int64[H], load, balance, price, imbalance and stranded amount of each host.
        first: int64[H], next, before: int64[T]: the tasks of each host as a ring; -1 for none.
        best: int64[T], the best placement so far; changed, is_changed: int64[T], tasks that differ from it.
        totals: int64[4], see `TOTAL`.
        random: uint64[1], the state of the generator.
    """

    host: Longs
    use: Longs
    held: Longs
    on_host: Longs
    counts: Longs
    in_use: Longs
    placed: Longs
    moved: Longs
    groups_with: Longs
    host_cost: Longs
    first: Longs
    next: Longs
    before: Longs
    best: Longs
    changed: Longs
    is_changed: Longs
    totals: Longs
    random: NDArray[np.uint64]
