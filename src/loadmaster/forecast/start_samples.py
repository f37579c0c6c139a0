"""Samples of the start of a waiting job: each simulates the queue onward with drawn runtimes and arrivals (rule F2)."""

import math
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.forecast.arrivals import NO_ARRIVALS, DrawnArrivals, PastArrivals
from loadmaster.forecast.queue_snapshot import QueueSnapshot
from loadmaster.measure.resample import drawn_log
from loadmaster.measure.runtime_history import RuntimeHistory
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.starting_state import StartingState
from loadmaster.scheduling import AnyPolicy, Discipline
from loadmaster.scheduling.estimate_model import EstimateModel
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine_cost import engine_for

LONGEST_S = 8 * 7 * 86400.0
"""A job that does not start within eight weeks of later arrivals counts as one that never starts."""
_MARGIN, _LEAST_S = 1.25, 3600.0


@dataclass(frozen=True, eq=False)
class SchedulerRules:
    """The scheduler, the same in every sample.

    Attributes:
        policy: rates hosts.
        discipline: serves the queue.
        interval_s: seconds between cycles; 0 decides at every event.
        seed: of all draws.
        estimate_model: what the discipline counts on.
    """

    policy: AnyPolicy
    discipline: Discipline
    interval_s: float
    seed: int
    estimate_model: EstimateModel


@dataclass(frozen=True, eq=False)
class ForecastBasis:
    """What the samples of one moment have in common.

    Attributes:
        workload: the table of all jobs, those of the state and those of the past.
        cluster: the hosts.
        rules: what decides.
        state: the queue at the moment.
        runtimes: of jobs that had ended by then; None: every job runs up to its limit.
        arrivals: of the past; None: no further job arrives.
        by_seconds: the log tells no limits, so that runtimes are drawn as seconds and not as parts of the limit.
    """

    workload: Workload
    cluster: Cluster
    rules: SchedulerRules
    state: QueueSnapshot
    runtimes: RuntimeHistory | None
    arrivals: PastArrivals | None
    by_seconds: bool = False

    def durations_s(self, samples: int) -> Floats:
        """float64[S, N]: how long each job of the state runs in each sample, from its start on."""
        rows, held_s = self.state.rows, self.state.held_s
        limit_s = self.workload.expected_s[rows]
        if self.runtimes is None:
            return np.tile(np.maximum(limit_s, held_s + 1e-3), (samples, 1))
        uniform = np.array([self._rng(number, 0).random(rows.size) for number in range(samples)])
        user = np.full(rows.size, -1) if self.workload.user is None else self.workload.user[rows]
        part_of_s = np.zeros(rows.size) if self.by_seconds else limit_s
        columns = [
            self.runtimes.lasts_s(int(user[n]), float(part_of_s[n]), float(held_s[n]), uniform[:, n])
            for n in range(rows.size)
        ]
        lasts_s = np.column_stack(columns)
        if self.by_seconds and self.workload.estimate_s is not None:
            lasts_s = np.minimum(lasts_s, limit_s)
        return np.maximum(lasts_s, held_s + 1e-3)

    def starts_s(self, job: int, samples: int) -> Floats:
        """float64[S]: when a waiting job starts in each sample; infinite where it never does.

        Args:
            job: its place among the jobs of the state.
            samples: how many, S.
        """
        durations_s = self.durations_s(samples)
        if self.arrivals is None:
            return np.array([self._start(job, each, NO_ARRIVALS) for each in durations_s])
        alone_s = self._start(job, durations_s[0], NO_ARRIVALS)
        if not math.isfinite(alone_s):
            return np.full(samples, math.inf)
        first_s = _MARGIN * (alone_s - self.state.now_s) + _LEAST_S
        return np.array([self._sampled(job, number, each, first_s) for number, each in enumerate(durations_s)])

    def _sampled(self, job: int, number: int, durations_s: Floats, horizon_s: float) -> float:
        """The start in one sample; arrivals are drawn until after it, since later ones cannot change it."""
        assert self.arrivals is not None
        while True:
            horizon_s = min(horizon_s, LONGEST_S)
            arrivals = self.arrivals.after(horizon_s, self._rng(number, 1))
            start_s = self._start(job, durations_s, arrivals)
            if start_s <= self.state.now_s + horizon_s:
                return start_s
            if horizon_s >= LONGEST_S:
                return math.inf
            horizon_s *= 2.0

    def _rng(self, number: int, what: int) -> np.random.Generator:
        return np.random.default_rng([self.rules.seed, number, what])

    def _start(self, job: int, durations_s: Floats, arrivals: DrawnArrivals) -> float:
        workload = self._workload(durations_s, arrivals)
        rules = self.rules
        cluster = self.cluster.calendar_moved(-self._zero_s)
        schedule = simulate(
            workload,
            cluster,
            rules.policy,
            rules.discipline,
            interval_s=rules.interval_s,
            seed=rules.seed,
            engine=engine_for(workload) if self.runtimes is None else "compiled",  # a run or many
            estimate_model=rules.estimate_model,
        )
        start_s = float(schedule.begin_s[job])
        return start_s + self._zero_s if math.isfinite(start_s) else math.inf

    @property
    def _zero_s(self) -> float:
        """What is taken off all times, so that a simulation begins near 0."""
        return float(self.workload.submit_s[self.state.rows[0]])

    def _workload(self, durations_s: Floats, arrivals: DrawnArrivals) -> Workload:
        """The jobs of the state, which come first, and the arrivals."""
        state, zero_s = self.state, self._zero_s
        source = np.concatenate((state.rows, arrivals.rows))
        submit_s = np.concatenate((self.workload.submit_s[state.rows], arrivals.submit_s)) - zero_s
        copy = np.concatenate((np.zeros(state.rows.size, np.int64), arrivals.copy))
        user = None if self.workload.user is None else self.workload.user[source]
        drawn = drawn_log(self.workload, source, submit_s, copy, user=user).workload
        runtime_s = np.concatenate((durations_s, self.workload.runtime_s[arrivals.rows]))
        running = np.flatnonzero(state.runs)
        begins = StartingState(
            state.now_s - zero_s,
            running,
            state.start_s[running] - zero_s,
            state.host,
            end_s=state.start_s[running] - zero_s + durations_s[running],
        )
        return replace(drawn, runtime_s=runtime_s, starting=begins)
