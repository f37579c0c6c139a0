"""Checks the GPUs of a schedule: each task on cards of its host, and no card given more than once (rule Q22).

Written against the rule alone; it shares no code with the engines.
"""

import numpy as np

from loadmaster.measure.task_intervals import task_jobs
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.units import GPUS
from loadmaster.model.workload import Workload
from loadmaster.system.counted import counted

_SLACK = 1e-9


def broken_cards(workload: Workload, cluster: Cluster, schedule: Schedule) -> list[str]:
    """What is wrong with the GPUs that tasks took, one sentence each with the first case.

    Where no job requests a part of a GPU, GPUs are an amount, and nothing is looked at.
    """
    if GPUS not in workload.resources:
        return []
    column = workload.resources.index(GPUS)
    gpus = workload.demand[:, column]
    if (gpus == np.floor(gpus)).all():
        return []
    if schedule.cards is None:
        return ["jobs request parts of a GPU, and the schedule does not say which GPU each task took"]
    job, placed = task_jobs(workload), schedule.host >= 0
    names, has = _bits(schedule.cards), cluster.capacity[schedule.host, column]
    wanted = np.where(placed, np.ceil(gpus[job]), 0)
    task, card = np.nonzero(names)
    host, at = schedule.host[task], card.astype(np.int64)
    broken = []
    if (wrong := names.sum(axis=1) != wanted).any():
        first = int(np.argmax(wrong))
        asked = f"requests {gpus[job[first]]:g} GPUs and has {int(names[first].sum())}"
        broken.append(f"a task of job {workload.id_of(int(job[first]))} {asked} ({counted(wrong.sum(), 'task')})")
    if (wrong := at >= has[task]).any():
        first = int(np.argmax(wrong))
        broken.append(
            f"job {workload.id_of(int(job[task[first]]))} has GPU {at[first]} of host {cluster.name(host[first])}, "
            f"which has {has[task[first]]:g} ({counted(wrong.sum(), 'task')})"
        )
    return broken or _overfilled(workload, cluster, schedule, task, at)


def _overfilled(
    workload: Workload, cluster: Cluster, schedule: Schedule, task: np.ndarray, card: np.ndarray
) -> list[str]:
    """Sweep the starts and ends of each GPU in the order of time; an end at the moment of a start comes first.

    Args:
        workload: the jobs.
        cluster: the hosts.
        schedule: what became of them.
        task: int64[N], the task of each of N uses of a GPU.
        card: int64[N], the number of the GPU on the host of the task.
    """
    job = task_jobs(workload)[task]
    share = np.minimum(workload.demand[job, workload.resources.index(GPUS)], 1.0)
    one = schedule.host[task].astype(np.int64) * (int(card.max(initial=0)) + 1) + card
    time = np.concatenate((schedule.ends_s(workload)[job], schedule.start_s[job]))
    is_start = np.repeat(np.array([0, 1], np.int8), len(task))
    order = np.lexsort((is_start, time, np.tile(one, 2)))
    held, change = np.tile(one, 2)[order], np.concatenate((-share, share))[order]
    load = np.cumsum(change)  # what a use takes it gives back, so the sum begins anew with each GPU
    if not (over := load > 1 + _SLACK).any():
        return []
    first = int(np.argmax(over))
    use = int(order[first]) % len(task)
    where = f"GPU {card[use]} of host {cluster.name(schedule.host[task[use]])}"
    many = np.unique(held[over]).size
    return [f"{where} is used {load[first]:.6g} times at {time[order[first]]:.6g} s ({many} GPUs overfilled)"]


def _bits(cards: np.ndarray) -> np.ndarray:
    """bool[T, C]: the cards that are the bits of int64[T]."""
    most = int(cards.max(initial=0)).bit_length()
    return np.asarray((cards[:, None] >> np.arange(most)) & 1, bool)
