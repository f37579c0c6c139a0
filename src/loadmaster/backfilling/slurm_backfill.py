"""Slurm's backfill pass: start each job that fits beside reservations of whole hosts, in the order of the queue."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from loadmaster.backfilling.releases import right_after
from loadmaster.backfilling.scheduling_pass import SchedulingPass
from loadmaster.backfilling.slurm_main import waits_for_now_only
from loadmaster.backfilling.slurm_parameters import SlurmParameters
from loadmaster.backfilling.whole_hosts import WholeHosts
from loadmaster.model.amounts import Amounts, plus
from loadmaster.model.snapshot import Closure, ExpectedEnd, Promise


def backfill_pass(rules: SlurmParameters, this_pass: SchedulingPass) -> None:
    """Try the first `bf_max_job_test` jobs (rule Q15)."""
    this_pass.reopen()
    _Pass(rules, this_pass).run()


class _Pass:
    def __init__(self, rules: SlurmParameters, this_pass: SchedulingPass) -> None:
        self.rules, self.this_pass, self.now_s = rules, this_pass, this_pass.now_s
        self.table = WholeHosts()
        self.horizon_s = _down(this_pass.now_s + 60.0 * rules.bf_window, rules.bf_resolution)
        self.counts: Counter[tuple[str, int, int]] = Counter()
        for closure in this_pass.snapshot.closures:
            self.table.reserve(closure._replace(from_s=right_after(closure.from_s)))  # others may end as it begins
        if rules.bf_running_job_reserve:
            self._reserve_running()

    def run(self) -> None:
        """Walk the queue; each job is started, gets reserved whole hosts, or is left."""
        tried, before = 0, len(self.this_pass.started)
        for row in self.this_pass.rows(whole_arrays=True):
            if self.this_pass.has_started(row) or self.this_pass.lacks_cluster_wide_alone(row):
                continue
            if not self._counted(row):
                continue
            if tried == self.rules.bf_max_job_test:
                return
            tried += 1
            if not self._start(row) and not self._now_only(row):
                self._reserve(row)
            if 0 < self.rules.bf_max_job_start <= len(self.this_pass.started) - before:
                return

    def _counted(self, row: int) -> bool:
        """Whether the job is within every count of tries, in which it then counts."""
        rules, queue, part = self.rules, self.this_pass.snapshot.queue, self.this_pass.partition(row)
        user = -1 if queue.user is None else int(queue.user[row])
        counts = {
            ("user", user, 0): rules.bf_max_job_user,
            ("part", part, 0): rules.bf_max_job_part,
            ("user_part", user, part): rules.bf_max_job_user_part,
            ("assoc", user, int(queue.project[row])): rules.bf_max_job_assoc,
        }
        if any(0 < most <= self.counts[key] for key, most in counts.items()):
            return False
        self.counts.update(counts.keys())
        return True

    def _now_only(self, row: int) -> bool:
        """Whether no host may be reserved for the job."""
        queue, rules, part = self.this_pass.snapshot.queue, self.rules, self.this_pass.partition(row)
        array = -1 if queue.array is None else int(queue.array[row])
        late = 0 < rules.bf_job_part_count_reserve <= self.counts["reserve", part, 0]
        many = array >= 0 and self.counts["array", array, 0] >= rules.bf_max_job_array_resv
        job = self._job(row)
        again = rules.bf_one_resv_per_job and any(self._job(other) == job for other in self.this_pass.promised)
        return late or many or again or waits_for_now_only(rules, self.this_pass, row)

    def _start(self, row: int) -> bool:
        """Start the job now on hosts that no reservation needs while it runs."""
        open_now = self.table.open(
            self._job(row), self.now_s, self._end(row, self.now_s), len(self.this_pass.room.amounts)
        )
        return self.this_pass.start(row, open_now)

    def _reserve(self, row: int) -> None:
        """Reserve whole hosts for the job from its earliest start on, if that is within the window."""
        for start_s, hosts in self._chances(row):
            if start_s > self.horizon_s:
                return
            if hosts is not None:
                slot_s = self.rules.bf_resolution
                begin_s, end_s = _down(start_s, slot_s), _down(self._end(row, start_s), slot_s)
                whole = np.zeros(len(self.this_pass.room.amounts), dtype=bool)
                whole[list(hosts)] = True
                self.table.reserve(Closure(whole, begin_s, max(end_s, begin_s + slot_s)))
                self._note(row, Promise(start_s, hosts))
                return

    def _note(self, row: int, promise: Promise) -> None:
        self.this_pass.note(row, promise)
        self.counts["reserve", self.this_pass.partition(row), 0] += 1
        if self.this_pass.snapshot.queue.array is not None:
            self.counts["array", int(self.this_pass.snapshot.queue.array[row]), 0] += 1

    def _chances(self, row: int) -> Iterator[tuple[float, tuple[int, ...] | None]]:
        """Moments in their order, each with hosts for a start then, None if there are none.

        They are the ends of running jobs, of which those of a window count as one, and the ends of reservations.
        """
        free = list(self.this_pass.room.amounts)
        frees = list(self._frees(row))
        for time_s in sorted({end_s for end_s, _ in frees} | set(self.table.ends(self.now_s))):
            while frees and frees[0][0] <= time_s:
                for release in frees.pop(0)[1]:
                    free[release.host] = plus(free[release.host], release.demand)
            yield time_s, self._hosts_at(row, time_s, free)

    def _frees(self, row: int) -> Iterator[tuple[float, list[ExpectedEnd]]]:
        """The ends of running jobs on hosts of this one, in windows: the end of the last, and what all of them free.

        A window begins with an end and lasts 30 s, the next one twice as long (or longer by `bf_window_linear`).
        """
        may = self.this_pass.room.hosts_of(row)
        left = [release for release in self._releases() if may[release.host]]
        window_s = 30.0
        while left:
            until_s = left[0].end_s + window_s
            many = next((n for n, release in enumerate(left) if release.end_s > until_s), len(left))
            yield left[many - 1].end_s, left[:many]
            left = left[many:]
            window_s = window_s + self.rules.bf_window_linear if self.rules.bf_window_linear else 2 * window_s

    def _releases(self) -> list[ExpectedEnd]:
        """Expected ends as Slurm guesses them: a job past its limit is about to be stopped, or it is not."""
        running, queue = self.this_pass.snapshot.running, self.this_pass.snapshot.queue
        row = {int(job): n for n, job in enumerate(queue.job)}
        by_end = np.lexsort((running.job, running.expected_end_s)).tolist()
        held = running.demand if running.cards is None else np.hstack((running.demand, running.cards))
        job, host, demand = (column.tolist() for column in (running.job, running.host, held))
        found = [ExpectedEnd(self._estimate(task), job[task], host[task], tuple(demand[task])) for task in by_end]
        for place in self.this_pass.started:
            end_s, each = self._end(row[place.job], self.now_s), queue.requests[row[place.job]].each(place.cards)
            on_hosts = zip(place.hosts, each, strict=True)
            found += [ExpectedEnd(end_s, place.job, host, amounts) for host, amounts in on_hosts]
        return sorted(found, key=lambda release: release.end_s)

    def _estimate(self, task: int) -> float:
        """The end of running task number `task`."""
        running, now_s = self.this_pass.snapshot.running, self.now_s
        limit_s = float(running.expected_end_s[task])
        if limit_s > now_s:
            return limit_s
        if self.rules.over_time_limit is None:
            return now_s + (1.0 if running.start_s is None else limit_s - float(running.start_s[task]))
        return max(limit_s + self.rules.kill_wait + 60.0 * self.rules.over_time_limit, now_s + 1.0)

    def _hosts_at(self, row: int, start_s: float, free: list[Amounts]) -> tuple[int, ...] | None:
        room, queue = self.this_pass.room, self.this_pass.snapshot.queue
        usable = self.table.open(self._job(row), start_s, self._end(row, start_s), len(free)) & room.hosts_of(row)
        request, then = queue.requests[row], list(free)
        held = np.array([max(0.0, request.held_in(free[host])) for host in np.flatnonzero(usable)])
        return room.foresee(row, then, usable) if request.asked.fit(held) else None

    def _reserve_running(self) -> None:
        running, capacity = self.this_pass.snapshot.running, self.this_pass.room.capacity
        for n in np.flatnonzero(running.demand[:, 0] == capacity[running.host, 0]):
            whole = np.zeros(len(capacity), dtype=bool)
            whole[running.host[n]] = True
            self.table.reserve(Closure(whole, self.now_s, self._estimate(int(n))))

    def _end(self, row: int, start_s: float) -> float:
        return start_s + self.this_pass.expected_s(row)

    def _job(self, row: int) -> int:
        return self.this_pass.job(row)


def _down(time_s: float, resolution_s: float) -> float:
    return math.floor(time_s / resolution_s) * resolution_s
