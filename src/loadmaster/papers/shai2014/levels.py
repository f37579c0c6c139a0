"""One run of the load experiment: what is measured of it, once the hosts have filled."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model import Schedule, Workload
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, run_study
from loadmaster.results.watch import Advancing
from loadmaster.runs import Case, Setting
from loadmaster.runs.outcome import run_fully
from loadmaster.runs.prepare import compile_first, workers_for


class Level(NamedTuple):
    """One policy at one load.

    Attributes:
        wait_s, slowdown: means over the jobs that were measured.
        queue: how many of these waited, on average from the first one's arrival until the last job ended.
        load: offered load of the cores.
        little: relative difference between the queue as counted and as Little's law has it, over the whole run.
        chosen: part of the cycles in which each member of Max-Jobs won or tied; empty without members.
    """

    wait_s: float
    slowdown: float
    queue: float
    load: float
    little: float
    chosen: tuple[float, ...]


class LevelCase(NamedTuple):
    """What all runs on one stream have in common."""

    case: Case
    warm_up_s: float


def make_levels(
    case: Case,
    settings: Sequence[Setting],
    warm_up_s: float,
    store: Store | None,
    workers: CellMaker,
    progress: Callable[[int], None],
) -> list[Level]:
    """All runs on a stream; those that `store` has are not made again."""
    work = Work(
        "shai2014 loads",
        ("loadmaster.runs.outcome", __name__),
        make_level,
        LevelCase(case, warm_up_s),
        _to_bytes,
        _of_bytes,
        prepare=lambda tasks, watch: compile_first(case, tasks, watch, {}),
        workers=workers_for(case.workload.jobs),
        steps=case.workload.jobs,
    )
    cells = [
        Cell(
            work.key(setting=setting.essential(), case=case.digest, warm_up_s=warm_up_s),
            setting,
            {"policy": setting.policy, "beta": setting.beta, "reservations": setting.reservations},
        )
        for setting in settings
    ]
    return run_study(work, cells, store, workers, Advancing(progress))


def make_level(shared: LevelCase, setting: Setting, moved: Moved) -> Level:
    """Make one run and measure it."""
    _, schedule, outcome = run_fully(shared.case, setting, {}, progress=lambda started, _jobs: moved(started))
    workload = shared.case.workload.scaled(setting.beta)
    wait_s, slowdown, queue = measured(workload, schedule, shared.warm_up_s)
    chosen = tuple(share.chosen for share in outcome.members)
    return Level(wait_s, slowdown, queue, outcome.load, outcome.metrics.little_error, chosen)


def measured(workload: Workload, schedule: Schedule, warm_up_s: float) -> tuple[float, float, float]:
    """Mean wait, slowdown and queue of the jobs that arrive after the warm-up, or after half of a shorter stream."""
    submit_s, runtime_s = workload.submit_s, workload.runtime_s
    begins_s = submit_s[0] + min(warm_up_s, workload.span_s / 2.0)
    on = schedule.started & (submit_s >= begins_s)
    wait = (schedule.start_s - submit_s)[on]
    slowdown = (wait + runtime_s[on]) / np.maximum(runtime_s[on], 1.0)
    lasts_s = float(np.nanmax(schedule.start_s + runtime_s)) - begins_s
    return float(wait.mean()), float(slowdown.mean()), float(wait.sum() / lasts_s)


def _to_bytes(level: Level) -> bytes:
    return json.dumps(level._asdict()).encode()


def _of_bytes(block: bytes) -> Level:
    plain = json.loads(block)
    return Level(**{**plain, "chosen": tuple(plain["chosen"])})
