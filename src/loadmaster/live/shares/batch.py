"""What is to run under CPU shares: commands, each with what it requests, and the machines that they run on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Batch:
    """C commands for H machines; a command is called by its number, from "1".

    Attributes:
        commands: for a shell.
        names: for a person, one each.
        demand: float64[C, R] over the resources of `machines`; the first is the CPU in cores.
        machines: with their names; one of speed s has s of the time of each of its cores.

    Raises:
        InputError: a command requests no CPU, or more of the rest than any machine has.
    """

    commands: tuple[str, ...]
    names: tuple[str, ...]
    demand: Floats
    machines: Cluster

    def __post_init__(self) -> None:
        for row, name in enumerate(self.names):
            if not self.demand[row, 0] > 0:
                raise InputError(self.demand[row, 0], f"command {name} needs a part of a core", fix="such as 0.5")
            fits = (self.demand[row, 1:] <= self.machines.capacity[:, 1:]).all(axis=1)
            if not fits.any():
                fix = "let it request less, or give larger --hosts"
                raise InputError(name, "this command finds room on no machine, even an empty one", fix=fix)

    @property
    def ids(self) -> tuple[str, ...]:
        """What the engine calls the commands."""
        return tuple(str(row + 1) for row in range(len(self.commands)))

    @property
    def power(self) -> Floats:
        """float64[H]: cores x speed, the CPU seconds that each machine has in a second."""
        assert self.machines.speed is not None
        return np.asarray(self.machines.capacity[:, 0] * self.machines.speed)

    @property
    def kind(self) -> Ints:
        """int32[H]: equal machines have equal numbers."""
        rows = np.column_stack((self.machines.capacity, self.power))
        return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)

    def plain(self) -> dict[str, Any]:
        """As a record holds it."""
        machines = self.machines
        assert machines.speed is not None
        return {
            "commands": list(self.commands),
            "names": list(self.names),
            "demand": self.demand.tolist(),
            "resources": list(machines.resources),
            "machines": list(machines.names),
            "capacity": machines.capacity.tolist(),
            "speed": machines.speed.tolist(),
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> "Batch":
        """The batch that `plain` wrote."""
        machines = Cluster(
            tuple(plain["resources"]), np.array(plain["capacity"]), tuple(plain["machines"]), np.array(plain["speed"])
        )
        return cls(tuple(plain["commands"]), tuple(plain["names"]), np.array(plain["demand"]), machines)
