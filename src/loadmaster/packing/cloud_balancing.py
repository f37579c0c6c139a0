"""OptaPlanner's cloud balancing: computers with prices, and processes with CPU, memory and network, in JSON."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.costs import HostPrice
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.traces.files import utf8_of

_ASKED = ("requiredCpuPower", "requiredMemory", "requiredNetworkBandwidth")
_OFFERED = ("cpuPower", "memory", "networkBandwidth")


class CloudBalancing(NamedTuple):
    """C computers and P processes.

    Attributes:
        cluster: the computers.
        demand: float64[P, 3], cores, memory and network of each process.
        names: of the processes.
        price: float64[C], of each computer.
        host: int64[P], the computer of each process; -1 for none.
    """

    cluster: Cluster
    demand: Floats
    names: tuple[str, ...]
    price: Floats
    host: Longs


def read_cloud_balancing(path: Path) -> CloudBalancing:
    """The computers, their prices, and the processes.

    Raises:
        InputError: the file cannot be read or is none of OptaPlanner's.
    """
    text = utf8_of(path)
    try:
        document = json.loads(text)
        computers, processes = document["computerList"], document["processList"]
        offered = np.array([[c[name] for name in _OFFERED] for c in computers], float).reshape(-1, 3)
        asked = np.array([[p[name] for name in _ASKED] for p in processes], float).reshape(-1, 3)
        hosts, names = tuple(str(c["id"]) for c in computers), tuple(str(p["id"]) for p in processes)
        price = np.array([c.get("cost", 0) for c in computers], float)
        host = _computers(processes, hosts)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        fix = (
            "give the output of `kubectl get nodes,pods,pdb,pvc,pv -A -o json`, or a table of tasks with a column host"
        )
        raise InputError(
            path.name,
            "neither a state of Kubernetes nor a cloud balancing file of OptaPlanner",
            fix=fix,
            where=str(path),
        ) from None
    bad = ~(np.isfinite(asked) & (asked >= 0))
    if bad.any():
        process, what = np.argwhere(bad)[0]
        rule = f"{_ASKED[what]} of process {names[process]} must be zero or more"
        raise InputError(f"{asked[process, what]:g}", rule, where=str(path))
    return CloudBalancing(Cluster((CORES, MEMORY, "network"), offered, hosts), asked, names, price, host)


def _computers(processes: list[dict[str, Any]], hosts: tuple[str, ...]) -> Longs:
    """int64[P], the number of each process's computer; -1 for none."""
    number = {name: at for at, name in enumerate(hosts)}
    given = [process.get("computer") for process in processes]
    named = [each["id"] if isinstance(each, dict) else each for each in given]
    return np.array([-1 if name is None else number[str(name)] for name in named], np.int64)


def is_cloud_balancing(path: Path) -> bool:
    """Whether the file is JSON with computers and processes as OptaPlanner writes them; the names at its begin tell."""
    return path.suffix == ".json" and path.is_file() and '"computerList"' in utf8_of(path)


def cloud_balancing_problem(path: Path) -> ConstrainedProblem:
    """The file with its capacities as constraints and the price of the computers in use as the cost (rule B4).

    Raises:
        InputError: the file cannot be read, is none of OptaPlanner's, or has an amount that is no whole number.
    """
    read = read_cloud_balancing(path)
    for what, values in (
        ("amount", read.demand),
        ("amount", read.cluster.capacity),
        ("cost of a computer", read.price),
    ):
        bad: Bools = ~((values >= 0) & (values == np.floor(values)) & (values < 1 << 53))
        if bad.any():
            rule = f"each {what} must be a whole number of zero or more"
            raise InputError(f"{values[bad][0]:g}", rule, where=str(path))
    names = tuple(f"process {name}" for name in read.names)
    return ConstrainedProblem(
        read.cluster.resources,
        read.demand.astype(np.int64),
        read.cluster.capacity.astype(np.int64),
        read.host,
        (Capacity(np.zeros(3, np.bool_)),),
        (HostPrice("price of computers in use", read.price.astype(np.int64)),),
        names,
        tuple(f"computer {name}" for name in read.cluster.names),
        path.name,
    )
