"""A fake engine: a cluster in memory with a simulated clock, to try policies and the loop on.

It does what real engines do wrong: jobs go while they are being placed, listings are old, nodes die with what runs on
them, the engine restarts and has forgotten, others meddle.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from loadmaster.live.fake.cluster import FakeCluster
from loadmaster.live.fake.fault_injection import FaultRates, ScheduledFault
from loadmaster.live.fake.listing import fake_listing
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import HELD, RUNNING, Capabilities, EngineDown, Observation, Refusal, job_of
from loadmaster.model import Cluster, Workload
from loadmaster.model.actions import Action, Hold, Repin, Start, Withdraw
from loadmaster.model.arrays import Floats


class FakeEngine:
    """See `Engine`: a `FakeCluster` that is observed and acted on, and the troubles on the way."""

    name = "fake"
    can = Capabilities()

    def __init__(
        self,
        workload: Workload,
        cluster: Cluster,
        clock: FakeClock,
        *,
        rates: FaultRates | None = None,
        faults: Sequence[ScheduledFault] = (),
        seed: int = 0,
        launch_s: float = 0.0,
        strange: Mapping[str, str] | None = None,
        looks_on: bool = False,
    ) -> None:
        """Args:
        workload: jobs that arrive by the clock and run as long as it says.
        cluster: the hosts.
        clock: the fake's own.
        rates: random troubles.
        faults: troubles at stated times.
        seed: of the random ones.
        launch_s: from being released to running.
        strange: by name, jobs that the model is to have no words for, and why.
        looks_on: its own scheduler starts what waits, as a shadow finds it at a site: by arrival, on the first
            hosts with room, past those that have none.
        """
        self.cluster = FakeCluster(workload, cluster, clock, launch_s, starts=looks_on)
        self._clock = clock
        self._rates, self._rng = rates or FaultRates(), np.random.default_rng(seed)
        self._faults = sorted(faults, key=lambda fault: fault.at_s)
        self._strange = dict(strange or {})
        self._number = {name: job for job, name in enumerate(self.ids)}
        self._token = 0
        self._last: Observation | None = None

    @property
    def ids(self) -> list[str]:
        """The names of all jobs."""
        return self.cluster.ids

    @property
    def over(self) -> dict[str, tuple[float, str]]:
        """By name, when and how each job ended."""
        return self.cluster.over

    @property
    def requeued(self) -> int:
        """How often a job has lost its host while it ran."""
        return self.cluster.requeued

    @property
    def ran(self) -> dict[str, int]:
        """By name, how often each job has begun to run."""
        return {name: job.ran for name, job in zip(self.ids, self.cluster.jobs, strict=True)}

    @property
    def free(self) -> Floats:
        """float64[H, R]: what is free now, in truth."""
        return self.cluster.free

    def observe(self) -> Observation:
        """See `Engine`."""
        self._pass_time()
        if self._spoiled("slow"):
            self._clock.sleep_until(self._clock.now_s() + 2.0)
            self._pass_time()
        if self._spoiled("down"):
            raise EngineDown("connection refused")
        if self._spoiled("stale") and self._last is not None:
            return self._last
        self._last = fake_listing(self.cluster, self._strange, str(self._token))
        return self._last

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`."""
        self._pass_time()
        name = job_of(action)
        job = self._number.get(name)
        if job is None or name in self.over or self.cluster.work.submit_s[job] > self._clock.now_s():
            return Refusal(action, "gone", "no such job")
        if self._spoiled("down"):
            raise EngineDown("connection refused")
        for trouble, text in (("denied", "permission denied"), ("busy", "try again")):
            if self._spoiled(trouble):
                return Refusal(action, trouble, text)  # type: ignore[arg-type]
        if self._spoiled("gone"):
            self.cluster.end(job, self._clock.now_s(), "cancelled")
            return Refusal(action, "gone", "job already finished")
        return self._do(action, job)

    def close(self) -> None:
        """See `Engine`."""

    def is_done(self) -> bool:
        """Every job has come, and is over or can never start."""
        return self.cluster.is_idle()

    def idle_until(self) -> float:
        """Until when nothing happens: until the next job comes, if there is none and no trouble; infinite when done."""
        if self.is_done():
            return np.inf
        troubled = bool(self._faults) or self._rates != FaultRates()
        return -np.inf if troubled else self.cluster.idle_until()

    def run_out(self, for_s: float, step_s: float = 60.0) -> None:
        """Let time pass without an observation and without faults."""
        self._rates, self._faults = FaultRates(), []
        until_s = self._clock.now_s() + for_s
        while self._clock.now_s() < until_s and not self.is_done():
            self._clock.sleep_until(self._clock.now_s() + step_s)
            self._pass_time()

    def _do(self, action: Action, number: int) -> Refusal | None:
        job = self.cluster.jobs[number]
        if job.state == RUNNING:
            return Refusal(action, "busy", "the job runs")
        match action:
            case Start(_, hosts) | Repin(_, hosts):
                if isinstance(action, Start) and job.state != HELD:
                    return Refusal(action, "busy", "the job is not held")
                self.cluster.pin(number, hosts, stuck=self._spoiled("stuck"))
                if self._spoiled("unfit"):
                    job.refuse()
            case Hold():
                job.hold()
            case Withdraw():
                job.hand_over(self._clock.now_s())
            case _:
                return Refusal(action, "unknown", "a fake cannot do that")
        self._pass_time()
        return None

    def _spoiled(self, trouble: str) -> bool:
        if self._faults and self._faults[0].trouble == trouble and self._faults[0].at_s <= self._clock.now_s():
            self._faults.pop(0)
            return True
        rate = getattr(self._rates, trouble)
        return bool(rate and self._rng.random() < rate)

    def _pass_time(self) -> None:
        """All that happens up to now; then troubles that come by themselves."""
        self.cluster.pass_time()
        names = self.cluster.hosts.names
        if self._spoiled("restart"):
            self._token += 1
            self.cluster.forget(self._strange)
        named = self._faults[0].what if self._faults else ""
        if self._spoiled("dead"):
            self.cluster.kill_host(names.index(named) if named in names else int(self._rng.integers(len(names))))
        if self._spoiled("meddle"):
            held = [job for job in self.cluster.here() if self.cluster.jobs[job].state == HELD]
            if held:
                self.cluster.release(int(self._rng.choice(held)))
