"""Virtual machines on physical ones, each with a guaranteed minimum, a maximum and a share of the CPU."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from loadmaster.model.arrays import Floats, Longs, frozen_floats, frozen_longs
from loadmaster.model.errors import InputError
from loadmaster.sharing.model import SharingModel, check_model
from loadmaster.sharing.water_filling import WaterFilling

LARGEST = 2.0**53
"""Of cores, speeds and shares: no sum or product of them is infinite."""


@dataclass(frozen=True, eq=False)
class VirtualMachines:
    """V virtual machines (VMs) on P physical machines (PMs); a VM holds at most one task (rule V1).

    Attributes:
        first: int64[P + 1], VMs of machine p are numbered first[p] up to first[p + 1].
        low: float64[V], cores that each is guaranteed.
        high: float64[V], cores that each gets at most, no more than its machine has.
        share: float64[V], relative claim on what is free, more than 0.
        cores: float64[P], of each machine; one if not given.
        speed: float64[P], of a core of each machine; 1 if not given.
        sharing: how a machine divides its cores among its VMs.

    Raises:
        InputError: a minimum above the maximum, a maximum of 0 or above the machine's cores, a share, a number of cores
            or a speed that is not more than zero or above 2**53, or no sharing model.

    Example:
        >>> vms = VirtualMachines.alike(64, shares=(1, 1, 2, 4))
        >>> vms.machines, vms.count, vms.machine_of(5)
        (64, 256, 1)
    """

    first: Longs
    low: Floats
    high: Floats
    share: Floats
    cores: Floats = field(default_factory=lambda: np.zeros(0))
    speed: Floats = field(default_factory=lambda: np.zeros(0))
    sharing: SharingModel = field(default_factory=WaterFilling)

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", frozen_longs(self.first))
        for column in ("cores", "speed"):
            if not len(getattr(self, column)):
                object.__setattr__(self, column, np.ones(self.machines))
        for column in ("low", "high", "share", "cores", "speed"):
            object.__setattr__(self, column, frozen_floats(getattr(self, column)))
        check_model(self.sharing)
        for column in ("cores", "speed", "share"):
            values = getattr(self, column)
            wrong = ~((values > 0) & (values <= LARGEST))
            if wrong.any():
                at = int(np.argmax(wrong))
                where = f"{'VM' if column == 'share' else 'machine'} {at}"
                raise InputError(values[at], f"{column} is more than 0 and at most 2**53", where=where)
        whole = self.cores[self.machine]
        for column, bad, rule in (
            ("low", ~(self.low >= 0) | (self.low > self.high), "a minimum lies between 0 and the maximum"),
            ("high", ~(self.high > 0) | (self.high > whole), "a maximum is more than 0 and at most the whole machine"),
        ):
            if bad.any():
                vm = int(np.argmax(bad))
                raise InputError(getattr(self, column)[vm], rule, where=f"VM {vm}")

    @classmethod
    def alike(
        cls, machines: int, shares: Sequence[float], low: Sequence[float] = (), high: Sequence[float] = ()
    ) -> "VirtualMachines":
        """Equal machines of one core; the VMs of each have these shares, minima (0) and maxima (1)."""
        each = len(shares)
        return cls(
            np.arange(machines + 1) * each,
            np.tile(low or [0.0] * each, machines),
            np.tile(high or [1.0] * each, machines),
            np.tile(np.asarray(shares, float), machines),
        )

    @classmethod
    def on(
        cls, cores: Floats, speed: Floats, shares: Sequence[float], sharing: SharingModel | None = None
    ) -> "VirtualMachines":
        """Machines of these `cores` and `speed`, float64[P]; the VMs of each have these shares and no other bounds."""
        each, machines = len(shares), len(cores)
        return cls(
            np.arange(machines + 1) * each,
            np.zeros(machines * each),
            np.repeat(cores, each),
            np.tile(np.asarray(shares, float), machines),
            cores,
            speed,
            sharing or WaterFilling(),
        )

    @property
    def power(self) -> float:
        """Cores of speed 1 that all machines together are worth."""
        return float(self.cores @ self.speed)

    @property
    def machine(self) -> Longs:
        """int64[V]: the physical machine of each VM."""
        return np.repeat(np.arange(self.machines), np.diff(self.first))

    @property
    def machines(self) -> int:
        """Number of physical machines, P."""
        return len(self.first) - 1

    @property
    def count(self) -> int:
        """Number of virtual machines, V."""
        return len(self.share)

    def machine_of(self, vm: int) -> int:
        """The physical machine of `vm`."""
        return int(np.searchsorted(self.first, vm, side="right")) - 1

    def beside(self, vm: int) -> slice:
        """The VMs of the machine on which `vm` is."""
        machine = self.machine_of(vm)
        return slice(int(self.first[machine]), int(self.first[machine + 1]))
