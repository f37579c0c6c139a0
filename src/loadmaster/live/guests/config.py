"""The settings of a run that looks after virtual machines."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loadmaster.live.guests.movers import GuestMover, guest_mover_named
from loadmaster.model import InputError
from loadmaster.move.change import Unit

OnExit = Literal["restore", "leave"]


@dataclass(frozen=True)
class GuestsConfig:
    """Nothing here is done without being requested.

    Attributes:
        caps: machines are capped.
        mover: the name of the mover; empty: no machine moves.
        most: what may be moved in any hour, in `unit`.
        every_s: time between two calls of the mover, which waits while a machine moves.
        interval_s: between two looks.
        for_s: end after so long.
        seed: of draws.
        acts: False: decide and write down, and ask nothing of the engine.
        on_exit: at the end caps are as they were found, or stay as they are.
    """

    caps: bool = True
    mover: str = ""
    most: float = math.inf
    unit: Unit = "count"
    every_s: float = 60.0
    interval_s: float = 5.0
    for_s: float = math.inf
    seed: int = 0
    acts: bool = True
    on_exit: OnExit = "restore"

    def __post_init__(self) -> None:
        if not self.caps and not self.mover:
            raise InputError("--no-caps", "nothing would be done", fix="give a --mover")
        if self.mover:
            guest_mover_named(self.mover)
            if self.most == math.inf:
                fix = "--moves N (machines an hour) or --budget SIZE (memory an hour)"
                raise InputError(self.mover, "machines move within a budget only", fix=fix)
        for name in ("every_s", "interval_s"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(getattr(self, name), "a time between two looks is more than zero seconds")

    @property
    def moves(self) -> GuestMover | None:
        """The mover."""
        return guest_mover_named(self.mover) if self.mover else None

    def plain(self) -> dict[str, Any]:
        """What decisions depend on, as JSON takes it."""
        most = None if self.most == math.inf else self.most
        return {
            "caps": self.caps,
            "mover": self.mover,
            "most": most,
            "unit": self.unit,
            "every_s": self.every_s,
            "seed": self.seed,
            "acts": self.acts,
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "GuestsConfig":
        """What `plain` wrote."""
        return cls(**{**plain, "most": math.inf if plain["most"] is None else plain["most"]})
