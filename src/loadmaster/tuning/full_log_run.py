"""One run of a rule on the whole log: metrics, and waits by class, user and week."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from loadmaster.measure.group_waits import group_waits
from loadmaster.measure.queue_metrics import waits
from loadmaster.model import Schedule, Workload
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, run_study
from loadmaster.results.watch import Watch
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import run_fully
from loadmaster.runs.prepare import compile_first, key_of_task, workers_for
from loadmaster.tuning.bench import PortableRule
from loadmaster.tuning.weeks import week_of

GROUPS = ("size", "user", "hour", "week")


@dataclass(frozen=True)
class FullLogRun:
    """The results of one run.

    Attributes:
        values: every built-in metric, by its name.
        groups: a row for every size class, user, hour of the day and week: by, name, jobs, mean_wait_s.
        overloaded: whether the queue only grows (rule R13).
    """

    values: Mapping[str, float]
    groups: tuple[dict[str, Any], ...]
    overloaded: bool


def full_log_run(
    case: Case, rules: Sequence[PortableRule], store: Store | None, pool: CellMaker, watch: Watch | None = None
) -> list[FullLogRun]:
    """Every rule on the jobs of `case` as they are; only runs that are not in `store` are made."""
    work = Work(
        "tune",
        ("loadmaster.tuning.full_log_run",),
        _look,
        case,
        _to_bytes,
        _from_bytes,
        prepare=lambda tasks, watching: _prepare(case, tasks, watching),
        workers=workers_for(case.workload.jobs),
        steps=case.workload.jobs,
    )
    cells = [
        Cell(
            key_of_task(work, rule, case=case.digest),
            rule,
            {"policy": rule.setting.policy, "discipline": rule.setting.discipline},
        )
        for rule in rules
    ]
    return run_study(work, cells, store, pool, watch, lambda whole: {"mean_wait_s": whole.values["mean_wait_s"]})


def _prepare(case: Case, rules: Sequence[PortableRule], watch: Watch) -> None:
    for rule in rules:
        compile_first(case, [rule.setting], watch, rule.sources)


def _look(case: Case, rule: PortableRule, moved: Moved) -> FullLogRun:
    _, schedule, outcome = run_fully(case, rule.setting, rule.sources, progress=lambda started, _jobs: moved(started))
    groups = [
        {name: row[name] for name in ("by", "name", "jobs", "mean_wait_s")}
        for each in group_waits(case.workload, schedule)
        if each.by in GROUPS
        for row in each.rows()
        if row["jobs"]
    ]
    return FullLogRun(outcome.values, (*groups, *_by_week(case.workload, schedule)), outcome.beside.steady.overloaded)


def _by_week(workload: Workload, schedule: Schedule) -> list[dict[str, Any]]:
    on = schedule.started
    week, wait = week_of(workload)[on], waits(workload, schedule)[on]
    jobs, total = np.bincount(week), np.bincount(week, wait)
    return [
        {"by": "week", "name": str(at + 1), "jobs": int(jobs[at]), "mean_wait_s": float(total[at] / jobs[at])}
        for at in np.flatnonzero(jobs)
    ]


def _to_bytes(whole: FullLogRun) -> bytes:
    return json.dumps(asdict(whole)).encode()


def _from_bytes(block: bytes) -> FullLogRun:
    plain = json.loads(block)
    return FullLogRun(plain["values"], tuple(plain["groups"]), plain["overloaded"])
