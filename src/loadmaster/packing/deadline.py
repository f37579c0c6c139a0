"""A deadline: the moment at which a search must stop, on the clock that leaves compilations out."""

from dataclasses import dataclass

from loadmaster.jit.first_compilation import FIRST_TIME


@dataclass(frozen=True)
class Deadline:
    """A search looks at it between two slices of work, each a small part of a second long.

    Attributes:
        ends_s: the clock's seconds at which the time is up.
    """

    ends_s: float

    @classmethod
    def after(cls, limit_s: float) -> "Deadline":
        """The deadline `limit_s` seconds from now."""
        return cls(FIRST_TIME.clock_s() + limit_s)

    def left_s(self) -> float:
        """Seconds that are left; below 0 when the time is up."""
        return self.ends_s - FIRST_TIME.clock_s()

    def passed(self) -> bool:
        """The time is up."""
        return self.left_s() <= 0

    def share(self, part: float) -> "Deadline":
        """The deadline after `part` of the time that is left."""
        return Deadline.after(self.left_s() * part)
