"""Which tasks a rule counts, and in which parts of the cluster it counts them."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from loadmaster.model.arrays import Ints, frozen_ints
from loadmaster.model.errors import InputError


@dataclass(frozen=True, eq=False)
class TaskGroup:
    """A set of tasks: a service, the pods that a selector matches, the tasks of an owner.

    Attributes:
        name: shown to the user.
        tasks: int32[N], the numbers of its tasks, each once, ascending.
    """

    name: str
    tasks: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", frozen_ints(np.unique(self.tasks)))

    def __contains__(self, task: int) -> bool:
        return task in self._members

    @cached_property
    def _members(self) -> frozenset[int]:
        return frozenset(self.tasks.tolist())


@dataclass(frozen=True, eq=False)
class DomainLevel:
    """A way to divide the hosts: by host, rack, zone, neighbourhood, or by the values of a label.

    Attributes:
        name: shown to the user.
        domain: int32[H], the domain of each host, 0 to D - 1; -1 for a host that is in none.

    Raises:
        InputError: a domain is below -1.
    """

    name: str
    domain: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "domain", frozen_ints(self.domain))
        if self.domain.size and self.domain.min() < -1:
            raise InputError(int(self.domain.min()), f"a {self.name} is a number from 0, or -1 for none")

    @classmethod
    def of_hosts(cls, hosts: int) -> "DomainLevel":
        """Each host is a domain of its own.

        Example:
            >>> DomainLevel.of_hosts(3).domain.tolist()
            [0, 1, 2]
        """
        return cls("host", np.arange(hosts, dtype=np.int32))

    @property
    def domains(self) -> int:
        """Number of domains, D."""
        return int(self.domain.max(initial=-1)) + 1


@lru_cache(4096)
def common_tasks(left: TaskGroup, right: TaskGroup) -> TaskGroup:
    """The tasks that are in both groups; the same object for the same two groups, as counts are kept by object.

    Example:
        >>> common_tasks(TaskGroup("a", np.array([1, 2])), TaskGroup("b", np.array([2, 3]))).tasks.tolist()
        [2]
    """
    return TaskGroup(f"{left.name} and {right.name}", np.intersect1d(left.tasks, right.tasks))
