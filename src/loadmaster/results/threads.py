"""Cells on the cores of this machine, several at a time.

Threads, not processes: the engines run outside Python's global lock, and threads share one copy of a log that
may be a gigabyte.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event

from loadmaster.results.study import R, S, T, Work
from loadmaster.results.watch import Stopped, Watch
from loadmaster.system.process import usable_cores

_LOOK_UP_S = 0.05
"""So often the waiting is broken off, to look for a Ctrl-C just before it began and for the end of the time."""


@dataclass(frozen=True)
class Threads:
    """Makes cells in threads.

    Attributes:
        workers: cells at a time; None for one a core, fewer where the work says so.
    """

    workers: int | None = None

    def __call__(self, work: Work[S, T, R], tasks: Sequence[T], watch: Watch) -> Iterator[tuple[int, bytes]]:
        """Make all of `tasks`; if the work is over or the caller leaves, cells under way stop soon, without a wait."""
        work.prepare(tasks, watch)
        stop = Event()

        def one(index: int) -> bytes:
            def moved(steps: int) -> None:
                if stop.is_set():
                    raise Stopped
                watch.moved(index, steps)

            return work.to_bytes(work.make(work.shared, tasks[index], moved))

        pool = ThreadPoolExecutor(self.workers or min(work.workers or usable_cores(), usable_cores()))
        try:
            futures = {pool.submit(one, index): index for index in range(len(tasks))}
            left = set(futures)
            while left and not work.over():
                done, left = wait(left, _LOOK_UP_S, FIRST_COMPLETED)
                for future in sorted(done, key=futures.__getitem__):
                    yield futures[future], future.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
