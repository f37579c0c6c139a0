"""Backfillings: the reservation of a job that does not fit, and the jobs that may overtake it. All are listed here."""

from typing import Literal

from loadmaster.backfilling.backfilling import Backfilling
from loadmaster.backfilling.conservative import Conservative
from loadmaster.backfilling.easy import Easy
from loadmaster.backfilling.lookahead import Lookahead
from loadmaster.backfilling.netbatch import NetBatch
from loadmaster.backfilling.none import Blocking
from loadmaster.backfilling.scheduling_pass import SchedulingPass
from loadmaster.backfilling.selective import Selective
from loadmaster.backfilling.skip import Skip
from loadmaster.backfilling.slurm import Slurm
from loadmaster.backfilling.stepwise import Stepwise

BACKFILLINGS: dict[str, tuple[type[Backfilling], str, str]] = {
    "none": (Blocking, "the first job that does not fit blocks all behind it", ""),
    "skip": (Skip, "every job that fits starts; there is no reservation, so large jobs may starve", ""),
    "netbatch": (
        NetBatch,
        "walk the whole queue, reserve a host for each job that does not fit",
        "Shai 2014",
    ),
    "easy": (
        Easy,
        "the blocked head is promised a time, later jobs may not delay it",
        "Lifka 1995; Mu'alem and Feitelson 2001",
    ),
    "conservative": (
        Conservative,
        "every waiting job has a place in a plan, later jobs may not delay it",
        "Mu'alem and Feitelson 2001",
    ),
    "stepwise": (Stepwise, "the first blocked jobs get reservations, made again in each pass", ""),
    "selective": (
        Selective,
        "a job that has waited long for its length gets a reservation, made again in each pass",
        "Srinivasan et al. 2002",
    ),
    "lookahead": (
        Lookahead,
        "as easy, and of the jobs behind the head the set that uses most cores starts",
        "Shmueli and Feitelson 2005",
    ),
    "slurm": (
        Slurm,
        "Slurm's two loops: a main pass that blocks partitions, and a backfill pass over whole hosts",
        "Slurm 22.05",
    ),
}
"""Every backfilling by its name on the command line: class, summary, source."""


def states(backfilling: Backfilling, trait: Literal["forgets", "compares_moments"]) -> bool:
    """Whether a built-in backfilling has `trait` in its class; a user's own, and a subclass, never has."""
    return any(kind is type(backfilling) for kind, *_ in BACKFILLINGS.values()) and hasattr(backfilling, trait)


__all__ = [
    "BACKFILLINGS",
    "Backfilling",
    "Blocking",
    "Conservative",
    "Easy",
    "Lookahead",
    "NetBatch",
    "SchedulingPass",
    "Selective",
    "Skip",
    "Slurm",
    "Stepwise",
]
