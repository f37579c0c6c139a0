"""Jobs that run as a run of the plain engine begins: they get hosts and cards, and count against limits."""

import math
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.model.cards import cards_at_start
from loadmaster.model.constraints import STATUSES
from loadmaster.model.starting_state import StartingState
from loadmaster.sim.queue.plain.occupancy import RunningJob

if TYPE_CHECKING:
    from loadmaster.sim.queue.reference import Replay

TIMEOUT = STATUSES.index("timeout")


def begin_running(engine: "Replay", state: StartingState) -> None:
    """The jobs of a starting state run, and nothing is decided before its moment."""
    assert engine.cluster.speed is not None
    tasks = engine.workload.task_count[state.job]
    state.check_hosts(engine.cluster, np.repeat(engine.workload.demand[state.job], tasks, axis=0))
    if state.first_task is not None:
        engine.columns["first_task"] = state.first_task
    engine.runs_at_start, engine.begins_s = frozenset(state.job.tolist()), state.now_s
    engine.last_host = state.last_host
    hosts = np.split(state.host, np.cumsum(tasks)[:-1])
    if engine.cards is not None:
        cards_of = np.split(cards_at_start(engine.workload, engine.cluster, engine.cards), np.cumsum(tasks)[:-1])
    for n in np.lexsort((state.job, state.start_s)).tolist():
        job, start_s, on = int(state.job[n]), float(state.start_s[n]), tuple(hosts[n].tolist())
        slowest = engine.cluster.slowest(on)
        lasts_s = engine.expecting.start(job, slowest)
        end_s = max(start_s + lasts_s, math.nextafter(state.now_s, math.inf))
        expected_end_s = start_s + float(engine.workload.expected_s[job]) / slowest
        if state.end_s is not None:
            end_s = float(state.end_s[n])
        if state.expected_end_s is not None:
            expected_end_s = float(state.expected_end_s[n])
        partition = _partition_of(engine, job)
        status = TIMEOUT if engine.expecting.killed[job] else int(engine.status[job])
        cards = () if engine.cards is None else tuple(cards_of[n].tolist())
        ends = engine.ends_of(job, expected_end_s, on, cards)
        run = RunningJob(start_s, expected_end_s, end_s, status, partition, start_s, slowest, on, ends, cards)
        engine.occupancy.start(job, on, run)
        engine.pending.begin(job, start_s)
        engine.tick(start_s)
        engine.ranking.started(job, start_s)
        if engine.allowance is not None:
            engine.allowance.count_submitted(job)
            engine.allowance.start(job, partition, start_s)


def _partition_of(engine: "Replay", job: int) -> int:
    """Of a job that runs as the run begins: the first that starts it."""
    if engine.binding is None:
        return 0
    entries = engine.binding.entries
    return int(entries.partition[entries.first_open(job)])
