"""The queue of a pass: in which order a backfilling gets the jobs, and which are passed over."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import filterfalse

from loadmaster.model.snapshot import Snapshot


class QueueView:
    """The rows of a snapshot's queue, and what the pass has used up: limits, shares, arrays, partitions.

    Attributes:
        jobs: of every row.
        rows_of_same_job: by row, the other rows of its job, if it has any.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot, self._queue = snapshot, snapshot.queue
        self.jobs: list[int] = snapshot.queue.job.tolist()
        partition = snapshot.queue.partition
        self._partition: list[int] | None = None if partition is None else partition.tolist()
        self._left = None if snapshot.left is None else snapshot.left.copy()
        self._used = None if snapshot.need is None else snapshot.need.used.copy()
        self._put_off: list[int] = []
        self.rows_of_same_job = self._rows_of_same_job() if len(set(self.jobs)) < len(self.jobs) else {}
        self._done: set[int] = set()  # rows of jobs that have started
        self._arrays_passed: set[tuple[int, int]] = set()
        self._stopped: set[int] = set()

    def rows(self, *, beyond_limits: bool, whole_arrays: bool) -> Iterator[int]:
        """As `SchedulingPass.rows`."""
        rows = self._by_rank() if self._snapshot.need is None else self._by_need()
        return self._offered(rows, beyond_limits, whole_arrays)

    def put_off(self, row: int) -> None:
        """As `SchedulingPass.put_off`."""
        self._put_off.append(row)

    def shortest_first(self) -> Iterator[int]:
        """As `SchedulingPass.shortest_first`."""
        by_length = sorted(self._put_off, key=self._queue.runtimes_s.__getitem__)
        return self._offered(by_length, beyond_limits=False, whole_arrays=False)

    def note_start(self, row: int) -> None:
        """Note that the row's job has started: skip its other rows, and count it against limits and shares."""
        queue = self._queue
        self._done.update((row, *self.rows_of_same_job.get(row, ())))
        if self._left is not None and queue.uses is not None:
            for limit, amount in queue.uses[row]:
                self._left[limit] -= amount
        if self._used is not None and self._snapshot.need is not None:
            self._used[self._snapshot.need.group[row]] += queue.demand[row, 0] * queue.tasks[row]

    def offer_arrays_again(self) -> None:
        """Offer the tasks of all arrays again, also behind a task that has not started."""
        self._arrays_passed.clear()

    def job(self, row: int) -> int:
        """The job's number in its workload."""
        return self.jobs[row]

    def partition(self, row: int) -> int:
        """The partition in which the job waits."""
        return 0 if self._partition is None else self._partition[row]

    def within_limits(self, row: int, *, cluster_wide: bool) -> bool:
        """Whether the job stays within all limits if it starts now; amounts of the whole cluster count if requested."""
        if self._left is None or self._queue.uses is None:
            return True
        first = 0 if cluster_wide else self._snapshot.cluster_wide
        return all(self._left[limit] >= amount for limit, amount in self._queue.uses[row] if limit >= first)

    def _rows_of_same_job(self) -> dict[int, list[int]]:
        rows_of = defaultdict[int, list[int]](list)
        for row, job in enumerate(self.jobs):
            rows_of[job].append(row)
        several = (rows for rows in rows_of.values() if len(rows) > 1)
        return {row: [other for other in rows if other != row] for rows in several for row in rows}

    def _offered(self, rows: Iterable[int], beyond_limits: bool, whole_arrays: bool) -> Iterator[int]:
        """The `rows` whose jobs have not started when their turn comes, as far as limits and arrays let them."""
        left = filterfalse(self._done.__contains__, rows)
        if self._left is None and self._queue.array is None:
            return left
        return self._not_held_back(left, beyond_limits, whole_arrays)

    def _not_held_back(self, rows: Iterable[int], beyond_limits: bool, whole_arrays: bool) -> Iterator[int]:
        for row in rows:
            array = (-1 if self._queue.array is None else int(self._queue.array[row]), self.partition(row))
            held_back = not beyond_limits and self._is_limited(row)
            if array in self._arrays_passed or held_back:
                continue
            taken = len(self._done) + len(self._put_off)
            yield row
            if array[0] >= 0 and not whole_arrays and len(self._done) + len(self._put_off) == taken:
                self._arrays_passed.add(array)

    def _is_limited(self, row: int) -> bool:
        if self.partition(row) in self._stopped:
            return True
        limited = not self.within_limits(row, cluster_wide=False)
        if limited and self._snapshot.limits_stop:
            self._stopped.add(self.partition(row))
        return limited

    def _by_rank(self) -> list[int]:
        rows = sorted(range(len(self.jobs)), key=self.jobs.__getitem__)
        for column in (self._queue.rank, self._queue.tier):  # sorting is stable: the last goes first
            if column is not None:
                rows.sort(key=column.tolist().__getitem__)
        return rows

    def _by_need(self) -> Iterator[int]:
        # `used` changes while this generator is consumed: every step looks at it again.
        need, used = self._snapshot.need, self._used
        assert need is not None
        assert used is not None
        waiting: dict[int, list[int]] = {}
        for row in reversed(self._by_rank()):
            waiting.setdefault(int(need.group[row]), []).append(row)
        while waiting:
            neediest_project = min(waiting, key=lambda group: (used[group] / need.share[group], group))
            yield waiting[neediest_project].pop()
            if not waiting[neediest_project]:
                del waiting[neediest_project]
