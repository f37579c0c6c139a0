"""A cluster: hosts and what each has of every resource."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, frozen_floats
from loadmaster.model.errors import InputError
from loadmaster.model.exact import MOST, exact_capacity
from loadmaster.model.site_rules import SiteRules

MOST_HOSTS = 10_000_000
"""No description of machines names more."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """H hosts with R resources each.

    Attributes:
        resources: names of the R resources; the first is the one that CPU policies look at (`cores`).
        capacity: float64[H, R], amounts in the unit of `loadmaster.model.units.UNITS`, zero or more; rounded down
            by less than 2**-24 as `loadmaster.model.exact` says.
        names: a name for every host, or empty for "0", "1", ...
        speed: float64[H], speed of each host relative to 1, more than zero; None means 1 everywhere.
        rules: what the site lays down beside the hosts; None where it lays down nothing.

    Raises:
        InputError: no hosts, a host without cores, an amount that is negative, not finite or above 2**53.

    Example:
        >>> cluster = Cluster.uniform(2, cores=8, memory=32 * 2**30)
        >>> cluster.hosts, cluster.total.tolist()
        (2, [16.0, 68719476736.0])
    """

    resources: tuple[str, ...]
    capacity: Floats
    names: tuple[str, ...] = ()
    speed: Floats | None = None
    rules: SiteRules | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "capacity", frozen_floats(self.capacity))
        if self.capacity.ndim != 2 or self.capacity.shape[1] != len(self.resources):
            raise InputError(
                self.capacity.shape, f"capacity must have a column for each of {', '.join(self.resources)}"
            )
        if self.hosts == 0:
            raise InputError("no hosts", "a cluster needs at least one host", fix="give --hosts like 20x16c64g")
        if self.names and len(self.names) != self.hosts:
            raise InputError(len(self.names), f"{self.hosts} hosts need as many names")
        self._refuse(~np.isfinite(self.capacity) | (self.capacity < 0), "must be zero or more")
        self._refuse(self.capacity > MOST, "is too large to be counted exactly", "count in larger units")
        object.__setattr__(self, "capacity", frozen_floats(exact_capacity(self.capacity)))
        empty = np.flatnonzero(self.capacity[:, 0] <= 0)
        if empty.size:
            raise InputError(
                f"host {self.name(empty[0])}",
                f"a host needs more than 0 {self.resources[0]}",
                fix="correct or remove it",
            )
        self._set_speed()
        if self.rules is not None:
            self.rules.check_hosts(self.hosts)

    def _refuse(self, bad: Bools, rule: str, fix: str = "") -> None:
        if bad.any():
            host, resource = np.argwhere(bad)[0]
            amount = f"{self.capacity[host, resource]:g}"
            raise InputError(amount, f"{self.resources[resource]} of host {self.name(host)} {rule}", fix=fix)

    def _set_speed(self) -> None:
        speed = frozen_floats(np.ones(self.hosts) if self.speed is None else self.speed)
        if speed.shape != (self.hosts,):
            raise InputError(speed.shape, f"{self.hosts} hosts need as many speeds")
        if (bad := ~(np.isfinite(speed) & (speed > 0))).any():
            host = int(np.argmax(bad))
            raise InputError(speed[host], f"speed of host {self.name(host)} must be more than zero")
        object.__setattr__(self, "speed", speed)

    @classmethod
    def uniform(cls, hosts: int, **amounts: float) -> "Cluster":
        """`hosts` equal hosts; one keyword a resource, in the order given."""
        return cls(tuple(amounts), np.tile(np.array(list(amounts.values()), dtype=float), (hosts, 1)))

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return int(self.capacity.shape[0])

    @cached_property
    def total(self) -> Floats:
        """float64[R]: what all hosts have together."""
        return np.asarray(self.capacity.sum(axis=0))

    @cached_property
    def kinds(self) -> tuple[Floats, Ints]:
        """The distinct capacities, float64[K, R], and the kind of every host, int32[H]."""
        rows, kind = np.unique(self.capacity, axis=0, return_inverse=True)
        return rows, kind.reshape(-1).astype(np.int32)

    def name(self, host: int) -> str:
        """The name of host number `host`."""
        return self.names[host] if self.names else str(int(host))
