"""A run of the compiled engine that an agent drives: lays out the arrays, and carries out one action a call."""
# mypy: disable-error-code="no-untyped-call"

from collections.abc import Callable
from typing import Any

from numba import typeof, types

from loadmaster.backfilling import Easy, Skip
from loadmaster.jit.by_reference import ByReference, LaidOut
from loadmaster.jit.kernels import cached_njit
from loadmaster.jit.layouts import by_layout, entry_of
from loadmaster.measure.queue_metrics import BOUND_S
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.errors import OutOfRoom
from loadmaster.order import ORDERS
from loadmaster.place import Policy
from loadmaster.place.policy import not_finite
from loadmaster.scheduling import Discipline, Scheduler
from loadmaster.sim.queue.engine.arrays import engine_arrays
from loadmaster.sim.queue.engine.compilation import Parts, callbacks, type_of_calls
from loadmaster.sim.queue.engine.environment_kernel import step
from loadmaster.sim.queue.engine.environment_state import (
    BOUNDED_SLOWDOWN,
    DECIDING,
    NO_METRIC,
    WAIT,
    AgentView,
    empty_view,
)
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.engine.starting_state import with_ends
from loadmaster.sim.queue.engine.state import DONE, NOT_FINITE, OUT_OF_ROOM, PAUSED
from loadmaster.sim.queue.queue_run import QueueRun

PAID_AT_STARTS = {"mean_wait_s": WAIT, "mean_bounded_slowdown": BOUNDED_SLOWDOWN}
"""Metrics that are a mean over jobs, known as a job starts: each start pays its part."""


class EnvironmentRun:
    """One episode.

    Args:
        workload: its jobs.
        cluster: its hosts.
        policy: chooses hosts where an action does not.
        window: waiting jobs that the agent sees, the first to arrive.
        promises: the first job that cannot start is promised a start, as under EASY.
        metric: what starts pay for, if it is one of `PAID_AT_STARTS`.
        interval_s: seconds between decisions; 0 decides at every event.
        seed: for policies that draw.

    Attributes:
        view: what the agent sees, filled in place.
        free: float64[H, R], what is free of each host, changed in place.
        is_done: the episode is over.
    """

    def __init__(
        self,
        workload: Workload,
        cluster: Cluster,
        policy: Policy,
        window: int,
        *,
        promises: bool,
        metric: str,
        interval_s: float,
        seed: int,
    ) -> None:
        self._workload, self._cluster, self._policy = workload, cluster, policy
        order = ORDERS["fcfs"]
        discipline = Discipline(order, Easy() if promises else Skip())
        self._records = Records(workload)
        run = QueueRun(workload, cluster, Scheduler(policy, discipline), interval_s, seed)
        engine, _ = engine_arrays(run, self._records, pooled=False)
        engine = engine._replace(rules=engine.rules._replace(keeps=False))
        parts = Parts(shadow=True)
        engine = engine._replace(calls=callbacks(engine, parts, policy, order))
        self.view = empty_view(
            window,
            len(cluster.resources),
            promises=promises,
            metric=PAID_AT_STARTS.get(metric, NO_METRIC),
            bound_s=BOUND_S,
        )
        self._engine, self.free, self._rows = engine, engine.state.free, engine.log.rows
        self._step = _entry(engine, self.view)
        self._laid_out = LaidOut(engine), LaidOut(self.view)
        self._addresses = self._laid_out[0].address, self._laid_out[1].address
        self.is_done = False
        self._settle(self._go_on())

    def step(self, action: int, host: int) -> None:
        """Carry one action out, and go on to the next decision or the end.

        Raises:
            InputError: the policy rates a host with something that is not a finite number.
        """
        status = self._step(*self._addresses, True, action, host)
        if status != DECIDING:
            self._settle(status)

    def _settle(self, status: int) -> None:
        """Store full records and go on, until there is a decision or the end."""
        while status == PAUSED:
            self._keep()
            status = self._go_on()
        if status == NOT_FINITE:
            raise not_finite(self._policy.name)
        if status == OUT_OF_ROOM:
            raise OutOfRoom
        self.is_done = status == DONE

    def _go_on(self) -> int:
        """Go to the next decision without an action; returns as the kernel does."""
        return self._step(*self._addresses, False, -1, -1)

    def _keep(self) -> None:
        self._records.keep(int(self._rows[0]))
        self._rows[0] = 0

    def schedule(self) -> Schedule:
        """What has happened; after the end, as any engine gives it."""
        self._keep()
        return with_ends(self._records.schedule(), self._workload, self._cluster)


@by_layout
def _entry(engine: QueueEngine, view: AgentView) -> Callable[..., int]:
    """The kernel `step` for such arguments."""

    def entry(engine: Any, view: Any, acts: bool, action: int, host: int) -> int:
        return step(engine, view, acts, action, host)  # type: ignore[no-any-return]

    calls = type_of_calls(engine, Parts(shadow=True))
    kind = types.NamedTuple((*map(typeof, engine[:-1]), calls), QueueEngine)
    lent = ByReference(kind), ByReference(typeof(view))
    signature = types.int64(*lent, types.boolean, types.int64, types.int64)
    return entry_of(cached_njit(signature, nogil=True, error_model="numpy")(entry))
