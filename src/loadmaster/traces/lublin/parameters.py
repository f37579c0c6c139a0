"""The published parameters of Lublin and Feitelson 2003, for each class of jobs."""

from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.errors import InputError


@dataclass(frozen=True)
class JobSizes:
    """Sizes of jobs: serial, a power of two, or any whole number; log2 of a parallel size is uniform in two stages.

    Attributes:
        serial: probability of one node.
        power_of_two: probability, of all jobs, that log2 of the size is rounded to a whole number.
        low, middle, high: log2 of the size, where the first stage begins, where the second begins, where it ends.
        first: probability of the first stage.
    """

    serial: float
    power_of_two: float
    low: float
    middle: float
    high: float
    first: float


@dataclass(frozen=True)
class JobRuntimes:
    """The natural logarithm of the runtime in seconds is hyper-gamma: of two gamma distributions one is chosen.

    Attributes:
        shape, scale: of the first and of the second gamma distribution.
        per_node, at_zero: the first is chosen with probability `per_node` x nodes + `at_zero`, cut to [0, 1].
    """

    shape: tuple[float, float]
    scale: tuple[float, float]
    per_node: float
    at_zero: float


@dataclass(frozen=True)
class JobArrivals:
    """The time between arrivals in the rush hours, and the daily cycle.

    Attributes:
        shape, scale: of the gamma distribution of the natural logarithm of the time between arrivals, in seconds.
        all_day: factor on `shape` that makes a time of the rush hours one of the whole day.
        cycle_shape, cycle_scale: of the gamma distribution of the moment of arrival, in half hours after midnight.
    """

    shape: float
    scale: float
    all_day: float
    cycle_shape: float
    cycle_scale: float


@dataclass(frozen=True)
class JobClass:
    """All that the model says of one class of jobs.

    Attributes:
        middle_below, high_below: log2, how far `sizes.middle` lies below `sizes.high`, and `sizes.high` below the
            largest size of the system.
    """

    sizes: JobSizes
    runtimes: JobRuntimes
    arrivals: JobArrivals
    middle_below: float
    high_below: float = 0.0

    def on(self, nodes: int) -> "JobClass":
        """The same for a system of so many nodes; the published parameters are for 128.

        Raises:
            InputError: the system is so small that the two stages of sizes have no room.
        """
        high = float(np.log2(nodes)) - self.high_below
        middle = high - self.middle_below
        if middle < self.sizes.low:
            raise InputError(nodes, "too few cores for the model's two stages of sizes", fix="give 32 cores or more")
        return replace(self, sizes=replace(self.sizes, middle=middle, high=high))


NODES = 128
"""Nodes of the system of the published parameters."""
LONGEST_LOG_RUNTIME = 12.0
"""A runtime of more than exp(12) s, some 45 hours, is drawn again."""
LONGEST_LOG_INTERARRIVAL = 13.0
"""A time between arrivals of more than exp(13) s, some 5 days, is drawn again."""

BATCH = JobClass(
    JobSizes(0.2927, 0.6686, 1.2, 5.0, 7.0, 0.875),
    JobRuntimes((6.57, 639.1), (0.823, 0.0156), -0.003, 0.6986),
    JobArrivals(6.0415, 0.8531, 1.0519, 6.1271, 5.2740),
    middle_below=2.0,
)
INTERACTIVE = JobClass(
    JobSizes(0.1541, 0.625, 1.0, 3.0, 5.5, 0.705),
    JobRuntimes((3.8351, 7.073), (0.6605, 0.6856), -0.0118, 0.9156),
    JobArrivals(6.5510, 0.6621, 0.9797, 8.9186, 3.6680),
    middle_below=2.5,
    high_below=1.5,
)
ALL_JOBS = JobClass(
    JobSizes(0.244, 0.576, 0.8, 4.5, 7.0, 0.86),
    JobRuntimes((4.2, 312.0), (0.94, 0.03), -0.0054, 0.78),
    JobArrivals(10.2303, 0.4871, 1.0225, 8.1737, 3.9631),
    middle_below=2.5,
)
"""The whole sample, jobs of no class."""
