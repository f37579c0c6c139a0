"""What machines cost: types with a price, a speed and a boot time, billed by units of time."""

import math
from dataclasses import dataclass

from loadmaster.model.errors import InputError

LONGEST_BOOT_S = 86400.0
"""A machine that takes longer to come up is a slip: of milliseconds, or of a column."""
_SLACK = 1e-9
"""Part of a unit by which a machine may pass its end through rounding alone."""


@dataclass(frozen=True)
class HostType:
    """A kind of machine that can be rented.

    Attributes:
        name: what the provider calls it.
        price_per_h: money for one hour; every started unit is charged whole.
        speed: work seconds done in one second; durations of a bag are for speed 1.
        boot_s: seconds from renting until it can take a task; they are charged.
        unit_s: the charging unit, seconds.
        minimum_s: the least that is charged for a machine, seconds; at least one unit is.
        interruptions_per_h: how often an hour the provider takes such a machine away (spot machines); 0: never.
        limit: how many may be rented at the same time.

    Example:
        >>> hourly = HostType("hourly", 1.0)
        >>> hourly.cost(10), hourly.cost(3600), hourly.cost(3601), hourly.paid_left_s(600)
        (1.0, 1.0, 2.0, 3000.0)
    """

    name: str = "hour"
    price_per_h: float = 1.0
    speed: float = 1.0
    boot_s: float = 0.0
    unit_s: float = 3600.0
    minimum_s: float = 0.0
    interruptions_per_h: float = 0.0
    limit: int = 1_000_000

    def __post_init__(self) -> None:
        for field in ("price_per_h", "speed", "unit_s"):
            self._check(field, above=True)
        for field in ("boot_s", "minimum_s", "interruptions_per_h"):
            self._check(field, above=False)
        if self.boot_s > LONGEST_BOOT_S:
            rule = f"boot_s of machine type {self.name} must be a day ({LONGEST_BOOT_S:.0f}) or less"
            raise InputError(self.boot_s, rule, fix="it is in seconds")
        if self.limit < 1:
            raise InputError(self.limit, f"limit of machine type {self.name} must be 1 or more")

    def units(self, age_s: float) -> float:
        """Units charged for a machine given back at age `age_s`: `max(1, minimum, age rounded up)`."""
        least = max(1.0, float(math.ceil(self.minimum_s / self.unit_s - _SLACK)))
        return max(least, float(math.ceil(age_s / self.unit_s - _SLACK)))

    def cost(self, age_s: float) -> float:
        """Money charged for a machine given back at age `age_s`."""
        return self.units(age_s) * self.unit_price

    @property
    def unit_price(self) -> float:
        """Money for one charging unit."""
        return self.price_per_h * self.unit_s / 3600.0

    def paid_left_s(self, age_s: float) -> float:
        """Seconds until a machine of age `age_s` starts a new charged unit; 0 if it starts one now."""
        return max(0.0, self.units(age_s) * self.unit_s - age_s)

    def _check(self, field: str, above: bool) -> None:
        value = getattr(self, field)
        if not math.isfinite(value) or value < 0 or (above and value == 0):
            rule = "more than zero" if above else "zero or more"
            raise InputError(value, f"{field} of machine type {self.name} must be {rule}")
