"""What a waiting job asks of the hosts, as plain numbers: jobs that ask for the same share one request."""

from dataclasses import dataclass

from loadmaster.model.amounts import Amounts, times
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.host_count import HostsAsked


@dataclass(frozen=True, eq=False, slots=True)
class RowRequest:
    """What one job asks for. Two requests are the same object or unlike, so a set of them is looked up quickly.

    Attributes:
        demand: of one task, R amounts.
        total: of all tasks together.
        asked: how many tasks, and on how many hosts they may lie.
        hosts: the row of `Snapshot.allowed` that holds the job's hosts.
    """

    demand: Amounts
    total: Amounts
    asked: HostsAsked
    hosts: int


def requests_of(
    demand: Floats, tasks: Ints, hosts: Ints | None, min_hosts: Ints | None, max_hosts: Ints | None
) -> list[RowRequest]:
    """The request of each of Q jobs, from columns as `Queue` has them.

    Example:
        >>> import numpy as np
        >>> one, other = requests_of(np.array([[2.0], [2.0]]), np.array([1, 1]), None, None, None)
        >>> one is other, one.demand
        (True, (2.0,))
    """
    known: dict[tuple[Amounts, int, int, int, int], RowRequest] = {}
    found = []
    numbers = ([0] * len(tasks) if column is None else column.tolist() for column in (hosts, min_hosts, max_hosts))
    for key in zip(map(tuple, demand.tolist()), tasks.tolist(), *numbers, strict=True):
        if key not in known:
            amounts, many, row, least, most = key
            known[key] = RowRequest(amounts, times(many, amounts), HostsAsked(many, least, most), row)
        found.append(known[key])
    return found
