"""The preparation of many runs on this machine: engines are compiled, memory is counted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from loadmaster.model.job_succession import is_closed
from loadmaster.results.study import Moved, R, S, T, Work
from loadmaster.results.watch import Watch
from loadmaster.rules.find import Sources
from loadmaster.rules.imports import imported
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import run_fully
from loadmaster.runs.setting import Setting, discipline_of, policy_of, sources_of
from loadmaster.scheduling.estimate_model import USERS
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.engine_cost import MANY_JOBS, is_plain_quicker
from loadmaster.sim.queue.simulation import is_compiled
from loadmaster.system.process import free_memory_bytes, usable_cores

_BYTES_PER_JOB = 250  # what one run holds at its peak beside the log, measured at 13 million jobs


class RunTask(Protocol):
    """A task of a study of runs: its setting, and the text of every file that the setting names."""

    @property
    def setting(self) -> Setting:
        """The run."""

    @property
    def sources(self) -> Sources:
        """Path -> text."""


P = TypeVar("P", bound=RunTask)


def work_on_case(
    kind: str,
    made_by: str,
    make: Callable[[Case, P, Moved], R],
    case: Case,
    to_bytes: Callable[[R], bytes],
    from_bytes: Callable[[bytes], R],
) -> Work[Case, P, R]:
    """Runs on `case`, as studies make them; `made_by` is a module, the rest as in `Work`."""

    def prepare(tasks: Sequence[P], watch: Watch) -> None:
        texts = {path: text for task in tasks for path, text in task.sources.items()}
        compile_first(case, list(dict.fromkeys(task.setting for task in tasks)), watch, texts)

    jobs = case.workload.jobs
    return Work(kind, (made_by,), make, case, to_bytes, from_bytes, prepare, workers_for(jobs), jobs)


def key_of_task(work: Work[Case, P, R], task: P, **more: Any) -> str:
    """The key of a result that the setting and the files of `task` shape, and `more`."""
    return work.key(
        setting=task.setting.essential(task.sources),
        sources={path: sha256(text.encode()).hexdigest() for path, text in task.sources.items()},
        imported=imported(task.sources.values()),
        **more,
    )


def compile_first(case: Case, settings: Sequence[Setting], watch: Watch, sources: Sources | None = None) -> None:
    """Let each engine that `settings` need see a few jobs, so that compiling is not taken for running.

    The results of Numba are kept on disk: this takes seconds the first time on a machine and little afterwards.
    """
    if is_closed(case.workload):
        return  # no engine is compiled for that
    from loadmaster.compiled_rules.policies import (
        timing_compilation,  # Numba is not loaded where all runs are kept from before
    )

    two, many = (replace(case, workload=case.workload.take(slice(0, jobs))) for jobs in (2, MANY_JOBS))
    by_number = case.workload.jobs >= MANY_JOBS and binds(case.workload, case.cluster)
    seen = set()
    for setting in settings:
        if setting.in_process:
            continue  # nothing of it is compiled, and a run would change its state
        engine = (setting.policy, setting.queue, setting.members)
        texts = sources_of(setting) if sources is None else sources
        if engine not in seen and (setting.estimate_model == USERS or _is_compiled(case, setting, texts)):
            seen.add(engine)
            what = f"{setting.policy}, {setting.discipline}"
            usual = replace(setting, beta=1.0, estimates="user", overrun="run")  # the first two jobs may lack a user
            with watch.preparing(what), timing_compilation(partial(watch.compiling, what)) as compiled:
                few = many if by_number and _is_compiled(case, usual, texts) else two
                run_fully(few, usual, texts, plainly=is_plain_quicker(case.workload))
            watch.compiled(sum(each.seconds for each in compiled if each.kept))


def _is_compiled(case: Case, setting: Setting, texts: Sources) -> bool:
    rules = policy_of(setting, texts), discipline_of(setting, texts)
    return is_compiled(case.workload, case.cluster, *rules, setting.estimate_model)


def one_at_a_time(work: Work[S, T, R], settings: Sequence[Setting]) -> Work[S, T, R]:
    """`work`, whose runs follow one another if a rule of `settings` is called in this process: it has one state."""
    return replace(work, workers=1) if any(setting.in_process for setting in settings) else work


def workers_for(jobs: int) -> int:
    """One worker a core this process may use, but no more than memory has room for."""
    room = free_memory_bytes() // max(jobs * _BYTES_PER_JOB, 1)
    return max(1, min(usable_cores(), room))
