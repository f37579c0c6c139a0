"""Runs on the cores of this machine, several at a time.

Threads, not processes: the engines run outside Python's global lock, and threads share one copy of a log that
may be a gigabyte.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from threading import Event

from loadmaster.compiled import timing_compilation
from loadmaster.process import free_memory_bytes, usable_cores
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import Outcome, run
from loadmaster.runs.setting import Setting, sources_of
from loadmaster.runs.watch import Stopped, Watch

_BYTES_PER_JOB = 250  # what one run holds at its peak beside the log, measured at 13 million jobs


@dataclass(frozen=True)
class LocalCores:
    """Makes runs in threads.

    Attributes:
        workers: runs at a time; None for one a core, fewer if memory is short.
    """

    workers: int | None = None

    def __call__(
        self, case: Case, settings: Sequence[Setting], check: bool, watch: Watch
    ) -> Iterator[tuple[int, Outcome]]:
        """Run all `settings`; if the caller stops listening, runs that are under way stop soon."""
        compile_first(case, settings, watch)
        stop = Event()

        def one(index: int) -> Outcome:
            def moved(started: int, _jobs: int) -> None:
                if stop.is_set():
                    raise Stopped
                watch.moved(index, started)

            setting = settings[index]
            return run(case, setting, sources_of(setting), check=check, progress=moved)

        pool = ThreadPoolExecutor(self.workers or workers_for(case.workload.jobs))
        try:
            futures = {pool.submit(one, index): index for index in range(len(settings))}
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


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
            with watch.compiling(f"{setting.policy}, {setting.discipline}"), timing_compilation() as seconds:
                run(few, replace(setting, beta=1.0), sources_of(setting) if sources is None else sources)
            watch.compiled(sum(seconds))


def workers_for(jobs: int) -> int:
    """One worker a core this process may use, but no more than memory has room for."""
    room = free_memory_bytes() // max(jobs * _BYTES_PER_JOB, 1)
    return max(1, min(usable_cores(), room))
