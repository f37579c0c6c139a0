"""Bound and best found of a log at one load, kept like runs: how far a policy is from the best possible (rule D13)."""

import dataclasses
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.measure.metric import values_of
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.model import InputError
from loadmaster.model.job_succession import is_closed
from loadmaster.model.units import show_seconds
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, run_study
from loadmaster.results.watch import Watch
from loadmaster.runs import Case, Outcome, Setting
from loadmaster.runs.machines import MachineSet
from loadmaster.search.best import best_found, cannot_keep
from loadmaster.search.bound import bound_of
from loadmaster.search.rigid import rigid_of

FOR_THE_BOUND = 1 / 6
"""The part of the time that the bound gets; the search for the best schedule gets the rest."""


@dataclass(frozen=True)
class Possible:
    """The bound and the best schedule found at one load, on one set of machines.

    Attributes:
        beta: factor on the times between arrivals; load: the offered load that it makes, of the first set of machines.
        jobs: how many can run at all; bound and best found are means over these.
        bound_s: no schedule that runs all of them has a lower mean wait.
        steps: prices that were tried; width_s: seconds of a bucket; settled: the bound had stopped rising.
        found: every metric of the best schedule that was found, by its name; None where the search does not keep what
            binds the jobs.
        because: the constraints that it does not keep.
        hosts: the name of the machines, where there are several sets.
        run: whose schedule it is, where the search found none as low as a run has; else None.
    """

    beta: float
    load: float
    jobs: int
    bound_s: float
    steps: int
    width_s: float
    settled: bool
    found: Mapping[str, float] | None
    because: str = ""
    hosts: str = ""
    run: Setting | None = None


@dataclass(frozen=True)
class SearchTask:
    """One load at which to look: factor, processor seconds, seed of the moves."""

    beta: float
    within_s: float
    seed: int


def possible_on(
    machines: Sequence[MachineSet],
    settings: Sequence[Setting],
    within_s: float,
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
) -> list[Possible]:
    """As `possible` on every set of machines: loads ascend as in `settings`, the sets as they are within each.

    Raises:
        InputError: as `possible`.
    """
    first = machines[0].case
    results = [
        replace(each, load=first.load / each.beta, hosts=one.name)
        for one in machines
        for each in possible(one.case, [s for s in settings if s.hosts == one.name], within_s, store, pool, watch)
    ]
    betas = list(dict.fromkeys(setting.beta for setting in settings))
    return sorted(results, key=lambda each: betas.index(each.beta))


def possible(
    case: Case,
    settings: Sequence[Setting],
    within_s: float,
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
) -> list[Possible]:
    """Bound and best found at each load of `settings`, those in `store` already as they are there.

    Args:
        case: jobs and hosts.
        settings: of the runs that are to be set beside them.
        within_s: processor seconds for each load; what is not in the store takes them all.
        store: where they are kept.
        pool: runs the searches.
        watch: gets the progress.

    Raises:
        InputError: no bound holds for such jobs, such hosts or such runs.
    """
    refuse_unbounded([MachineSet("", case)], settings)
    betas = list(dict.fromkeys(setting.beta for setting in settings))
    work = Work("possible", ("loadmaster.search.possible",), look, case, to_bytes, from_bytes, prepare=_compile(case))
    tasks = [SearchTask(beta, within_s, settings[0].seed) for beta in betas]
    cells = [
        Cell(work.key(case=case.digest, to_find=task), task, {"best possible at load": case.load / task.beta})
        for task in tasks
    ]
    with (watch or Watch()).preparing(f"the best possible, {show_seconds(within_s)} for each load"):
        return run_study(work, cells, store, pool, None, lambda each: {"bound_s": each.bound_s})


def no_higher_than_runs(possible: Sequence[Possible], outcomes: Sequence[Outcome]) -> list[Possible]:
    """With the schedule of a run as the best found where that is lower: it is one of those that were looked for."""
    return [_or_of_a_run(each, outcomes) for each in possible]


def _or_of_a_run(each: Possible, outcomes: Sequence[Outcome]) -> Possible:
    if each.found is None:
        return each
    here = [o for o in outcomes if (o.setting.beta, o.setting.hosts) == (each.beta, each.hosts)]
    sound = [o for o in here if o.ran_once(each.jobs) and o.metrics.mean_wait_s < each.found["mean_wait_s"]]
    if not sound:
        return each
    lowest = min(sound, key=lambda o: o.metrics.mean_wait_s)
    return replace(each, found=lowest.values, run=lowest.setting)


def refuse_unbounded(machines: Sequence[MachineSet], settings: Sequence[Setting]) -> None:
    """See that a bound can be given on every set, before anything is run.

    Raises:
        InputError: it cannot.
    """
    if any(setting.estimate_model.overrun == "kill" for setting in settings):
        raise InputError("--overrun kill", "the bound holds for jobs that run to their end", fix="leave out --bound")
    if is_closed(machines[0].case.workload):
        rule = "the bound holds for arrivals that are known before a run"
        raise InputError("--bound", rule, fix="leave out --bound, or take them as recorded (--swf-feedback ignore)")
    for one in machines:
        rigid_of(one.case.workload, one.case.cluster)


def _compile(case: Case) -> Callable[[Sequence[SearchTask], Watch], None]:
    """Let a few jobs be looked at first, so that compiling is not taken for searching."""

    def prepare(_tasks: Sequence[SearchTask], _watch: Watch) -> None:
        widest = np.argsort(-case.workload.task_count, kind="stable")[:2]
        few = replace(case, workload=case.workload.take(np.sort(widest)))
        for _ in range(2):  # the lists take all the time while they are compiled, so the moves are when they are
            look(few, SearchTask(1.0, 0.01, 0), lambda _steps: None)

    return prepare


def look(case: Case, task: SearchTask, moved: Moved) -> Possible:
    """Bound and best found at one load."""
    clock = _stoppable(moved)
    workload = case.workload if task.beta == 1.0 else case.workload.scaled(task.beta)
    below = bound_of(rigid_of(workload, case.cluster), within_s=task.within_s * FOR_THE_BOUND, clock=clock)
    reason = cannot_keep(workload, case.cluster)
    best = None
    if not reason:
        rest_s = task.within_s * (1 - FOR_THE_BOUND)
        schedule = best_found(
            workload, case.cluster, within_s=rest_s, hint_s=below.start_s, seed=task.seed, clock=clock
        )
        best = values_of(ScheduledJobs(workload, case.cluster, schedule))
    return Possible(
        task.beta,
        case.load / task.beta,
        below.jobs,
        below.mean_wait_s,
        below.steps,
        below.width_s,
        below.settled,
        best,
        reason,
    )


def _stoppable(moved: Moved) -> Callable[[], float]:
    """Processor time of this thread. It is called all the time, so that the search can be stopped here."""

    def clock() -> float:
        moved(0)
        return time.thread_time()

    return clock


def to_bytes(each: Possible) -> bytes:
    """What was possible as it is kept, JSON in UTF-8."""
    return json.dumps(dataclasses.asdict(each)).encode()


def from_bytes(block: bytes) -> Possible:
    """What `to_bytes` wrote."""
    return Possible(**json.loads(block))
