"""Online routing of virtual circuits: each request goes along the path whose cost grows least (Aspnes et al. 1993)."""

import heapq
import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from loadmaster.model.errors import InputError

Node = Hashable
Edge = tuple[Node, Node]


@dataclass
class Circuits:
    """A network with its loads; the one thing here that changes, by `route` and `release`.

    Edge e has capacity u(e); a request of bandwidth p raises the load of every edge on its path by p / u(e). The
    path taken minimises the sum of a^(l_e + p_e) - a^(l_e) (Amir et al. 2000, section 3.4; rule P7): the largest
    load stays within O(log n) of the best that could be done knowing all requests.

    Attributes:
        capacity: of every directed edge (from, to), more than 0.
        base: the constant a, between 1 and 2.
        load: of every edge now.

    Example:
        >>> net = Circuits({("s", "x"): 10.0, ("x", "t"): 10.0, ("s", "t"): 1.0})
        >>> net.route("s", "t", 1.0), net.route("s", "t", 0.5)
        (['s', 'x', 't'], ['s', 'x', 't'])
    """

    capacity: Mapping[Edge, float]
    base: float = 1.5
    load: dict[Edge, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 1.0 < self.base < 2.0:
            raise InputError(self.base, "the base of the cost lies between 1 and 2")
        for edge, amount in self.capacity.items():
            if not amount > 0:
                raise InputError(amount, f"the capacity of edge {edge} must be more than zero")
        self.load = {edge: self.load.get(edge, 0.0) for edge in self.capacity}
        self._from: dict[Node, list[Edge]] = {}
        for edge in self.capacity:
            self._from.setdefault(edge[0], []).append(edge)

    def route(self, source: Node, target: Node, demand: float | Mapping[Edge, float]) -> list[Node]:
        """Take the cheapest path and load it; returns its nodes, or [] if there is no path.

        Args:
            source: first node.
            target: last node.
            demand: bandwidth, or one for each edge where the request differs between them.
        """
        path = self._cheapest(source, target, demand)
        for edge in itertools.pairwise(path):
            self.load[edge] += self.added(edge, demand)
        return path

    def release(self, path: Sequence[Node], demand: float | Mapping[Edge, float]) -> None:
        """Take a request off its path."""
        for edge in itertools.pairwise(path):
            self.load[edge] -= self.added(edge, demand)

    def added(self, edge: Edge, demand: float | Mapping[Edge, float]) -> float:
        """p_e: the load that the request puts on `edge`."""
        return (demand[edge] if isinstance(demand, Mapping) else demand) / self.capacity[edge]

    def cost(self, edge: Edge, demand: float | Mapping[Edge, float]) -> float:
        """a^(l + p) - a^l."""
        return float(self.base ** (self.load[edge] + self.added(edge, demand)) - self.base ** self.load[edge])

    def _cheapest(self, source: Node, target: Node, demand: float | Mapping[Edge, float]) -> list[Node]:
        """Dijkstra; of equal paths the one found first."""
        best: dict[Node, float] = {source: 0.0}
        came: dict[Node, Node] = {}
        heap: list[tuple[float, int, Node]] = [(0.0, 0, source)]
        pushed = 1
        while heap:
            cost, _, node = heapq.heappop(heap)
            if node == target:
                return _walk_back(came, source, target)
            if cost > best[node]:
                continue
            for edge in self._from.get(node, []):
                further = cost + self.cost(edge, demand)
                if further < best.get(edge[1], math.inf):
                    best[edge[1]] = further
                    came[edge[1]] = node
                    heapq.heappush(heap, (further, pushed, edge[1]))
                    pushed += 1
        return []


def _walk_back(came: dict[Node, Node], source: Node, target: Node) -> list[Node]:
    path = [target]
    while path[-1] != source:
        path.append(came[path[-1]])
    return path[::-1]
