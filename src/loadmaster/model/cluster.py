"""A cluster: hosts and what each has of every resource."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, frozen_floats
from loadmaster.model.errors import InputError
from loadmaster.model.exact_amounts import MOST, exact_capacity
from loadmaster.model.site_rules import SiteRules
from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.system.counted import counted

MOST_HOSTS = 10_000_000
"""No description of machines names more."""


@dataclass(frozen=True, eq=False, repr=False)
class Cluster:
    """H hosts with R resources each.

    Attributes:
        resources: names of the R resources; the first is the one that CPU policies use (`cores`).
        capacity: float64[H, R], amounts in the unit of `loadmaster.model.units.UNITS`, zero or more; rounded down
            by less than 2**-24 as `loadmaster.model.exact_amounts` says.
        names: a name for every host, or empty for "0", "1", ...
        speed: float64[H], speed of each host relative to 1, more than zero; None means 1 everywhere.
        rules: the rules of the site; None if there are none.
        price_per_hour: float64[H], the price of each host an hour, zero or more, in any currency; None if it is not
            known. No run uses it.

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
    price_per_hour: Floats | None = None

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
        self._set_price()
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

    def _set_price(self) -> None:
        if self.price_per_hour is None:
            return
        price = frozen_floats(self.price_per_hour)
        if price.shape != (self.hosts,):
            raise InputError(price.shape, f"{self.hosts} hosts need as many prices")
        if (bad := ~(np.isfinite(price) & (price >= 0))).any():
            host = int(np.argmax(bad))
            raise InputError(price[host], f"the price of host {self.name(host)} must be zero or more")
        object.__setattr__(self, "price_per_hour", price)

    @property
    def cost_per_hour(self) -> float | None:
        """The price of all hosts together an hour, added up as decimals; None without prices.

        Example:
            >>> Cluster(("cores",), [[8.0]] * 12, price_per_hour=[1.9] * 12).cost_per_hour
            22.8
        """
        if self.price_per_hour is None:
            return None
        prices, count = np.unique(self.price_per_hour, return_counts=True)
        pairs = zip(prices.tolist(), count.tolist(), strict=True)
        return float(sum(Decimal(repr(price)) * hosts for price, hosts in pairs))

    @classmethod
    def uniform(cls, hosts: int, **amounts: float) -> "Cluster":
        """`hosts` equal hosts; one keyword for each resource, in the given order."""
        return cls(tuple(amounts), np.tile(np.array(list(amounts.values()), dtype=float), (hosts, 1)))

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return int(self.capacity.shape[0])

    @cached_property
    def total(self) -> Floats:
        """float64[R]: the capacity of all hosts together."""
        return np.asarray(self.capacity.sum(axis=0))

    @cached_property
    def common_speed(self) -> float | None:
        """The speed of all hosts; None where they differ."""
        assert self.speed is not None
        return float(self.speed[0]) if bool((self.speed == self.speed[0]).all()) else None

    @cached_property
    def fastest(self) -> float:
        """The speed of the fastest host."""
        assert self.speed is not None
        return float(self.speed.max())

    def slowest(self, hosts: Sequence[int]) -> float:
        """The speed of the slowest of `hosts`; of none it may be infinite."""
        if self.common_speed is not None:
            return self.common_speed
        assert self.speed is not None
        return float(self.speed[list(hosts)].min(initial=np.inf))

    def calendar_moved(self, by_s: float) -> "Cluster":
        """The cluster with the clock of its calendar moved by so many seconds."""
        rules = self.rules
        if rules is None or not rules.calendar or by_s == 0.0:
            return self
        calendar = tuple(
            replace(row, from_s=row.from_s + by_s, to_s=None if row.to_s is None else row.to_s + by_s)
            for row in rules.calendar
        )
        return replace(self, rules=replace(rules, calendar=calendar))

    @cached_property
    def kinds(self) -> tuple[Floats, Ints]:
        """The distinct capacities, float64[K, R], and the kind of every host, int32[H]."""
        rows, kind = np.unique(self.capacity, axis=0, return_inverse=True)
        return rows, kind.reshape(-1).astype(np.int32)

    def __repr__(self) -> str:
        amounts = zip(self.resources, self.total.tolist(), strict=True)
        parts = [f"{show_bytes(each)} {name}" if name == MEMORY else f"{each:,.6g} {name}" for name, each in amounts]
        return f"<Cluster: {counted(self.hosts, 'host')}, {', '.join(parts)}>"

    def name(self, host: int) -> str:
        """The name of host number `host`."""
        return self.names[host] if self.names else str(int(host))
