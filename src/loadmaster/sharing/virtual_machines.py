"""Virtual machines on physical ones, each with a guaranteed minimum, a maximum and a share of the CPU."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats, Longs, frozen_floats, frozen_longs
from loadmaster.model.errors import InputError


@dataclass(frozen=True, eq=False)
class VirtualMachines:
    """V virtual machines (VMs) on P physical machines (PMs) of capacity 1; a VM holds at most one task (rule V1).

    Attributes:
        first: int64[P + 1], VMs of machine p are numbered first[p] up to first[p + 1].
        low: float64[V], what each is guaranteed.
        high: float64[V], what each gets at most, no more than its machine has.
        share: float64[V], relative claim on what is free, more than 0.

    Raises:
        InputError: a minimum above the maximum, a maximum of 0 or above 1, or a share that is not more than zero.

    Example:
        >>> vms = VirtualMachines.alike(64, shares=(1, 1, 2, 4))
        >>> vms.machines, vms.count, vms.machine_of(5)
        (64, 256, 1)
    """

    first: Longs
    low: Floats
    high: Floats
    share: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", frozen_longs(self.first))
        for column in ("low", "high", "share"):
            object.__setattr__(self, column, frozen_floats(getattr(self, column)))
        for column, bad, rule in (
            ("low", ~(self.low >= 0) | (self.low > self.high), "a minimum lies between 0 and the maximum"),
            ("high", ~(self.high > 0) | (self.high > 1.0), "a maximum is more than 0 and at most 1, the whole machine"),
            ("share", ~(self.share > 0), "a share is more than zero"),
        ):
            if bad.any():
                vm = int(np.argmax(bad))
                raise InputError(getattr(self, column)[vm], rule, where=f"VM {vm}")

    @classmethod
    def alike(
        cls, machines: int, shares: Sequence[float], low: Sequence[float] = (), high: Sequence[float] = ()
    ) -> "VirtualMachines":
        """Equal machines; the VMs of each have these shares, minima (0) and maxima (1)."""
        each = len(shares)
        return cls(
            np.arange(machines + 1) * each,
            np.tile(low or [0.0] * each, machines),
            np.tile(high or [1.0] * each, machines),
            np.tile(np.asarray(shares, float), machines),
        )

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
