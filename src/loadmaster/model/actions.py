"""Actions for an engine: one set for queues, shares, moves and rented machines.

Jobs and hosts bear the names that the engine gives them, so that an action means the same after the next observation.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Start:
    """Let a job that is held start, on exactly these hosts: pin it there and release it.

    Attributes:
        id: the engine's name of the job.
        hosts: one for each of its tasks.
    """

    id: str
    hosts: tuple[str, ...]


@dataclass(frozen=True)
class Repin:
    """Send a job that has been released and does not run to these hosts, which may be those it has."""

    id: str
    hosts: tuple[str, ...]


@dataclass(frozen=True)
class Hold:
    """Take a job that has been released and does not run back: no pin, and held for us once more."""

    id: str


@dataclass(frozen=True)
class Withdraw:
    """Take our hands off a job that does not run: no pin, no hold of ours; the engine's own scheduler places it."""

    id: str


@dataclass(frozen=True)
class Cap:
    """Let a job have at most this part of the CPU of what it requests, in (0, 1], from now on."""

    id: str
    share: float


@dataclass(frozen=True)
class Move:
    """Take a running job to these hosts, one for each of its tasks, in the way that the engine can."""

    id: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class Rent:
    """Rent `count` machines of a kind."""

    kind: str
    count: int


@dataclass(frozen=True)
class Release:
    """Give a rented machine back."""

    host: str


@dataclass(frozen=True)
class Stop:
    """End a job that runs; what it has done so far is lost. Only ever asked of a copy that we have started."""

    id: str


@dataclass(frozen=True)
class Explain:
    """Show beside a job that waits why it does, or no more (`why` empty); an engine without a place for that does not.

    Nothing depends on it: it is never refused.
    """

    id: str
    why: str


Action = Start | Repin | Hold | Cap | Move | Rent | Release | Withdraw | Stop | Explain

KINDS: dict[str, type[Action]] = {
    "start": Start, "repin": Repin, "hold": Hold, "cap": Cap, "move": Move, "rent": Rent, "release": Release,
    "withdraw": Withdraw, "stop": Stop, "explain": Explain,
}  # fmt: skip
"""By the word that a record has for each."""
