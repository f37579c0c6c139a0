"""A deadline: the moment at which a search must stop, on the clock that leaves compilations out."""

import math
from dataclasses import dataclass, replace

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.system.interrupt import Interrupt


@dataclass(frozen=True)
class Deadline:
    """A search looks at it between two slices of work, each a small part of a second long.

    Attributes:
        ends_s: the clock's seconds at which the time is up.
        interrupt: Ctrl-C ends the time as well; None where it raises KeyboardInterrupt.
    """

    ends_s: float
    interrupt: Interrupt | None = None

    @classmethod
    def after(cls, limit_s: float, interrupt: Interrupt | None = None) -> "Deadline":
        """The deadline `limit_s` seconds from now."""
        return cls(FIRST_TIME.clock_s() + limit_s, interrupt)

    def left_s(self) -> float:
        """Seconds that are left; below 0 when the time is up."""
        return self.ends_s - FIRST_TIME.clock_s()

    def passed(self) -> bool:
        """The time is up."""
        return self.left_s() <= 0 or self.interrupted

    @property
    def interrupted(self) -> bool:
        """The user pressed Ctrl-C."""
        return self.interrupt is not None and self.interrupt.asked

    def before(self, seconds: float) -> "Deadline":
        """The deadline so many seconds earlier, for work that is to be done after the search."""
        return replace(self, ends_s=self.ends_s - seconds)

    def share(self, part: float) -> "Deadline":
        """The deadline after `part` of the time that is left."""
        return replace(self, ends_s=FIRST_TIME.clock_s() + self.left_s() * part)


NO_DEADLINE = Deadline(math.inf)
"""The time is never up."""
