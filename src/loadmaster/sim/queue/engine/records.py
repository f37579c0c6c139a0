"""The records that engines write while they run: starts and hosts, and cycles in chunks of bounded size."""

from collections.abc import Callable

import numpy as np

from loadmaster.model import Choices, Cycles, Schedule, Workload
from loadmaster.model.arrays import Ints, Longs
from loadmaster.model.cycles import differing, first_of

ROWS = 4096
"""Cycles in a chunk: after so many, an engine returns to the shell for progress and interrupts."""


class Records:
    """Starts and hosts in full, and the chunks of cycles kept so far.

    Attributes:
        start_s: float64[J], NaN until the job starts.
        host: int32[T], -1 until the task starts.
        buffers: time_s, queue_length, started, winners and value of one chunk, and int64[1] for the rows filled.
    """

    def __init__(
        self, workload: Workload, members: tuple[str, ...] = (), chosen: Callable[[Longs], Ints] = first_of
    ) -> None:
        """Of a run of `workload`; `members` of a meta-rule, by name; `chosen` picks the member among the winners."""
        self.start_s = np.full(workload.jobs, np.nan)
        self.host = np.full(workload.jobs if workload.tasks is None else int(workload.tasks.sum()), -1, np.int32)
        self.buffers = (
            np.zeros(ROWS),
            np.zeros(ROWS, np.int64),
            np.zeros(ROWS, np.int64),
            np.zeros(ROWS, np.int64),
            np.full((ROWS, len(members)), np.nan),
            np.zeros(1, np.int64),
        )
        self._members, self._chosen = members, chosen
        self._chunks: list[tuple[np.ndarray, ...]] = []
        self._rows = 0

    def keep(self, rows: int) -> None:
        """Store the first `rows` rows of the buffers."""
        value = self.buffers[4][:rows]
        differ = np.flatnonzero(differing(value))
        columns = (column[:rows].copy() for column in self.buffers[:4])
        self._chunks.append((*columns, differ + self._rows, value[differ]))
        self._rows += rows

    def schedule(self) -> Schedule:
        """The schedule with all stored records."""
        time_s, queue_length, started, winners, cycle, value = (
            np.concatenate(chunks) for chunks in zip(*self._chunks, strict=True)
        )
        choices = Choices(self._members, self._chosen(winners), cycle, value) if self._members else None
        return Schedule(self.start_s, self.host, Cycles(time_s, queue_length, started, winners, choices))
