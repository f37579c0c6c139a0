"""Every packer and placement rule on one static set and one stream: a row each, in one schema (rule A11)."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.stranded import stranded_amounts
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Packing
from loadmaster.packing.solve import PackOptions, pack_what_fits
from loadmaster.papers.study_cells import run_kept
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.study import Cell, Moved, Work
from loadmaster.runs import Setting, case_of, run
from loadmaster.traces import generate_netbatch

STATIC, STREAM = "static set", "stream"
_P1, _P3, _P5 = "Casanova 2008", "Shai 2014", "Amir 2000"
PACKERS = {**{f"mcb{k}": _P1 for k in range(1, 9)}, **dict.fromkeys(("gr", "sg", "gb", "sgb", "rrnd", "rrnz"), _P1)}
"""Packers of whole sets, and their paper. They have no meaning for a stream."""
PLACEMENT = {
    **dict.fromkeys(
        (
            "first-fit",
            "best-fit-cores",
            "best-fit-memory",
            "worse-fit-cores",
            "worse-fit-memory",
            "mix-fit",
            "mix-fit-origin",
        ),
        _P3,
    ),
    **dict.fromkeys(("opportunity-cost", "assign-u", "greedy-load", "round-robin"), _P5),
    "dot-product": "VectorDot, cited by Shai 2014",
    "random": "",
}
"""Placement policies, and their paper. They place whole sets as well, the largest task first."""
META = {"max-jobs": _P3}
"""Meta-rules. They choose in every cycle, so they have no meaning for a whole set."""
HOSTS = 16


@dataclass(frozen=True)
class MatrixSize:
    """How much is run.

    Attributes:
        repetitions: instances of each specification of the static set.
        streams: independent streams.
        jobs: of each stream.
        stream_hosts: of the cluster that serves the streams.
        load: offered load on cores.
    """

    repetitions: int = 10
    streams: int = 5
    jobs: int = 20_000
    stream_hosts: int = 100
    load: float = 0.95


QUICK = MatrixSize(repetitions=2, streams=2, jobs=3_000, stream_hosts=30)


class MatrixTask(NamedTuple):
    """One rule on one of the two sets, with all draws of `seed`."""

    set_name: str
    rule: str
    seed: int
    size: MatrixSize


MEASURES = (
    "placed", "min_yield", "mean_yield", "hosts_used", "stranded_cores", "stranded_memory", "mean_wait_s",
    "mean_bounded_slowdown", "utilization_cores", "moves",
)  # fmt: skip
"""The columns of the schema beside rule, paper and set; NaN where a measure has no meaning for the set."""


@dataclass(frozen=True, eq=False)
class MatrixRow:
    """One rule on one set.

    Attributes:
        rule, paper, set_name: what ran, where it was published, and on what.
        values: float64[N, M], each instance or stream by `MEASURES`.
    """

    rule: str
    paper: str
    set_name: str
    values: Floats


def specifications() -> list[Spec]:
    """The static set: 48 tasks on 16 hosts at three slacks and two spreads of memory (Casanova 2008, section 4.1)."""
    return [Spec(HOSTS, 3 * HOSTS, slack, cv, 0.25) for slack in (0.1, 0.3, 0.5) for cv in (0.25, 0.75)]


def rows(
    size: MatrixSize,
    seed: int = 0,
    folder: Path | None = None,
    advance: Callable[[int], None] | None = None,
    on: DaskAddress | None = None,
) -> list[MatrixRow]:
    """A row for each rule and set; finished cells of `folder` are read, not made again."""
    work = Work("matrix", (__name__,), make_cell, None, _to_bytes, _of_bytes)
    tasks = [MatrixTask(STATIC, rule, seed, size) for rule in (*PACKERS, *PLACEMENT)]
    tasks += [MatrixTask(STREAM, rule, seed, size) for rule in (*PLACEMENT, *META)]
    cells = [Cell(work.key(task=_plain(task)), task, {"rule": task.rule, "set": task.set_name}) for task in tasks]
    papers = {**PACKERS, **PLACEMENT, **META}
    values = run_kept(work, cells, folder, advance, on)
    return [
        MatrixRow(task.rule, papers[task.rule], task.set_name, each) for task, each in zip(tasks, values, strict=True)
    ]


def make_cell(_shared: None, task: MatrixTask, moved: Moved) -> Floats:
    """float64[N, M]: the measures of one rule on each instance, or each stream."""
    made = _on_static_set(task) if task.set_name == STATIC else _on_streams(task)
    moved(1)
    return made


def _on_static_set(task: MatrixTask) -> Floats:
    measured = []
    for spec in specifications():
        for repetition in range(task.size.repetitions):
            instance = virtual_clusters(spec, task.seed, repetition)
            packing = pack_what_fits(instance, task.rule, PackOptions(seed=task.seed))
            measured.append(_measures(**_of_packing(instance, packing)))
    return np.array(measured)


def _of_packing(instance: Instance, packing: Packing) -> dict[str, float]:
    """The measures of a whole set; what is used of a host is what its tasks get, and a task requests its need."""
    there = packing.host >= 0
    cores, memory = np.zeros(instance.hosts), np.zeros(instance.hosts)
    np.add.at(cores, packing.host[there], packing.share[there, 0])
    np.add.at(memory, packing.host[there], instance.rigid[there, 0])
    capacity = np.column_stack((instance.fluid_capacity[:, 0], instance.rigid_capacity[:, 0]))
    free = np.maximum(capacity - np.column_stack((cores, memory)), 0.0)
    typical = np.median(np.column_stack((instance.fluid[:, 0], instance.rigid[:, 0])), axis=0)
    stranded = stranded_amounts(free, typical).sum(axis=0) / capacity.sum(axis=0)
    return {
        "placed": float(there.mean()),
        "min_yield": packing.min_yield,
        "mean_yield": packing.mean_yield,
        "hosts_used": float(len(np.unique(packing.host[there]))),
        "stranded_cores": float(stranded[0]),
        "stranded_memory": float(stranded[1]),
        "moves": 0.0,
    }


def _on_streams(task: MatrixTask) -> Floats:
    size, measured = task.size, []
    for stream in range(size.streams):
        trace = generate_netbatch(
            "A", jobs=size.jobs, hosts=size.stream_hosts, load=size.load, longest_run_s=6 * 3600.0,
            seed=task.seed + stream,
        )  # fmt: skip
        outcome = run(case_of(trace), Setting(task.rule, seed=task.seed), {})
        m = outcome.metrics
        measured.append(
            _measures(
                placed=1.0 - m.unstarted / max(m.jobs, 1),
                stranded_cores=outcome.stranded[CORES],
                stranded_memory=outcome.stranded[MEMORY],
                mean_wait_s=m.mean_wait_s,
                mean_bounded_slowdown=m.mean_bounded_slowdown,
                utilization_cores=m.utilization[CORES],
                moves=0.0,
            )
        )
    return np.array(measured)


def _measures(**values: float) -> list[float]:
    return [values.get(name, float("nan")) for name in MEASURES]


def _plain(task: MatrixTask) -> dict[str, object]:
    return {**task._asdict(), "size": asdict(task.size)}


def _to_bytes(values: Floats) -> bytes:
    return json.dumps([[None if np.isnan(v) else v for v in row] for row in values.tolist()]).encode()


def _of_bytes(block: bytes) -> Floats:
    return np.array([[np.nan if v is None else v for v in row] for row in json.loads(block)], np.float64)
