"""Waits of a shadow's jobs so far: at the site, in the simulated queue, and in the model of the site."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from loadmaster.model.units import show_seconds, signed


@dataclass(frozen=True)
class InterimWaits:
    """Means over the same jobs; one that still waits counts with its wait until now (rule X16).

    Attributes:
        at_s: now, in seconds since the record's origin.
        jobs: that are counted: all that waited at the beginning or have come since, and were not withdrawn.
        open: of these, jobs that wait or run in the site's world or in ours, so that something of them is supposed.
        site_wait_s: what happened.
        own_wait_s: in our queue, which runs on by our rule.
        model_wait_s: in a queue that runs on by the site's own rule; None if that rule is not known.
    """

    at_s: float
    jobs: int
    open: int
    site_wait_s: float
    own_wait_s: float
    model_wait_s: float | None = None

    @property
    def error(self) -> float | None:
        """Of the model, as a part of what happened (rule H5); None where it is not known, or no job waited."""
        has_both = self.model_wait_s is not None and self.site_wait_s > 0
        return self.model_wait_s / self.site_wait_s - 1.0 if has_both and self.model_wait_s is not None else None

    @property
    def gain(self) -> float | None:
        """Ours over what happened, less 1; below 0 is less waiting. None without the model's error (rule H7)."""
        return None if self.error is None else self.own_wait_s / self.site_wait_s - 1.0

    @property
    def tells(self) -> bool:
        """Whether the difference is larger than the model's error (rule H6)."""
        return self.gain is not None and self.error is not None and abs(self.gain) > abs(self.error)

    def plain(self) -> dict[str, Any]:
        """As records and JSON have it."""
        return asdict(self) | {"model_error": self.error, "gain": self.gain, "tells": self.tells}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "InterimWaits":
        """What `plain` wrote."""
        model = plain["model_wait_s"]
        return cls(
            float(plain["at_s"]),
            int(plain["jobs"]),
            int(plain["open"]),
            float(plain["site_wait_s"]),
            float(plain["own_wait_s"]),
            None if model is None else float(model),
        )

    def __str__(self) -> str:
        """In one line."""
        if not self.jobs:
            return "no job has come yet"
        text = f"mean wait of the site {show_seconds(self.site_wait_s)}"
        if self.error is None:
            why = "no job waited there" if self.model_wait_s is not None else "without the model's error"
            text += f", ours {show_seconds(self.own_wait_s)}; no gain is claimed, {why}"
        else:
            assert self.gain is not None
            verdict = "" if self.tells else ", so no gain is claimed"
            text += f", ours {show_seconds(self.own_wait_s)} ({signed(self.gain)}); "
            text += f"the model's error {signed(self.error)}{verdict}"
        return f"{text}; {self.open:,} of {self.jobs:,} jobs still wait or run in one of the two queues"
