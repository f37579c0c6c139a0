"""Many runs on the same jobs and hosts: each is made once, kept at once, and never made again.

A run is known by a key made from all that shapes its result, so a sweep that was interrupted goes on where it
stopped, and a sweep with one more policy runs only that policy.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, run_study
from loadmaster.results.watch import Watch
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import Outcome, from_bytes, run, to_bytes
from loadmaster.runs.prepare import key_of_task, one_at_a_time, work_on_case
from loadmaster.runs.setting import Setting, discipline_of, policy_of, sources_of


class PendingRun(NamedTuple):
    """One run to make.

    Attributes:
        setting: of the run.
        sources: text of the user's files, as it was when the sweep began.
        check: whether the schedule is checked.
    """

    setting: Setting
    sources: Sources
    check: bool


def sweep(
    case: Case,
    settings: Sequence[Setting],
    store: Store | None,
    pool: CellMaker,
    *,
    check: bool = False,
    watch: Watch | None = None,
) -> list[Outcome]:
    """The outcome of every setting, in their order; only those not yet in `store` are run.

    Raises:
        InputError: a setting names a policy or discipline that does not exist; nothing is run then.
    """
    tasks = [PendingRun(setting, sources_of(setting), check) for setting in settings]
    for task in tasks:
        policy_of(task.setting, task.sources)
        discipline_of(task.setting, task.sources)
        task.setting.estimate_model.check(case.workload)
    work = one_at_a_time(work_on(case), settings)
    cells = [Cell(_key(work, task), task, _about(case, task.setting), not task.setting.in_process) for task in tasks]
    outcomes = run_study(work, cells, store, pool, watch, _telling)
    return [
        replace(outcome, setting=setting, rejected=case.rejected.total)
        for outcome, setting in zip(outcomes, settings, strict=True)
    ]


def work_on(case: Case) -> Work[Case, PendingRun, Outcome]:
    """Runs on `case`, as studies make them."""
    return work_on_case("compare", "loadmaster.runs.outcome", make_run, case, to_bytes, from_bytes)


def make_run(case: Case, task: PendingRun, moved: Moved) -> Outcome:
    """Make one run."""
    return run(case, task.setting, task.sources, check=task.check, progress=lambda started, _jobs: moved(started))


def key_of(case: Case, setting: Setting, *, check: bool = False) -> str:
    """The name of a run: equal for runs that must come out alike, and only for those."""
    return _key(work_on(case), PendingRun(setting, sources_of(setting), check))


def _key(work: Work[Case, PendingRun, Outcome], task: PendingRun) -> str:
    return key_of_task(work, task, case=work.shared.digest, check=task.check)


def _about(case: Case, setting: Setting) -> dict[str, Any]:
    return {"policy": setting.policy, "discipline": setting.discipline, "load": case.load / setting.beta}


def _telling(outcome: Outcome) -> dict[str, Any]:
    return {"mean_wait_s": outcome.metrics.mean_wait_s, "mean_queue_length": outcome.metrics.mean_queue_length}
