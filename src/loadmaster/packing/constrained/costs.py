"""What a placement costs: loads over a safety capacity, imbalance, moves, hosts in use; whole numbers, with weights."""

from dataclasses import dataclass

from loadmaster.model.arrays import Longs


@dataclass(frozen=True, eq=False)
class LoadCost:
    """The load of one resource over the safety capacity, summed over the hosts.

    Attributes:
        name: shown to the user.
        resource: its number.
        safety: int64[H].
        weight: of each unit over it.
    """

    name: str
    resource: int
    safety: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class BalanceCost:
    """What the free capacity of `second` lacks of `target` times the free capacity of `first`, summed over the hosts.

    Attributes:
        name: shown to the user.
        first, second: numbers of the two resources.
        target: units of `second` that should be free for each free unit of `first`.
        weight: of each unit that lacks.
    """

    name: str
    first: int
    second: int
    target: int
    weight: int = 1


@dataclass(frozen=True, eq=False)
class TaskMoveCost:
    """An amount for every task that moves: 1 for the number of moves, its memory for the bytes, a cost of its own.

    Attributes:
        name: shown to the user.
        amount: int64[T].
        weight: of each unit of it.
    """

    name: str
    amount: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class GroupMoveCost:
    """The number of moved tasks of the group that has most of them.

    Attributes:
        name: shown to the user.
        group: int64[T], the group of each task, from 0; -1 for none.
        weight: of each of these moves.
    """

    name: str
    group: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class HostMoveCost:
    """An amount for every move from one host to another.

    Attributes:
        name: shown to the user.
        amount: int64[H, H], from the row to the column.
        weight: of each unit of it.
    """

    name: str
    amount: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class HostPrice:
    """The price of each host that has a task.

    Attributes:
        name: shown to the user.
        price: int64[H].
        weight: of each unit of it.
    """

    name: str
    price: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class ImbalanceCost:
    """How unequally full the hosts are, in millionths: the sum of (load - mean load) squared.

    The sum is over hosts and resources. A load is the demand on a host over its capacity; the mean load is the demand
    of all tasks over the capacity of all hosts. Each host counts rounded to a whole millionth.

    Attributes:
        name: shown to the user.
        full: int64[H, R], amounts at which a host counts as full; 0 for a resource that it does not have.
        weight: of each millionth.
    """

    name: str
    full: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class StrandedCost:
    """What cannot be used because the fullest resource of its host runs out first, in millionths of a mean host.

    For each host and resource: (load of the host's fullest resource - load of this one) x its capacity, over the mean
    capacity of the hosts. Each host counts rounded to a whole millionth; an empty host strands nothing.

    Attributes:
        name: shown to the user.
        full: int64[H, R], amounts at which a host counts as full; 0 for a resource that it does not have.
        weight: of each millionth.
    """

    name: str
    full: Longs
    weight: int = 1


@dataclass(frozen=True, eq=False)
class TaskHostCost:
    """An amount for each task by its host: a preference, or a cost of your own.

    Attributes:
        name: shown to the user.
        amount: int64[T, H], zero or more.
        weight: of each unit of it.
    """

    name: str
    amount: Longs
    weight: int = 1


MILLION = 1_000_000
"""Parts in which imbalance and stranded amounts are counted."""

PlacementCost = (
    LoadCost
    | BalanceCost
    | TaskMoveCost
    | GroupMoveCost
    | HostMoveCost
    | HostPrice
    | ImbalanceCost
    | StrandedCost
    | TaskHostCost
)
"""Any of the costs."""
