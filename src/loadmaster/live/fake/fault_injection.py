"""Faults of the fake engine: at random by rates, or at scheduled times."""

from dataclasses import dataclass, fields
from typing import Literal

from loadmaster.model import InputError

Fault = Literal["gone", "denied", "busy", "stale", "down", "restart", "dead", "meddle", "stuck", "unfit", "slow"]
FAULTS: dict[str, str] = {
    "gone": "a waiting job is cancelled just as it is asked to start",
    "denied": "an action is refused for want of rights",
    "busy": "an action is refused for now",
    "stale": "a listing is the one before",
    "down": "the engine does not answer",
    "restart": "the engine restarts: pins of what does not run are forgotten, and the job is held again",
    "dead": "a host dies for five minutes: what ran there waits again, released and pinned to it",
    "meddle": "a user releases a held job, and it starts on the first host with room",
    "stuck": "a job that was asked to start does not, until it is asked again",
    "unfit": "a job that was asked to start is held again, as its hosts cannot serve it",
    "slow": "an answer takes two seconds",
}


@dataclass(frozen=True)
class FaultRates:
    """How likely each trouble is, whenever the engine is asked something that it could spoil.

    Example:
        >>> FaultRates.of("gone=0.1,stale=0.05").gone
        0.1
    """

    gone: float = 0.0
    denied: float = 0.0
    busy: float = 0.0
    stale: float = 0.0
    down: float = 0.0
    restart: float = 0.0
    dead: float = 0.0
    meddle: float = 0.0
    stuck: float = 0.0
    unfit: float = 0.0
    slow: float = 0.0

    @classmethod
    def of(cls, text: str) -> "FaultRates":
        """From `trouble=probability,...`.

        Raises:
            InputError: no such trouble, or no probability.
        """
        names = [each.name for each in fields(cls)]
        rates = {}
        for part in filter(None, text.split(",")):
            name, _, value = (piece.strip() for piece in part.partition("="))
            if name not in names:
                raise InputError(name, "the fake engine has no such fault", fix=f"one of {', '.join(names)}")
            try:
                rates[name] = float(value)
            except ValueError:
                raise InputError(part, "not a fault with its probability", fix="write it like gone=0.01") from None
            if not 0 <= rates[name] < 1:
                raise InputError(part, "a probability is from 0 up to 1", fix="write it like gone=0.01")
        return cls(**rates)


@dataclass(frozen=True)
class ScheduledFault:
    """One trouble at a stated time, to a job, a host or whatever is asked next."""

    at_s: float
    trouble: Fault
    what: str = ""
