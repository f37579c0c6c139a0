"""Which orders the compiled engines tell what happens."""

from loadmaster.order import AnyOrder, Multifactor


def is_told(order: AnyOrder) -> bool:
    """Whether the engine tells this order what happens; a subclass is a rule of its own, which plain Python runs."""
    return type(order) is Multifactor


def is_ticked(order: AnyOrder) -> bool:
    """Whether its ranks change at ticks only."""
    return type(order) is Multifactor and order.recalc == "tick"
