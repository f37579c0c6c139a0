"""The machine reassignment of the ROADEF/EURO challenge 2012: machines, services, processes and where they run."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.packing.constrained.constraints import (
    Apart,
    Capacity,
    PlacementConstraint,
    SpreadOver,
    Together,
)
from loadmaster.packing.constrained.costs import (
    BalanceCost,
    GroupMoveCost,
    HostMoveCost,
    LoadCost,
    PlacementCost,
    TaskMoveCost,
)
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.system.whole_file import write_whole
from loadmaster.traces.files import utf8_of


@dataclass(frozen=True, eq=False)
class Reassignment:
    """A model, with the assignment beside it: M machines, P processes of S services, R resources, B balance costs.

    Attributes:
        source: the name of the model's file.
        transient: bool[R]; load_weight: int64[R].
        neighbourhood, location: int64[M]; capacity, safety: int64[M, R]; machine_move_cost: int64[M, M].
        spread: int64[S], the least number of locations; depends: int64[N, 2], a service and one it depends on.
        service: int64[P]; requirement: int64[P, R]; process_move_cost: int64[P].
        balance: int64[B, 4]: first resource, second resource, target, weight.
        move_weights: int64[3], of process, service and machine move costs.
        host: int32[P], the machine of each process; None where there is no assignment beside the model.
    """

    source: str
    transient: Longs
    load_weight: Longs
    neighbourhood: Longs
    location: Longs
    capacity: Longs
    safety: Longs
    machine_move_cost: Longs
    spread: Longs
    depends: Longs
    service: Longs
    requirement: Longs
    process_move_cost: Longs
    balance: Longs
    move_weights: Longs
    host: Ints | None

    @property
    def resources(self) -> tuple[str, ...]:
        """Their names: `cores` for the first, `resource1`, ..."""
        return ("cores", *(f"resource{number}" for number in range(1, len(self.transient))))

    @cached_property
    def cluster(self) -> Cluster:
        """The machines alone, as `pack` sees them."""
        names = tuple(f"m{number}" for number in range(len(self.capacity)))
        return Cluster(self.resources, self.capacity.astype(float), names)

    @property
    def demand(self) -> Floats:
        """float64[P, R], what each process requires."""
        return self.requirement.astype(float)

    @property
    def notes(self) -> tuple[str, ...]:
        """What `pack` leaves out of the model, counted."""
        together, spread = len(self.service) - len(np.unique(self.service)), int((self.spread > 1).sum())
        left_out = {
            f"{together} processes share a service with others and must be on machines of their own": together,
            f"{spread} services must be spread over several locations": spread,
            f"{len(self.depends)} dependencies between services bind neighbourhoods": len(self.depends),
            f"{self.transient.sum()} resources are held on both machines while a process moves": self.transient.any(),
            "safety capacities, balance targets and costs of moves": (self.safety > 0).any(),
        }
        return tuple(f"not kept of this model: {words}" for words, there in left_out.items() if there)


def is_reassignment(path: Path) -> bool:
    """Whether the name is one of the challenge's models.

    Example:
        >>> is_reassignment(Path("model_a1_1.txt"))
        True
    """
    return path.name.startswith("model_") and path.suffix == ".txt"


def read_reassignment(path: Path, assignment: Path | None = None) -> Reassignment:
    """Read `model_X.txt`, and the assignment.

    Args:
        path: of the model.
        assignment: of the assignment; `assignment_X.txt` or `assignment_X.sol` beside the model if it is left out.

    Raises:
        InputError: a file cannot be read, is none of the challenge, or breaks off.
    """
    numbers = _Numbers(path)
    resources = numbers.table(numbers.count("resources"), 2)
    kinds, count = len(resources), numbers.count("machines")
    machines = numbers.table(count, 2 + 2 * kinds + count)
    spread, depends = _services(numbers)
    processes = numbers.table(numbers.count("processes"), 2 + kinds)
    balance, weights = _balance(numbers)
    numbers.end()
    host = _assignment(path, assignment, processes, count)
    read = Reassignment(
        path.name,
        resources[:, 0] != 0,
        resources[:, 1],
        machines[:, 0],
        machines[:, 1],
        machines[:, 2 : 2 + kinds],
        machines[:, 2 + kinds : 2 + 2 * kinds],
        machines[:, 2 + 2 * kinds :],
        spread,
        depends,
        processes[:, 0],
        processes[:, 1 : 1 + kinds],
        processes[:, 1 + kinds],
        balance,
        weights,
        host,
    )
    _check(read, path)
    return read


def _services(numbers: "_Numbers") -> tuple[Longs, Longs]:
    """The least number of locations of each service, and the pairs of services that depend."""
    spread, depends = [], []
    for service in range(numbers.count("services")):
        least, others = numbers.take(2).tolist()
        spread.append(least)
        depends += [(service, other) for other in numbers.take(others).tolist()]
    return np.array(spread, np.int64), np.array(depends, np.int64).reshape(-1, 2)


def _balance(numbers: "_Numbers") -> tuple[Longs, Longs]:
    """The balance costs and the weights of moves."""
    (count,) = numbers.take(1).tolist()
    return numbers.table(count, 4), numbers.take(3)


def _assignment(path: Path, given: Path | None, processes: Longs, machines: int) -> Ints | None:
    stem = path.with_name(path.name.replace("model_", "assignment_", 1))
    beside = [name for name in (stem, stem.with_suffix(".sol")) if name.is_file()]
    if given is None and not beside:
        return None
    file = given or beside[0]
    numbers = _Numbers(file)
    host = numbers.take(len(processes))
    numbers.end()
    if host.size and not (host.min() >= 0 and host.max() < machines):
        raise InputError(int(host.max()), f"a machine is a number from 0 to {machines - 1}", where=str(file))
    return host.astype(np.int32)


def _check(read: Reassignment, path: Path) -> None:
    services, kinds = len(read.spread), len(read.transient)
    for what, values, below in (
        ("service", read.service, services),
        ("service", read.depends, services),
        ("resource", read.balance[:, :2], kinds),
    ):
        if values.size and values.max() >= below:
            raise InputError(int(values.max()), f"a {what} is a number from 0 to {below - 1}", where=str(path))


def reassignment_problem(read: Reassignment) -> ConstrainedProblem:
    """The challenge's problem with all its constraints and costs (rule B4).

    Raises:
        InputError: there is no assignment beside the model.
    """
    if read.host is None:
        name = read.source.replace("model_", "assignment_", 1)
        raise InputError(read.source, "no assignment beside the model", fix=f"put {name} into the same folder")
    constraints = (Capacity(read.transient.astype(np.bool_)), *_service_constraints(read))
    return ConstrainedProblem(
        read.resources,
        read.requirement,
        read.capacity,
        read.host.astype(np.int64),
        constraints,
        tuple(_costs(read)),
        source=read.source,
    )


def _service_constraints(read: Reassignment) -> Iterator[PlacementConstraint]:
    machine = DomainLevel.of_hosts(len(read.capacity))
    location = DomainLevel("location", np.unique(read.location, return_inverse=True)[1].astype(np.int32))
    neighbourhood = DomainLevel("neighbourhood", np.unique(read.neighbourhood, return_inverse=True)[1].astype(np.int32))
    order = np.argsort(read.service, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(read.service, minlength=len(read.spread)))[:-1]
    groups = [TaskGroup(f"service {number}", tasks) for number, tasks in enumerate(np.split(order, ends))]
    for group, least in zip(groups, read.spread.tolist(), strict=True):
        if len(group.tasks) > 1:
            yield Apart(group, group, machine)
        if least > 0 and len(group.tasks):
            yield SpreadOver(group, location, least)
    for service, other in read.depends.tolist():
        if service != other and len(groups[service].tasks):
            yield Together(groups[service], groups[other], neighbourhood)


def _costs(read: Reassignment) -> Iterator[PlacementCost]:
    for r, weight in enumerate(read.load_weight.tolist()):
        if weight:
            yield LoadCost("load over safety capacity", r, read.safety[:, r], weight)
    for first, second, target, weight in read.balance.tolist():
        yield BalanceCost("balance", first, second, target, weight)
    process, service, machine = read.move_weights.tolist()
    yield TaskMoveCost("process moves", read.process_move_cost, process)
    yield GroupMoveCost("service moves", read.service, service)
    yield HostMoveCost("machine moves", read.machine_move_cost, machine)


def write_assignment(path: Path, host: Longs) -> None:
    """Write the machine of each process as the challenge's solution files have it: numbers on one line.

    Raises:
        OSError: the file cannot be written.
    """
    write_whole(path, " ".join(map(str, host.tolist())) + "\n")


class _Numbers:
    """The whole numbers of a file, taken one after another."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._all = np.array(utf8_of(path).split(), dtype=np.int64)
        except (ValueError, OverflowError):
            raise InputError(path.name, "this file has only whole numbers", where=str(path)) from None
        if self._all.size and self._all.min() < 0:
            raise InputError(int(self._all.min()), "every number is zero or more", where=str(path))
        self._at = 0

    def take(self, count: int) -> Longs:
        """The next so many."""
        if self._at + count > self._all.size:
            fix = "give the whole file of the challenge"
            raise InputError(self._path.name, f"it breaks off at number {self._all.size}", fix=fix)
        self._at += count
        return self._all[self._at - count : self._at]

    def count(self, what: str) -> int:
        """A number of things, at least one."""
        (number,) = self.take(1).tolist()
        if number < 1:
            raise InputError(number, f"there must be {what}", where=str(self._path))
        return int(number)

    def table(self, rows: int, columns: int) -> Longs:
        """So many rows."""
        return self.take(rows * columns).reshape(rows, columns)

    def end(self) -> None:
        """See that all were taken."""
        if self._at < self._all.size:
            rule = f"{self._all.size - self._at} numbers are left over at its end"
            raise InputError(self._path.name, rule, fix="give the file as the challenge has it")
