"""What a migration costs: the task stands still while its memory travels."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError


class TaskMove(NamedTuple):
    """Task `task` goes to `host`."""

    task: int
    host: int


@dataclass(frozen=True)
class MigrationCost:
    """How long a moved task stands still: free by default, as in Amir et al. 2000.

    Attributes:
        pause_s: for every migration.
        memory_per_s: amount of memory that the link carries in a second, in the cluster's unit; infinite by default.

    Example:
        >>> MigrationCost(pause_s=0.5, memory_per_s=100.0).seconds(150.0)
        2.0
    """

    pause_s: float = 0.0
    memory_per_s: float = math.inf

    def __post_init__(self) -> None:
        if not self.pause_s >= 0 or not self.memory_per_s > 0:
            raise InputError(
                f"{self.pause_s}, {self.memory_per_s}", "a pause is zero or more seconds, a bandwidth more than zero"
            )

    def seconds(self, memory: float) -> float:
        """Seconds that a task with so much memory stands still."""
        return self.pause_s + memory / self.memory_per_s

    def of(self, demand: Floats) -> Floats:
        """float64[J]: the same for every row of float64[J, R]; a single resource means no memory."""
        memory = demand[:, 1] if demand.shape[1] > 1 else demand[:, 0] * 0.0
        return self.pause_s + memory / self.memory_per_s
