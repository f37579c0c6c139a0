"""Processor sharing: all tasks of a host progress alike, and slowly once its memory is over-committed."""

from dataclasses import dataclass

from loadmaster.model.errors import InputError


@dataclass(frozen=True)
class ProcessorSharing:
    """The sharing model of a time-shared host (Amir et al. 2000, section 2; rules S1 and S2).

    A task that asks for c cores runs c threads, and every thread gets the same part of the host's cores, at most
    one core. So all tasks of a host progress at one rate, whatever they ask: `limit x min(1, cores / load)` is
    water-filling with equal limits. With one core and tasks of one thread this is the paper's 1 / L.

    Attributes:
        thrash: the factor by which a host slows down once a resource other than the cores is over-committed.

    Example:
        >>> ProcessorSharing().rate(load=8.0, cores=1.0, speed=1.0, overcommitted=True)
        0.0125
    """

    thrash: float = 10.0

    def __post_init__(self) -> None:
        if not 1.0 <= self.thrash < float("inf"):
            raise InputError(self.thrash, "thrashing slows a host down, so its factor is a number, 1 or more")

    def rate(self, load: float, cores: float, speed: float, overcommitted: bool) -> float:
        """Seconds of work that each task completes in a second.

        Args:
            load: threads running on the host: the sum of the cores asked by its tasks.
            cores: cores of the host.
            speed: of one core; 1 for the speed in which work is counted.
            overcommitted: some resource other than the cores is asked for beyond what the host has.
        """
        alone = speed * min(1.0, cores / load) if load > 0.0 else speed
        return alone / self.thrash if overcommitted else alone
