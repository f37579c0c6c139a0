"""The Standard Workload Format of the Parallel Workloads Archive (Chapin et al. 1999)."""

import gzip
from pathlib import Path

import numpy as np

from loadmaster.model import InputError, Workload
from loadmaster.model.units import KB
from loadmaster.traces.trace import Skipped, Trace


def read_swf(path: Path) -> Trace:
    """Read submit time, runtime, processors and memory per processor; one task a processor."""
    opener = gzip.open if path.suffix == ".gz" else open
    skipped = Skipped()
    rows = []
    with opener(path, "rt") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith(";") or not line.strip():
                continue
            fields = line.split()[:18]
            if float(fields[3]) <= 0:
                skipped.add("runtime is not more than zero", [number])
                continue
            rows.append([float(field) for field in fields])
    if not rows:
        raise InputError(path.name, "no job in this file", where=str(path))
    table = np.array(rows)
    table = table[np.argsort(table[:, 1], kind="stable")]
    processors = np.where(table[:, 7] > 0, table[:, 7], table[:, 4])
    memory = np.maximum(np.where(table[:, 9] > 0, table[:, 9], table[:, 6]), 0) * KB
    workload = Workload(
        ("cores", "memory"),
        table[:, 1] - table[0, 1],
        table[:, 3],
        np.column_stack((np.ones(len(table)), memory)),
        tasks=processors.astype(np.int32),
        estimate_s=np.where(table[:, 8] > 0, table[:, 8], table[:, 3]),
        user=table[:, 11].astype(np.int32),
        job_id=table[:, 0].astype(np.int64),
        source=path.name,
    )
    return Trace(workload, skipped=skipped)
