"""The settings of a live scheduler."""

from dataclasses import dataclass
from typing import Literal

from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named

Mode = Literal["live", "dry-run", "shadow"]
"""Live acts. A shadow decides and writes down, and asks nothing of the engine; a dry run does the same and shows what
it would have asked."""


@dataclass(frozen=True)
class LiveSettings:
    """Nothing here is done without being requested, but that pins are cleared at the end.

    Attributes:
        interval_s: seconds between two cycles.
        mode: whether the engine is asked to do anything.
        for_s: end after so long.
        max_starts: start no more jobs than that in all; None for no limit.
        on_exit: `release`: jobs that wait go to the engine's own scheduler; `hold`: everything stays as it is.
        others: `release` hands jobs that the model has no words for to the engine; `keep` leaves them as they are.
        fallback: what decides after three failures of the rule in a row, as a policy under the discipline netbatch.
    """

    interval_s: float = 30.0
    mode: Mode = "live"
    for_s: float = float("inf")
    max_starts: int | None = None
    on_exit: Literal["release", "hold"] = "release"
    others: Literal["keep", "release"] = "keep"
    fallback: str = "first-fit"

    @property
    def acts(self) -> bool:
        """Whether the engine is asked to do anything."""
        return self.mode == "live"


def fallback_scheduler(policy: str) -> Scheduler:
    """Decides in the place of a rule that fails (rule X9), by the policy of that name."""
    return Scheduler(POLICIES[policy], discipline_named("netbatch"))
