"""What engines write into while they run: starts and hosts, and cycles in chunks of bounded size."""

import numpy as np

from loadmaster.model import Cycles, Schedule, Workload

ROWS = 4096
"""Cycles in a chunk: an engine comes up for air, progress and interrupts after so many."""


class Records:
    """Starts and hosts in full, and the chunks of cycles kept so far.

    Attributes:
        start_s: float64[J], NaN until the job starts.
        host: int32[T], -1 until the task starts.
        buffers: time_s, queue_length, started, winners of one chunk, and int64[1] for the rows filled.
    """

    def __init__(self, workload: Workload) -> None:
        self.start_s = np.full(workload.jobs, np.nan)
        self.host = np.full(workload.jobs if workload.tasks is None else int(workload.tasks.sum()), -1, np.int32)
        self.buffers = (
            np.zeros(ROWS), np.zeros(ROWS, np.int64), np.zeros(ROWS, np.int64), np.zeros(ROWS, np.int64),
            np.zeros(1, np.int64),
        )  # fmt: skip
        self._chunks: list[tuple[np.ndarray, ...]] = []

    def keep(self, rows: int) -> None:
        """Put the first `rows` rows of the buffers aside."""
        self._chunks.append(tuple(column[:rows].copy() for column in self.buffers[:4]))

    def schedule(self) -> Schedule:
        """Everything written, named."""
        columns = [np.concatenate(chunks) for chunks in zip(*self._chunks, strict=True)]
        return Schedule(self.start_s, self.host, Cycles(*columns))
