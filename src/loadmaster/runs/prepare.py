"""What is done on this machine before many runs begin: engines are compiled, memory is counted."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from loadmaster.compiled import timing_compilation
from loadmaster.kept.watch import Watch
from loadmaster.process import free_memory_bytes, usable_cores
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import run
from loadmaster.runs.setting import Setting, sources_of

_BYTES_PER_JOB = 250  # what one run holds at its peak beside the log, measured at 13 million jobs


def compile_first(case: Case, settings: Sequence[Setting], watch: Watch, sources: Sources | None = None) -> None:
    """Let each engine that `settings` need see two jobs, so that compiling is not taken for running.

    The results of Numba are kept on disk: this takes seconds the first time on a machine and little afterwards.
    """
    few = replace(case, workload=case.workload.take(slice(0, 2)))
    seen = set()
    for setting in settings:
        engine = (setting.policy, setting.discipline, setting.members)
        if engine not in seen:
            seen.add(engine)
            what = f"{setting.policy}, {setting.discipline}"
            with watch.preparing(what), timing_compilation(partial(watch.compiling, what)) as compiled:
                run(few, replace(setting, beta=1.0), sources_of(setting) if sources is None else sources)
            watch.compiled(sum(each.seconds for each in compiled if each.kept))


def workers_for(jobs: int) -> int:
    """One worker a core this process may use, but no more than memory has room for."""
    room = free_memory_bytes() // max(jobs * _BYTES_PER_JOB, 1)
    return max(1, min(usable_cores(), room))
