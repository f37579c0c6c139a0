"""Memory of SWF that looks wrong: read otherwise where only one reading fits the machines, else the run is refused."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.units import MEMORY
from loadmaster.runs.case import MOST_LEFT_OUT, MOST_WORK_LEFT_OUT
from loadmaster.traces import ReadOptions, Skipped, SpreadChoice, Trace, fit_by
from loadmaster.traces.options import SwfMemory
from loadmaster.traces.swf_memory import believable, memory_scale

UNITS = ("B", "KB", "MB")
MEANINGS: tuple[SwfMemory, ...] = ("per-processor", "job-total")


def believable_reading(
    trace: Trace, options: ReadOptions, cluster: Cluster | None, spread: SpreadChoice
) -> ReadOptions:
    """`options`, or those by which the memory of the log must be read: the only ones that fit the machines.

    A reading fits if its memory leaves out at most 10 % of the jobs and 5 % of the work, beside what no host could hold
    without memory. What the user says of the unit is never doubted.

    Args:
        trace: the log, read by `options`.
        options: as the user gave them.
        cluster: the hosts; None for those of the trace.
        spread: where the tasks of one job may go.

    Raises:
        InputError: the memory cannot be true, and several readings or none could be.
    """
    hosts = cluster if cluster is not None else trace.cluster
    if not trace.memory_in_doubt or options.memory_unit is not None or hosts is None or MEMORY not in hosts.resources:
        return options
    of_log = cluster is None and trace.machines == "log"

    def left_out(workload: Workload) -> Skipped:
        return fit_by(spread, workload, hosts, machines_of_log=of_log).rejected

    anyway = left_out(_without_memory(trace.workload))

    def fits(workload: Workload) -> bool:
        lost = left_out(workload)
        jobs, work = (lost.total - anyway.total) / workload.jobs, lost.work - anyway.work
        return believable(workload) and jobs <= MOST_LEFT_OUT and work <= MOST_WORK_LEFT_OUT

    if fits(trace.workload):
        return options
    possible = [other for other, workload in other_readings(trace.workload, options) if fits(workload)]
    if len(possible) == 1:
        return possible[0]
    doubt = next(note for note in trace.notes if "Memory looks wrong" in note)
    ways = " or ".join(_command(other) for other in possible) or "--memory-unit UNIT, such as B or MB"
    fix = f"give {ways}; --memory-unit KB keeps this reading"
    rule = doubt.partition(". If")[0]
    raise InputError(trace.workload.source, rule[0].lower() + rule[1:], fix=fix)


def memory_note(options: ReadOptions) -> str:
    """The note for memory that was read otherwise than the standard says."""
    return (
        f"Memory is read with {_command(options)}: the standard reading cannot be right, and this is the only other "
        "one that fits the machines."
    )


def _command(options: ReadOptions) -> str:
    return f"--memory-unit {options.memory_unit} --swf-memory {options.swf_memory}"


def _without_memory(workload: Workload) -> Workload:
    demand = workload.demand.copy()
    demand[:, workload.resources.index(MEMORY)] = 0.0
    return replace(workload, demand=demand)


def other_readings(workload: Workload, options: ReadOptions) -> Iterator[tuple[ReadOptions, Workload]]:
    """Every other reading, with the jobs as it would give them; a meaning that the user chose stays."""
    now = memory_scale(options)
    meanings = MEANINGS if options.swf_memory == MEANINGS[0] else (options.swf_memory,)
    memory = workload.resources.index(MEMORY)
    for unit in UNITS:
        for meaning in meanings:
            other = replace(options, memory_unit=unit, swf_memory=meaning)
            factor = memory_scale(other) / now
            if meaning == options.swf_memory and factor == 1.0:
                continue
            demand = workload.demand.copy()
            demand[:, memory] *= factor
            if meaning != options.swf_memory:
                demand[:, memory] /= workload.task_count * np.maximum(demand[:, workload.resources.index("cores")], 1.0)
            yield other, replace(workload, demand=demand)
