"""The rate at which the plain engine begins a run that no compiled engine can make."""

import time
from contextlib import suppress

from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.setting import Setting, discipline_of, policy_of
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.card_runs import refuse_beside_cards
from loadmaster.sim.queue.reference import replay_deciding

TRIAL_S = 0.5
"""Seconds for which it is tried out."""


def shown_pace(rate: float) -> str:
    """A rate in words, two digits of a small one; where nothing happened within the trial, what that says of it.

    Example:
        >>> shown_pace(1234.5), shown_pace(0.046), shown_pace(0)
        ('1,234', '0.046', 'less than 2')
    """
    if rate == 0:
        return f"less than {1 / TRIAL_S:g}"
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


class _TrialOver(Exception):
    """The trial is over."""


def jobs_a_second(case: Case, setting: Setting, sources: Sources) -> float | None:
    """How many jobs a second are started as the run begins; None if it ends within the trial.

    Raises:
        InputError: a rule of the user's own fails on the first jobs, or no engine makes such a run.
    """
    workload = case.workload if setting.beta == 1.0 else case.workload.scaled(setting.beta)
    discipline = discipline_of(setting, sources)
    refuse_beside_cards(workload, case.cluster, discipline)
    scheduler = Scheduler(policy_of(setting, sources), discipline)
    estimate_model = setting.estimate_model.under(discipline, workload, bound=binds(workload, case.cluster))
    seen: list[tuple[float, int]] = []  # from the first moment on: what is compiled before it is not of the run

    def watch(done: int, _jobs: int) -> None:
        seen.append((time.perf_counter(), done))
        if seen[-1][0] - seen[0][0] > TRIAL_S:
            raise _TrialOver

    with suppress(_TrialOver):
        replay_deciding(
            workload,
            case.cluster,
            scheduler,
            interval_s=setting.interval_s,
            seed=setting.seed,
            progress=watch,
            estimate_model=estimate_model,
        )
        return None
    return seen[-1][1] / (seen[-1][0] - seen[0][0])
