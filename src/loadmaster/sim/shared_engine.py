"""The door to time-shared hosts: one call makes a run, compiled where it can be, plain on request."""

# mypy: disable-error-code="no-untyped-call"
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from loadmaster.kernels import LEAN, kept_njit
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.move.assign_u_r import AssignUR
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.mosix import Mosix
from loadmaster.place.policy import Context, Policy
from loadmaster.sim.shared_kernel import handle_events
from loadmaster.sim.shared_reference import replay_shared
from loadmaster.sim.shared_run import Progress, SharedProblem, SharedRun
from loadmaster.sim.shared_state import (
    ASSIGN_U_R,
    ENDED,
    ENHANCED_MOSIX,
    EVENTS,
    MOSIX,
    NO_MOVER,
    SCALE,
    Rules,
    allocate,
)

Engine = Literal["auto", "reference"]
CHUNK = 200_000
"""Events between two calls of a progress function, fewer on many hosts: an arrival or a tick may look at each."""


def simulate_shared(problem: SharedProblem, *, engine: Engine = "auto", progress: Progress | None = None) -> SharedRun:
    """Run all jobs of `problem` to their end on time-shared hosts (rules S1 to S6).

    Args:
        problem: jobs, hosts, method and sharing model.
        engine: `reference` for the plain Python engine; `auto` is compiled, save for a mover of the user's own.
        progress: told of the progress of long runs.

    Example:
        >>> from loadmaster.schedule.time_shared import METHODS
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[3, 3], cores=[1, 1], memory=[1, 1])
        >>> hosts = Cluster.uniform(1, cores=1, memory=4)
        >>> simulate_shared(SharedProblem(jobs, hosts, METHODS["pvm"])).end_s.tolist()
        [6.0, 6.0]
    """
    mover = problem.method.mover
    if engine == "reference" or not isinstance(mover, Mosix | EnhancedMosix | AssignUR | None):
        return replay_shared(problem)
    world, jobs, clock, buffers = allocate(problem)
    plain, contextual = _scores(problem.method.policy)
    handle, rules = _engine(), rules_of(problem)
    chunk = min(CHUNK, max(256, 4_000_000 // problem.cluster.hosts))
    while handle(world, jobs, clock, rules, buffers, plain, contextual, chunk):
        if progress is not None:
            progress(int(clock.whole[ENDED]), len(world.tasks))
    tasks = world.tasks
    first, host, moves = (tasks[name].astype(np.int32) for name in ("first_host", "host", "moves"))
    return SharedRun(tasks["end_s"].copy(), first, host, moves, float(clock.real[SCALE]), int(clock.whole[EVENTS]))


def rules_of(problem: SharedProblem) -> Rules:
    """The numbers that steer the kernel."""
    method = problem.method
    rules = Rules(
        thrash=float(problem.sharing.thrash), scaled=method.scaled, overcommit=method.overcommit,
        contextual=method.policy.contextual, seed=int(problem.seed), mover=NO_MOVER, period_s=0.0, fanout=0,
        free_fraction=0.0, stability=0.0,
    )  # fmt: skip
    mover = method.mover
    if isinstance(mover, Mosix):
        return rules._replace(
            mover=MOSIX, period_s=float(mover.period_s), fanout=mover.fanout,
            free_fraction=float(mover.free_fraction), stability=float(mover.stability),
        )  # fmt: skip
    if isinstance(mover, EnhancedMosix):
        return rules._replace(mover=ENHANCED_MOSIX, period_s=float(mover.period_s), fanout=mover.fanout)
    if isinstance(mover, AssignUR):
        return rules._replace(mover=ASSIGN_U_R)
    return rules


def _plain_signature() -> Any:
    from numba import types

    row = types.Array(types.float64, 1, "C")
    return types.float64(row, row, row)


def _context_signature() -> Any:
    from numba import types

    row = types.Array(types.float64, 1, "C")
    return types.float64(row, row, row, types.NamedUniTuple(types.int64, len(Context._fields), Context))


@lru_cache(maxsize=256)
def _scores(policy: Policy) -> tuple[Any, Any]:
    """(score without a context, score with one), one of them a stand-in that is never called."""
    from numba.core.errors import NumbaError

    from loadmaster.place.first_fit import first_fit
    from loadmaster.place.round_robin import round_robin

    def compiled(score: Any, signature: Any) -> Any:
        return kept_njit(signature, nogil=True, error_model="numpy")(score)

    try:
        if policy.contextual:
            return compiled(first_fit, _plain_signature()), compiled(policy.score, _context_signature())
        return compiled(policy.score, _plain_signature()), compiled(round_robin, _context_signature())
    except NumbaError as error:
        raise InputError(
            policy.name, f"this policy cannot be compiled: {str(error).strip().splitlines()[0]}",
            fix="use numbers, loops and math only",
        ) from error  # fmt: skip


@lru_cache(maxsize=1)
def _engine() -> Callable[..., bool]:
    """The engine, compiled once for all policies: they come in as typed functions."""
    from numba import typeof, types

    from loadmaster.schedule.time_shared import METHODS

    def entry(world, jobs, clock, rules, buffers, plain, contextual, most):  # type: ignore[no-untyped-def]
        return handle_events(world, jobs, clock, rules, buffers, plain, contextual, most)

    example = SharedProblem(
        Workload.of(submit_s=[0], runtime_s=[1], cores=[1], memory=[1]), Cluster.uniform(1, cores=1, memory=1),
        METHODS["pvm"],
    )  # fmt: skip
    world, jobs, clock, buffers = allocate(example)
    arguments = [typeof(value) for value in (world, jobs, clock, rules_of(example), buffers)]
    functions = [types.FunctionType(_plain_signature()), types.FunctionType(_context_signature())]
    signature = types.boolean(*arguments, *functions, types.int64)
    engine: Callable[..., bool] = kept_njit(signature, **LEAN)(entry)
    return engine
