"""The machine reassignment of the ROADEF/EURO challenge 2012: machines, services, processes and where they run."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.traces.files import utf8_of


@dataclass(frozen=True, eq=False)
class Reassignment:
    """A model, with the assignment beside it.

    Attributes:
        cluster: the machines; resources are `cores` (the first), `resource1`, ...
        demand: float64[P, R], what each process requires.
        host: int32[P], where it runs; None where there is no assignment beside the model.
        notes: what of the model has no word here, counted.
    """

    cluster: Cluster
    demand: Floats
    host: Ints | None
    notes: tuple[str, ...]


def is_reassignment(path: Path) -> bool:
    """Whether the name is one of the challenge's models.

    Example:
        >>> is_reassignment(Path("model_a1_1.txt"))
        True
    """
    return path.name.startswith("model_") and path.suffix == ".txt"


def read_reassignment(path: Path) -> Reassignment:
    """Read `model_X.txt`, and `assignment_X.txt` beside it if it is there.

    Raises:
        InputError: a file cannot be read, is none of the challenge, or breaks off.
    """
    numbers = _Numbers(path)
    resources = numbers.table(numbers.count("resources"), 2)
    machines_at = numbers.count("machines")
    kinds = len(resources)
    machines = numbers.table(machines_at, 2 + 2 * kinds + machines_at)
    capacity, safety = machines[:, 2 : 2 + kinds], machines[:, 2 + kinds : 2 + 2 * kinds]
    spread = depends = 0
    services = numbers.count("services")
    for _ in range(services):
        least, needs = numbers.take(2)
        numbers.take(int(needs))
        spread, depends = spread + (least > 1), depends + int(needs)
    processes = numbers.table(numbers.count("processes"), 2 + kinds)
    service, demand = processes[:, 0], processes[:, 1 : 1 + kinds]
    together = len(service) - len(np.unique(service))
    not_kept = {
        f"{together} processes share a service with others and must be on machines of their own": together,
        f"{spread} services must be spread over several locations": spread,
        f"{depends} dependencies between services bind neighbourhoods": depends,
        f"{int((resources[:, 0] != 0).sum())} resources are held on both machines while a process moves": bool(
            resources[:, 0].any()
        ),
        "safety capacities, balance targets and costs of moves other than their number": bool((safety > 0).any()),
    }
    notes = tuple(f"not kept of this model: {words}" for words, there in not_kept.items() if there)
    names = ("cores", *(f"resource{number}" for number in range(1, kinds)))
    cluster = Cluster(names, capacity.astype(float), tuple(f"m{number}" for number in range(machines_at)))
    beside = path.with_name(path.name.replace("model_", "assignment_", 1))
    host = _assigned(beside, len(demand), machines_at) if beside.is_file() else None
    return Reassignment(cluster, demand.astype(float), host, notes)


def _assigned(path: Path, processes: int, machines: int) -> Ints:
    numbers = _Numbers(path)
    host = numbers.take(processes)
    if host.size and not (host.min() >= 0 and host.max() < machines):
        raise InputError(int(host.max()), f"a machine is a number from 0 to {machines - 1}", where=str(path))
    return host.astype(np.int32)


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
        (found,) = self.take(1).tolist()
        if found < 1:
            raise InputError(found, f"there must be {what}", where=str(self._path))
        return int(found)

    def table(self, rows: int, columns: int) -> Longs:
        """So many rows."""
        return self.take(rows * columns).reshape(rows, columns)
