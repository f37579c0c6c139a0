"""Other methods beside a packing: what each makes of the same tasks, in plain values."""

from typing import Any

from loadmaster.packing.instance import Instance
from loadmaster.packing.objective import PLAIN
from loadmaster.packing.packing import Packing
from loadmaster.packing.solve import PackOptions, pack

QUICK = ("mcb8", "mcb4", "sg", "gr")
"""Packers that take no longer than reading the tasks did."""
MOST = 500_000
"""Tasks x hosts up to which others are tried."""


def beside(instance: Instance, packing: Packing, options: PackOptions = PackOptions()) -> list[dict[str, Any]]:
    """A row for each method: the packing itself, then the quick ones, the best first; of many tasks or a sum it alone.

    Args:
        instance: what was packed.
        packing: its packing.
        options: how.

    Example:
        >>> two = Instance.of(hosts=2, cpu=[0.9, 0.2, 0.7, 0.3, 0.5], memory=[0.1, 0.6, 0.2, 0.5, 0.3])
        >>> [row["method"] for row in beside(two, pack(two, "mcb8"))][:2]
        ['mcb8', 'sg']
    """
    own = _row(packing)
    if instance.tasks * instance.hosts > MOST or packing.minimise not in PLAIN:
        return [own]
    others = [_row(pack(instance, name, options)) for name in QUICK if name != packing.solver]
    if packing.minimise == "level":
        return [own, *sorted(others, key=lambda row: 1.0 if row["min_yield"] is None else -row["min_yield"])]
    return [own, *sorted(others, key=lambda row: float("inf") if row["cost"] is None else row["cost"])]


def _row(packing: Packing) -> dict[str, Any]:
    placed = packing.placed
    return {
        "method": packing.solver,
        "min_yield": packing.min_yield if placed else None,
        "mean_yield": packing.mean_yield if placed else None,
        "bound": packing.bound,
        "gap": packing.gap if placed else None,
        "cost": packing.cost if placed else None,
        "cost_bound": packing.cost_bound,
        "hosts_used": len(set(packing.host.tolist()) - {-1}) if placed else None,
    }
