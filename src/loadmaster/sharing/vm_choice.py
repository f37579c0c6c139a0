"""Which idle VMs a job gets: the policies of Delgado 2011, one function each (rules V6 to V10).

Capacities are compared in cores of speed 1, so that a VM of a faster machine is worth more. All rank incrementally: a
VM just chosen counts as busy at its maximum when the next is ranked. Two values closer than `MARGIN` tie, and ties go
to the lower number, so that rounding in the speeds decides nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.sharing.capacity import equilibrium_capacity, free_capacity, potential_capacity
from loadmaster.sharing.virtual_machines import VirtualMachines

MARGIN = 1e-7


@dataclass
class VmBoard:
    """The VMs while one job chooses. A copy, changed by `take`.

    Attributes:
        demand: float64[V], cores that each VM uses.
        busy: bool[V].
        most: float64[V], cores that the task on each VM can use.
        asks: cores that a task of the job can use.
    """

    vms: VirtualMachines
    demand: Floats
    busy: Bools
    most: Floats = field(default_factory=lambda: np.zeros(0))
    asks: float = np.inf

    def __post_init__(self) -> None:
        if not len(self.most):
            self.most = np.full(self.vms.count, np.inf)

    def copy(self) -> "VmBoard":
        """A board to try things on."""
        return replace(self, demand=self.demand.copy(), busy=self.busy.copy(), most=self.most.copy())

    def take(self, vm: int) -> None:
        """Count `vm` as busy at its maximum."""
        self.demand[vm] = min(self.asks, self.vms.high[vm])
        self.most[vm] = self.asks
        self.busy[vm] = True

    def potential(self, vm: int) -> float:
        """PC of `vm` in cores of speed 1: how fast a task of the job would go there."""
        return potential_capacity(self.vms, self.demand, vm, self.asks) * self.speed(vm)

    def equilibrium(self, vm: int) -> float:
        """EC of `vm`, in the same unit."""
        return equilibrium_capacity(self.vms, self.busy, vm, self.most, self.asks) * self.speed(vm)

    def entitlement(self, vm: int) -> float:
        """EC of `vm` if all VMs of its machine, idle ones too, requested their maximum."""
        everybody = np.ones(self.vms.count, dtype=bool)
        return equilibrium_capacity(self.vms, everybody, vm, wants=self.asks) * self.speed(vm)

    def harmless(self, vm: int) -> bool:
        """Whether `vm` would take nothing from others: its PC is not above what its machine has left."""
        alone = potential_capacity(self.vms, self.demand, vm, self.asks)
        return alone <= free_capacity(self.vms, self.demand, vm) + MARGIN

    def speed(self, vm: int) -> float:
        """Of a core of the machine of `vm`."""
        return float(self.vms.speed[self.vms.machine_of(vm)])

    def idle(self) -> list[int]:
        """The VMs that may be chosen."""
        return [int(vm) for vm in np.flatnonzero(~self.busy)]


def speed_at_first(board: VmBoard, chosen: list[int]) -> float:
    """The speed of a job on these idle VMs before its neighbours make room for it."""
    trial = board.copy()
    for vm in chosen:
        trial.take(vm)
    return min(trial.potential(vm) for vm in chosen)


Choice = Callable[[VmBoard, int], list[int]]
"""choose(board, tasks) -> the VMs for a job's tasks; called only if so many are idle; may change the board."""


def potential_greedy(board: VmBoard, tasks: int) -> list[int]:
    """PC-g: one after another the idle VM with the largest PC (rule V7)."""
    return _greedily(board, tasks, board.potential)


def equilibrium_greedy(board: VmBoard, tasks: int) -> list[int]:
    """EC: one after another the idle VM with the largest EC (rule V7)."""
    return _greedily(board, tasks, board.equilibrium)


def entitlement_greedy(board: VmBoard, tasks: int) -> list[int]:
    """EC with all VMs of a machine for competitors, idle ones too (rule V2, `ec-all`).

    It is a constant of the VM, so equal VMs all tie and a job crowds on the first machines: here to show that.
    """
    return _greedily(board, tasks, board.entitlement)


def potential_semigreedy(board: VmBoard, tasks: int) -> list[int]:
    """PC-sg: as slow VMs as do not slow the job, so that faster ones stay for smaller jobs (rule V8).

    The greedy choice shows the speed that the job can reach. Then take the VM with the least PC that still lets
    it, and all taken on its machine, reach that.
    """
    greedy_board = board.copy()
    greedy = potential_greedy(greedy_board, tasks)
    if tasks == 1:
        return greedy
    reachable = min(greedy_board.potential(vm) for vm in greedy) - MARGIN
    chosen: list[int] = []
    while len(chosen) < tasks:
        vm = _slowest_that_reaches(board, chosen, reachable)
        if vm < 0:
            return greedy
        board.take(vm)
        chosen.append(vm)
    return chosen


def potential_semigreedy_free(board: VmBoard, tasks: int) -> list[int]:
    """PCFC-sg: as PC-sg, but a serial job goes where it takes nothing from others, if it can (rule V9)."""
    if tasks > 1:
        return potential_semigreedy(board, tasks)
    harmless = [vm for vm in board.idle() if board.harmless(vm)]
    return [_largest(harmless or board.idle(), board.potential)]


def fewest_active(board: VmBoard, tasks: int) -> list[int]:
    """PMVM: the machine with the fewest active VMs, then the largest share (rule V10)."""

    def value(vm: int) -> float:
        beside = board.vms.beside(vm)
        return float(-1e6 * board.busy[beside].sum() + board.vms.share[vm])

    return _greedily(board, tasks, value)


VM_CHOICES: dict[str, tuple[Choice, str, str]] = {
    "pc-g": (potential_greedy, "highest potential capacity first", "Delgado 2011"),
    "pc-sg": (potential_semigreedy, "lowest potential capacity that does not slow the job", "Delgado 2011"),
    "pcfc-sg": (potential_semigreedy_free, "pc-sg; serial jobs where they take nothing from others", "Delgado 2011"),
    "ec": (equilibrium_greedy, "highest equilibrium capacity first", "Delgado 2011"),
    "pmvm": (fewest_active, "machine with the fewest active VMs, then the largest share", "Delgado 2011"),
    "ec-all": (entitlement_greedy, "ec against idle VMs too, which ranks equal VMs equally", "Delgado 2011"),
}
"""Every choice by its name: function, summary, source."""


def _greedily(board: VmBoard, tasks: int, value: Callable[[int], float]) -> list[int]:
    chosen = []
    for _ in range(tasks):
        vm = _largest(board.idle(), value)
        board.take(vm)
        chosen.append(vm)
    return chosen


def _largest(candidates: list[int], value: Callable[[int], float]) -> int:
    best, best_value = -1, -np.inf
    for vm in candidates:
        worth = value(vm)
        if worth > best_value + MARGIN:
            best, best_value = vm, worth
    return best


def _slowest_that_reaches(board: VmBoard, chosen: list[int], reachable: float) -> int:
    best, best_value = -1, np.inf
    for vm in board.idle():
        worth = board.potential(vm)
        if worth < reachable or worth >= best_value - MARGIN:
            continue
        trial = board.copy()
        trial.take(vm)
        beside = board.vms.beside(vm)
        if all(trial.potential(other) >= reachable for other in chosen if other in range(beside.start, beside.stop)):
            best, best_value = vm, worth
    return best
