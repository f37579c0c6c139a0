"""Sizers: how many machines to rent for a bag of tasks, decided while it runs."""

from loadmaster.sizing.baselines import FixedHosts, all_at_once, oracle, user_guess
from loadmaster.sizing.billing import HostType
from loadmaster.sizing.decide import decide
from loadmaster.sizing.ledger import Event, HostRow, Ledger
from loadmaster.sizing.planner import Planner
from loadmaster.sizing.silva import SilvaRule
from loadmaster.sizing.snapshot import Actions, BagSnapshot, Rent, RentedHost, Sizer

SIZERS: dict[str, tuple[str, str]] = {
    "planner": ("rents by a forecast that counts running tasks as not done; keeps a budget or a deadline", ""),
    "silva": ("after every result, machines for what the present ones cannot do", "Silva et al. 2008"),
    "user-guess": ("the same, begun with machines for a guessed duration", "Silva et al. 2008"),
    "all-at-once": ("one machine a task", "BOINC, in Silva et al. 2008"),
    "fixed": ("a given number of machines", ""),
    "oracle": ("as many as the work fills, known beforehand; for comparison only", "Silva et al. 2008"),
}
"""What each sizer does and where it comes from, by name."""

__all__ = [
    "SIZERS",
    "Actions", "BagSnapshot", "Event", "FixedHosts", "HostRow", "HostType", "Ledger", "Planner", "Rent", "RentedHost",
    "SilvaRule", "Sizer", "all_at_once", "decide", "oracle", "user_guess",
]  # fmt: skip
