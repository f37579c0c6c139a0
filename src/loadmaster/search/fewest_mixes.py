"""Cheaper mixes of several kinds of machine under which jobs wait no longer than a target (rule D14)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from loadmaster.model import Cluster
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.watch import Watch
from loadmaster.runs import Case, Outcome, Setting
from loadmaster.runs.sweep import sweep
from loadmaster.search.fewest import Fewest, Target, holds_all, on_hosts
from loadmaster.traces.host_range import HostRange
from loadmaster.traces.hosts import short_form

MOST_RUNS = 60
"""So many mixes are run for each rule."""
PARTS = (0.75, 0.5, 0.25)
"""Parts of the number that one kind needs alone; the rest is made up of another kind."""

Counts = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class MixedRange(HostRange):
    """One mix of several kinds, in the place of a range of numbers of one kind.

    Attributes:
        mixed: the machines.
    """

    mixed: Cluster | None = None

    def at(self, number: int) -> Cluster:
        """The machines; there is but one number of them."""
        assert self.mixed is not None
        return self.mixed


@dataclass(frozen=True, eq=False)
class MixesTried:
    """The result of the search for a cheaper mix under one rule.

    Attributes:
        setting: the rule.
        runs: mixes that were run.
        all_cheaper: every cheaper mix of the numbers offered was run, or does not hold every job.
        cheapest: the cheapest mix found; None where none is cheaper than the cheapest kind alone.
    """

    setting: Setting
    runs: int
    all_cheaper: bool
    cheapest: Fewest | None


def kinds_to_mix(ranges: Sequence[HostRange]) -> bool:
    """Whether these kinds can be mixed: two or more, all with prices, of like resources, without hosts always there."""
    if len(ranges) < 2 or any("," in each.name and each.like is None for each in ranges):
        return False
    clusters = [each.at(each.least) for each in ranges]
    alike = len({each.resources for each in clusters}) == 1
    return alike and all(each.price_per_hour is not None and each.rules is None for each in clusters)


def cheapest_mix(
    case: Case,
    alone: Sequence[Fewest],
    target: Target,
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
    deadline: Deadline = NO_DEADLINE,
) -> MixesTried:
    """The cheapest mix found under one rule, if it is cheaper than the cheapest kind alone.

    Args:
        case: the jobs that the most machines of each kind hold.
        alone: the answer of each kind alone, all of one rule.
        target: what jobs may wait.
        store: where runs are kept; None keeps none.
        pool: runs the cells.
        watch: gets the progress.
        deadline: no run begins after it.
    """
    search = _MixSearch(case, alone, target, (store, pool, watch), deadline)
    search.run()
    return search.answer()


class _MixSearch:
    """Mixes in turn, each run once, while they are cheaper than the best so far."""

    def __init__(
        self,
        case: Case,
        alone: Sequence[Fewest],
        target: Target,
        how: tuple[Store | None, CellMaker, Watch | None],
        deadline: Deadline,
    ) -> None:
        self._case, self._alone, self._target, self._how = case, alone, target, how
        self._deadline, self._ended = deadline, False
        self._ranges = [each.machines for each in alone]
        self._price = [_price_of_each(each) for each in self._ranges]
        self._runs: dict[Counts, Outcome | None] = {}
        costs = [self._cost_alone(k) for k in range(len(alone))]
        self._best: Counts | None = None
        self._least = min(costs)
        self._complete = False

    def run(self) -> None:
        """All cheaper mixes where they are few; else pairs of kinds, and then numbers changed by one."""
        few = self._all_cheaper()
        if few is not None:
            for counts in few:
                if self.cost(counts) < self._least - 1e-9:
                    self.enough(counts)
            self._complete = not self._ended
            return
        for first, second in product(range(len(self._alone)), repeat=2):
            number = self._alone[first].number
            if first != second and number is not None:
                for part in PARTS:
                    self._fill(first, max(1, round(part * number)), second)
        while self._best is not None and self._changed_by_one():
            pass

    def answer(self) -> MixesTried:
        """What was tried, and the best mix as an answer beside those of single kinds."""
        runs = sum(outcome is not None for outcome in self._runs.values())
        return MixesTried(self._alone[0].setting, runs, self._complete, self._cheapest())

    def _cheapest(self) -> Fewest | None:
        if self._best is None:
            return None
        cluster, setting, hosts = self.cluster(self._best), self._alone[0].setting, sum(self._best)
        name = f"mix: {short_form(cluster)}"
        machines = MixedRange(name, hosts, hosts, None, cluster)
        outcome = self._runs[self._best]
        assert outcome is not None
        return Fewest(setting, machines, hosts, outcome, ((hosts, outcome),))

    def cost(self, counts: Counts) -> float:
        """The price an hour."""
        return sum(number * price for number, price in zip(counts, self._price, strict=True))

    def cluster(self, counts: Counts) -> Cluster:
        """The machines of a mix."""
        return joined([each.at(number) for each, number in zip(self._ranges, counts, strict=True) if number])

    def enough(self, counts: Counts) -> bool:
        """Whether a mix meets the target; if it is the cheapest so far it is the best. False when no run is left."""
        if counts not in self._runs:
            if len(self._runs) >= MOST_RUNS or self._deadline.passed():
                self._ended = True
                return False
            self._runs[counts] = self._outcome(counts)
        outcome = self._runs[counts]
        met = outcome is not None and self._target.met_by(outcome.metrics)
        if met and sum(map(bool, counts)) > 1 and self.cost(counts) < self._least - 1e-9:
            self._best, self._least = counts, self.cost(counts)
        return met

    def _outcome(self, counts: Counts) -> Outcome | None:
        there = on_hosts(self._case, self.cluster(counts))
        if not holds_all(self._case.workload, there.cluster):
            return None
        store, pool, watch = self._how
        return sweep(there, [self._alone[0].setting], store, pool, watch=watch)[0]

    def _cost_alone(self, kind: int) -> float:
        number = self._alone[kind].number
        return np.inf if number is None else number * self._price[kind]

    def _offered(self, kind: int, most: int) -> list[int]:
        """The numbers of a kind up to `most`, none included."""
        each = self._ranges[kind]
        return [0, *range(each.least, min(each.most, most) + 1)]

    def _all_cheaper(self) -> list[Counts] | None:
        """All mixes of two kinds or more that cost less than the cheapest alone, the cheapest first; None if many."""
        most = [self._affordable(price) for price in self._price]
        offered = [self._offered(kind, number) for kind, number in enumerate(most)]
        if np.prod([len(numbers) for numbers in offered], dtype=float) > 100 * MOST_RUNS:
            return None
        mixes = [counts for counts in product(*offered) if sum(map(bool, counts)) > 1]
        cheaper = [counts for counts in mixes if self.cost(counts) < self._least - 1e-9]
        return sorted(cheaper, key=self.cost) if len(cheaper) <= MOST_RUNS else None

    def _affordable(self, price: float) -> int:
        if not np.isfinite(self._least) or price <= 0:
            return max(each.most for each in self._ranges)
        return int(self._least / price + 1e-9)

    def _fill(self, first: int, number: int, second: int) -> None:
        """The fewest of kind `second` beside `number` of kind `first`, as far as they are cheaper than the best."""
        if number < self._ranges[first].least or number > self._ranges[first].most:
            return
        left = self._least - number * self._price[first]
        price = self._price[second]
        each = self._ranges[second]
        high = each.most if not np.isfinite(left) or price <= 0 else min(each.most, int(left / price - 1e-9))
        low = each.least - 1
        if high < each.least or not self.enough(self._pair(first, number, second, high)):
            return
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.enough(self._pair(first, number, second, middle)) else (middle, high)

    def _pair(self, first: int, number: int, second: int, other: int) -> Counts:
        counts = [0] * len(self._alone)
        counts[first], counts[second] = number, other
        return tuple(counts)

    def _changed_by_one(self) -> bool:
        """Whether the best mix with one host fewer of a kind, or one fewer and some more of another, is cheaper."""
        assert self._best is not None
        best, before = self._best, self._least
        for counts in self._neighbours(best):
            if self.cost(counts) < self._least - 1e-9 and self.enough(counts) and self._least < before:
                return True
        return False

    def _neighbours(self, counts: Counts) -> Iterator[Counts]:
        kinds = range(len(counts))
        for kind in kinds:
            if counts[kind] > self._ranges[kind].least:
                fewer = tuple(number - (k == kind) for k, number in enumerate(counts))
                yield fewer
                for other in kinds:
                    more = int((self._least - self.cost(fewer)) / max(self._price[other], 1e-12) - 1e-9)
                    wanted = fewer[other] + more
                    if other != kind and more > 0 and self._ranges[other].least <= wanted <= self._ranges[other].most:
                        yield tuple(wanted if k == other else number for k, number in enumerate(fewer))


def joined(clusters: Sequence[Cluster]) -> Cluster:
    """The hosts of several clusters of like resources, one after another, without their names.

    Example:
        >>> one, other = (Cluster.uniform(n, cores=c) for n, c in ((2, 4), (1, 8)))
        >>> joined([one, other]).capacity[:, 0].tolist()
        [4.0, 4.0, 8.0]
    """
    prices = [each.price_per_hour for each in clusters]
    known = [price for price in prices if price is not None]
    return Cluster(
        clusters[0].resources,
        np.vstack([each.capacity for each in clusters]),
        speed=np.concatenate([np.ones(each.hosts) if each.speed is None else each.speed for each in clusters]),
        price_per_hour=np.concatenate(known) if len(known) == len(clusters) else None,
    )


def _price_of_each(hosts: HostRange) -> float:
    """The price an hour of one more host: of hosts in proportions that of the mean host."""
    cost = hosts.at(hosts.most).cost_per_hour
    assert cost is not None
    return cost / hosts.most
