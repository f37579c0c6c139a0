"""Multifactor priority as Slurm defines it: an order with weights, factors and the use so far (rules O8 to O14)."""

import math
from dataclasses import dataclass
from typing import Literal

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.order.multifactor.ranking import Priorities, state_of
from loadmaster.order.multifactor.site_view import view_of
from loadmaster.order.multifactor.terms import charges, fixed_part
from loadmaster.order.order import Ranking

DAY_S = 86400.0
RESETS = {
    "none": math.inf, "now": math.inf, "daily": DAY_S, "weekly": 7 * DAY_S, "monthly": 30 * DAY_S,
    "quarterly": 91 * DAY_S, "yearly": 365 * DAY_S,
}  # fmt: skip
"""Seconds between two moments at which use is forgotten, counted from the start of the log, which knows no calendar."""
Raw = Literal["part", "qos", "assoc", "tres", "all"]


@dataclass(frozen=True)
class Multifactor:
    """The highest sum of weighted factors goes first.

    The weights are those of the example in Slurm's manual, all other parameters have Slurm's defaults.

    Attributes:
        age, fair_share, size, partition, qos, assoc: weights of factors, each from 0 to 1.
        tres: weights by resource, of what a job requests as a part of what its partition has.
        site: added to every priority.
        max_age: seconds of waiting at which the factor of age is 1.
        half_life: seconds after which use counts half; 0 never fades.
        calc_period: seconds between two calculations of use, fair share and priorities.
        reset: when all use is forgotten.
        form: fair share by the fair tree, or classic.
        tied_accounts: whether the children of accounts that tie in the fair tree are sorted together.
        damp: the classic form's dampening factor.
        decay: use fades by whole periods as in Slurm, or exactly.
        recalc: priorities change at these calculations, or at every pass.
        favor_small: small jobs have the higher factor of size; small_relative_to_time: size is by time limit.
        accrue_always: age counts from arrival even while a job may not start yet.
        max_tres: the largest weighted request is charged in place of the sum of all.
        no_normal: factors that are not divided by the highest.
    """

    age: float = 1000.0
    fair_share: float = 10000.0
    size: float = 1000.0
    partition: float = 1000.0
    qos: float = 0.0
    assoc: float = 0.0
    tres: tuple[tuple[str, float], ...] = ()
    site: float = 0.0
    max_age: float = 604800.0
    half_life: float = 604800.0
    calc_period: float = 300.0
    reset: Literal["none", "now", "daily", "weekly", "monthly", "quarterly", "yearly"] = "none"
    form: Literal["tree", "classic"] = "tree"
    tied_accounts: Literal["merged", "listed"] = "merged"
    damp: float = 1.0
    decay: Literal["slurm", "exact"] = "slurm"
    recalc: Literal["tick", "pass"] = "tick"
    favor_small: bool = False
    small_relative_to_time: bool = False
    accrue_always: bool = False
    max_tres: bool = False
    no_normal: tuple[Raw, ...] = ()
    name: str = "multifactor"

    def __post_init__(self) -> None:
        for name, least in (("calc_period", 1.0), ("damp", 1.0)):
            if not getattr(self, name) >= least:
                raise InputError(getattr(self, name), f"{name} must be {least:g} or more", where=self.name)

    def is_raw(self, factor: str) -> bool:
        """Whether this factor is not divided by the highest."""
        return factor in self.no_normal or "all" in self.no_normal

    @property
    def reset_s(self) -> float:
        """Seconds between two moments at which use is forgotten; infinite if never."""
        return RESETS[self.reset]

    def begin(self, workload: Workload, cluster: Cluster) -> Ranking:
        """The state of the order at the beginning of a log.

        Raises:
            InputError: a weight for a resource that the hosts do not have.
        """
        view = view_of(workload, cluster)
        fixed, charge = fixed_part(self, workload, cluster, view), charges(self, workload, cluster, view)
        return Priorities(self.calc_period, state_of(self, workload, view, fixed, charge))

    def notes(self, workload: Workload, cluster: Cluster) -> tuple[str, ...]:
        """What a user must know of this order on this log, a sentence each."""
        return view_of(workload, cluster).notes
