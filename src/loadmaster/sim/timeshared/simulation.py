"""Simulates time-shared hosts: one call makes a run, compiled where it can be, plain on request."""

# mypy: disable-error-code="no-untyped-call"
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from loadmaster.compiled_rules.policies import CONTEXT_SCORE, SCORE, check_policy, refusing, scorer
from loadmaster.jit.by_reference import by_reference
from loadmaster.jit.kernels import LEAN, cached_njit
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.move.assign_u_r import AssignUR
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.mosix import Mosix
from loadmaster.move.mover import check_mover
from loadmaster.place import POLICIES
from loadmaster.place.policy import Policy, not_finite
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sim.timeshared.problem import Progress, TimesharedProblem, TimesharedRun
from loadmaster.sim.timeshared.reference import replay_timeshared
from loadmaster.sim.timeshared.state import (
    ASSIGN_U_R,
    ENDED,
    ENDLESS,
    ENHANCED_MOSIX,
    EVENTS,
    MOSIX,
    NEVER_S,
    NO_MOVER,
    SCALE,
    WRONG,
    TimesharedRules,
    allocate,
    search_of,
)
from loadmaster.sim.timeshared.timeshared_kernel import handle_events

Engine = Literal["auto", "reference"]
CHUNK = 200_000
"""Events between two calls of a progress function, fewer on many hosts: an arrival or a tick may look at each."""


def simulate_timeshared(
    problem: TimesharedProblem, *, engine: Engine = "auto", progress: Progress | None = None
) -> TimesharedRun:
    """Run all jobs of `problem` to their end on time-shared hosts (rules S1 to S6).

    Args:
        problem: jobs, hosts, method and sharing model.
        engine: `reference` for the plain Python engine; `auto` is compiled, save for a mover, a sharing model or a
            subclass of the user's own, which only the plain one can ask.
        progress: called with the progress of long runs.

    Raises:
        InputError: the policy, the mover or the sharing model is not sound, or a task would end after 1e300 s only.

    Example:
        >>> from loadmaster.scheduling.time_shared import METHODS
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[3, 3], cores=[1, 1], memory=[1, 1])
        >>> hosts = Cluster.uniform(1, cores=1, memory=4)
        >>> simulate_timeshared(TimesharedProblem(jobs, hosts, METHODS["pvm"])).end_s.tolist()
        [6.0, 6.0]
    """
    policy, cluster = problem.method.policy, problem.cluster
    check_mover(problem.method.mover)
    check_policy(policy, problem.demand_seen, cluster.capacity, cluster.resources)
    if engine == "reference" or not is_compiled(problem):
        return replay_timeshared(problem, progress)
    world, jobs, clock, buffers = allocate(problem)
    plain, contextual = _scores(policy)
    handle, rules = _engine(), rules_of(problem)
    chunk = min(CHUNK, max(256, 4_000_000 // cluster.hosts))
    more = True
    while more:
        with refusing(policy):
            more = handle(world, jobs, clock, rules, buffers, plain, contextual, chunk)
        if clock.whole[WRONG]:
            raise not_finite(policy.name)
        if clock.whole[ENDLESS]:
            longest_s = float(problem.workload.runtime_s.max())
            fix = "check runtime_s, the speeds of the hosts and the time that memory takes to travel"
            raise InputError(longest_s, f"no task ends within {NEVER_S:g} s", fix=fix)
        if more and progress is not None:
            progress(int(clock.whole[ENDED]), len(world.tasks))
    tasks = world.tasks
    first, host, moves = (tasks[name].astype(np.int32) for name in ("first_host", "host", "moves"))
    return TimesharedRun(tasks["end_s"].copy(), first, host, moves, float(clock.real[SCALE]), int(clock.whole[EVENTS]))


def is_compiled(problem: TimesharedProblem) -> bool:
    """Whether the compiled engine knows all of `problem`; by exact type, since a subclass has rules of its own."""
    method = problem.method
    return type(method.mover) in _MOVERS and type(problem.sharing) is ProcessorSharing and type(method.policy) is Policy


def rules_of(problem: TimesharedProblem) -> TimesharedRules:
    """The numbers that steer the kernel."""
    method = problem.method
    rules = TimesharedRules(
        thrash=float(problem.thrash),
        scaled=method.scaled,
        overcommit=method.overcommit,
        contextual=method.policy.contextual,
        seed=int(problem.seed),
        search=search_of(method),
        mover=NO_MOVER,
        period_s=0.0,
        fanout=0,
        free_fraction=0.0,
        stability=0.0,
    )
    return rules._replace(**_MOVERS[type(method.mover)](method.mover))


_MOVERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    type(None): lambda _: {},
    Mosix: lambda mover: {
        "mover": MOSIX, "period_s": float(mover.period_s), "fanout": mover.fanout,
        "free_fraction": float(mover.free_fraction), "stability": float(mover.stability),
    },
    EnhancedMosix: lambda mover: {
        "mover": ENHANCED_MOSIX, "period_s": float(mover.period_s), "fanout": mover.fanout,
    },
    AssignUR: lambda _: {"mover": ASSIGN_U_R},
}  # fmt: skip
"""What the kernel must know of each mover that is compiled."""


def _scores(policy: Policy) -> tuple[Any, Any]:
    """(score without a context, score with one), one of them a stand-in that is never called."""
    if policy.contextual:
        return scorer(POLICIES["first-fit"]), scorer(policy)
    return scorer(policy), scorer(POLICIES["round-robin"])


@lru_cache(maxsize=1)
def _engine() -> Callable[..., bool]:
    """The engine, compiled once for all policies: they come in as typed functions."""
    from numba import typeof, types

    from loadmaster.scheduling.time_shared import METHODS

    def entry(world, jobs, clock, rules, buffers, plain, contextual, most):  # type: ignore[no-untyped-def]
        return handle_events(
            by_reference(world),
            by_reference(jobs),
            by_reference(clock),
            by_reference(rules),
            by_reference(buffers),
            plain,
            contextual,
            most,
        )

    example = TimesharedProblem(
        Workload.of(submit_s=[0], runtime_s=[1], cores=[1], memory=[1]),
        Cluster.uniform(1, cores=1, memory=1),
        METHODS["pvm"],
    )
    world, jobs, clock, buffers = allocate(example)
    arguments = [typeof(value) for value in (world, jobs, clock, rules_of(example), buffers)]
    functions = [types.FunctionType(SCORE), types.FunctionType(CONTEXT_SCORE)]
    signature = types.boolean(*arguments, *functions, types.int64)
    engine: Callable[..., bool] = cached_njit(signature, **LEAN)(entry)
    return engine
