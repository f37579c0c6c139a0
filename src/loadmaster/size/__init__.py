"""Sizers: how many machines to rent for a bag of tasks, decided while it runs."""

from loadmaster.size.baselines import FixedHosts, all_at_once, oracle, user_guess
from loadmaster.size.billing import HostType
from loadmaster.size.decide import decide
from loadmaster.size.ledger import Event, HostRow, Ledger
from loadmaster.size.planner import Planner
from loadmaster.size.silva import SilvaRule
from loadmaster.size.snapshot import Actions, BagSnapshot, Rent, RentedHost, Sizer

__all__ = [
    "Actions", "BagSnapshot", "Event", "FixedHosts", "HostRow", "HostType", "Ledger", "Planner", "Rent", "RentedHost",
    "SilvaRule", "Sizer", "all_at_once", "decide", "oracle", "user_guess",
]  # fmt: skip
