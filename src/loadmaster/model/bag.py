"""A bag: independent tasks of which any may run at any time, and a law from which bags are drawn."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from loadmaster.model.arrays import Bools, Floats, frozen_floats
from loadmaster.model.errors import InputError
from loadmaster.model.units import LATEST_S


class BagSource(Protocol):
    """Where the bags of repeated simulations come from: a measured bag, or a law."""

    @property
    def tasks(self) -> int:
        """Number of tasks, N."""

    @property
    def source(self) -> str:
        """Where the durations come from, shown with every result."""

    @property
    def synthetic(self) -> bool:
        """Drawn from a law instead of measured."""

    def draw(self, rng: np.random.Generator) -> Floats:
        """float64[N]: durations in the order in which the tasks are handed out."""


@dataclass(frozen=True, eq=False)
class Bag:
    """N independent tasks.

    Attributes:
        duration_s: float64[N], seconds on a machine of speed 1, more than 0; NaN if unknown.
        source: where the durations come from.
        synthetic: made by a generator; every result shows this.

    Raises:
        InputError: no tasks, a duration that is zero or less, or one so long that no clock would show their end.

    Example:
        >>> Bag(np.array([60.0, 30.0, np.nan])).known.tolist()
        [60.0, 30.0]
    """

    duration_s: Floats
    source: str = ""
    synthetic: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "duration_s", frozen_floats(self.duration_s))
        if self.duration_s.ndim != 1:
            raise InputError(self.duration_s.shape, "durations are one column", where=self.source)
        if self.tasks == 0:
            raise InputError("no durations", "a bag needs at least one task", where=self.source)
        bad: Bools = ~np.isnan(self.duration_s) & ~((self.duration_s > 0) & np.isfinite(self.duration_s))
        if bad.any():
            task = int(np.argmax(bad))
            raise InputError(
                self.duration_s[task],
                f"duration of task {task + 1} must be more than 0 s",
                fix="leave it empty if it is unknown",
                where=self.source,
            )
        _refuse_beyond_clocks(float(self.known.max(initial=0.0)), self.tasks, self.source)

    @property
    def tasks(self) -> int:
        """Number of tasks, N."""
        return int(self.duration_s.shape[0])

    @property
    def known(self) -> Floats:
        """The durations that are known."""
        return np.asarray(self.duration_s[~np.isnan(self.duration_s)])

    def draw(self, rng: np.random.Generator) -> Floats:
        """A random order of the tasks; an unknown duration is drawn from the known ones.

        Raises:
            InputError: nothing is known.
        """
        known = self.known
        if known.size == 0:
            raise InputError(f"{self.tasks} tasks", "no duration is known", fix="give a guess, such as --guess 5min")
        filled = np.where(np.isnan(self.duration_s), rng.choice(known, self.tasks), self.duration_s)
        return np.asarray(rng.permutation(filled))


def _refuse_beyond_clocks(longest_s: float, tasks: int, source: str) -> None:
    if longest_s > LATEST_S / tasks:
        rule = f"{tasks} tasks of it end after {LATEST_S:.3g} s, beyond any clock"
        raise InputError(f"{longest_s:.3g} s", rule, fix="durations are in seconds", where=source)


LAWS: dict[str, tuple[str, ...]] = {
    "normal": ("mean_s", "sd_s"),
    "lognormal": ("median_s", "sigma"),
    "exponential": ("mean_s",),
    "uniform": ("low_s", "high_s"),
    "constant": ("each_s",),
    "bimodal": ("short_s", "long_s", "long_share"),
}
"""The laws a bag may be drawn from, and their parameters. `bimodal`: two lognormal humps of sigma 0.35."""


@dataclass(frozen=True)
class BagLaw:
    """A law from which every repetition draws a new bag.

    Attributes:
        law: a name in `LAWS`.
        parameters: numbers, as `LAWS` names them; seconds.
        tasks: number of tasks, 1 or more.

    Example:
        >>> BagLaw("normal", (150.0, 30.0), 256).draw(np.random.default_rng(1)).shape
        (256,)
    """

    law: str
    parameters: tuple[float, ...]
    tasks: int

    def __post_init__(self) -> None:
        if self.law not in LAWS:
            raise InputError(self.law, "no such law of durations", fix=f"known: {', '.join(LAWS)}")
        if len(self.parameters) != len(LAWS[self.law]):
            raise InputError(self.source, f"{self.law} needs {', '.join(LAWS[self.law])}")
        if self.tasks < 1:
            raise InputError(self.tasks, "a bag needs at least one task")
        first, *others = self.parameters
        if not first > 0 or any(other < 0 for other in others):
            raise InputError(self.source, "durations must be more than 0 s")
        named = zip(LAWS[self.law], self.parameters, strict=True)
        _refuse_beyond_clocks(max(value for name, value in named if name.endswith("_s")), self.tasks, self.source)
        if self.law == "bimodal" and self.parameters[2] > 1:
            raise InputError(self.parameters[2], "long_share must lie between 0 and 1")
        if self.law == "uniform" and self.parameters[1] < first:
            raise InputError(self.source, "high_s must not lie below low_s")

    @property
    def source(self) -> str:
        """The law as a user would write it."""
        return f"{self.law}({','.join(f'{p:g}' for p in self.parameters)})x{self.tasks}"

    @property
    def synthetic(self) -> bool:
        """Always: the durations are drawn."""
        return True

    def draw(self, rng: np.random.Generator) -> Floats:
        """float64[N], a new population; draws of zero or less are drawn again."""
        values = self._raw(rng, self.tasks)
        while (bad := values <= 0).any():
            values[bad] = self._raw(rng, int(bad.sum()))
        return values

    def _raw(self, rng: np.random.Generator, size: int) -> Floats:
        p = self.parameters
        if self.law == "normal":
            return rng.normal(p[0], p[1], size)
        if self.law == "lognormal":
            return p[0] * rng.lognormal(0.0, p[1], size)
        if self.law == "exponential":
            return rng.exponential(p[0], size)
        if self.law == "uniform":
            return rng.uniform(p[0], p[1], size)
        if self.law == "bimodal":
            median = np.where(rng.random(size) < p[2], p[1], p[0])
            return np.asarray(median * rng.lognormal(0.0, 0.35, size))
        return np.full(size, p[0])
