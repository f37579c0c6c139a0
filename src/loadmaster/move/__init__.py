"""Who migrates: better mappings within a budget, and an order of moves that never overfills a host."""

from loadmaster.move.adapt import adapt_exactly
from loadmaster.move.bounded import rebalance
from loadmaster.move.change import Change, Move, State
from loadmaster.move.rotation import Rotation, best_rotation, mean_yields
from loadmaster.move.sequence import Plan, in_safe_order

__all__ = [
    "Change", "Move", "Plan", "Rotation", "State", "adapt_exactly", "best_rotation", "in_safe_order", "mean_yields",
    "rebalance",
]  # fmt: skip
