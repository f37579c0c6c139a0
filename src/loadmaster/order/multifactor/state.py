"""All that multifactor priorities need while a log runs, in arrays, so that compiled code can hold it (rule O8)."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.order.multifactor.account_tree import AccountTree
from loadmaster.order.multifactor.fair_share import Scratch
from loadmaster.order.multifactor.ledger import UsageLedger

MOST = 2.0**32 - 1.0
"""The highest priority that Slurm counts."""


class Weights(NamedTuple):
    """Plain numbers: the weights of age and fair share, the age at which its factor is 1, the dampening factor."""

    age: float
    fair_share: float
    max_age_s: float
    damp: float


class Flags(NamedTuple):
    """Fair share is classic; tied accounts are merged; every pass is a tick too."""

    classic: bool
    merged: bool
    each_pass: bool


class PriorityState(NamedTuple):
    """Of J jobs and N nodes.

    Attributes:
        ledger, tree, room: use, accounts, and the factors of fair share with the room to work them out.
        fixed: float64[J], the priority without age and fair share.
        submit_s: float64[J]; accrue_s: float64[J], since when age counts.
        waits: bool[J], for another job, so that age counts from its release.
        stale: int64[1], 1 where use has changed since the factors were worked out.
    """

    ledger: UsageLedger
    tree: AccountTree
    room: Scratch
    fixed: Floats
    submit_s: Floats
    accrue_s: Floats
    waits: Bools
    stale: Longs
    weights: Weights
    flags: Flags


def fresh() -> Longs:
    """The mark of factors that are still to be worked out."""
    return np.ones(1, np.int64)
