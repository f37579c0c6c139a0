"""OptaPlanner's cloud balancing: computers and processes with CPU, memory and network, in JSON."""

import json
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats
from loadmaster.model.units import CORES, MEMORY
from loadmaster.traces.files import utf8_of

_ASKED = ("requiredCpuPower", "requiredMemory", "requiredNetworkBandwidth")
_OFFERED = ("cpuPower", "memory", "networkBandwidth")

_AS_TABLE = (
    """make it one: jq -r '["name","cores","memory_bytes","host"],(.[]|select(.vmid)|[.name,.maxcpu,.maxmem,.node])|"""
    """@csv' FILE; give the nodes with --hosts"""
)


def read_cloud_balancing(path: Path) -> tuple[Cluster, Floats, tuple[str, ...]]:
    """The computers, float64[T, 3]: what each process asks for, and the names of the processes; costs are left out.

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
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        if '"vmid"' in text:
            raise InputError(path.name, "resources of Proxmox, not a table of tasks", fix=_AS_TABLE) from None
        fix = "give what this prints: kubectl get nodes,pods,pdb -A -o json; or a table of tasks with the column host"
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
    return Cluster((CORES, MEMORY, "network"), offered, hosts), asked, names
