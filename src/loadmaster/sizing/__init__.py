"""Sizers: how many machines to rent for a bag of tasks, decided while it runs."""

from loadmaster.sizing.baselines import FixedHosts, FixedMix, all_at_once, oracle, user_guess
from loadmaster.sizing.billing import HostType
from loadmaster.sizing.decide import decide
from loadmaster.sizing.ledger import BagLedger, Event, HostRow
from loadmaster.sizing.load import SIZERS
from loadmaster.sizing.planner import Planner
from loadmaster.sizing.silva import SilvaRule
from loadmaster.sizing.snapshot import Actions, BagSnapshot, Rental, RentedHost, Sizer

__all__ = [
    "SIZERS",
    "Actions", "BagLedger", "BagSnapshot", "Event", "FixedHosts", "FixedMix", "HostRow", "HostType", "Planner",
    "Rental", "RentedHost", "SilvaRule", "Sizer", "all_at_once", "decide", "oracle", "user_guess",
]  # fmt: skip
