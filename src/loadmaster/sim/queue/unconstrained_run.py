"""Runs of jobs without constraints: compiled, as the same run on hosts of speed 1 where that is equal."""

from dataclasses import replace
from typing import Literal

import numpy as np

from loadmaster.backfilling import Easy
from loadmaster.model import Schedule, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import STATUSES
from loadmaster.scheduling.estimate_model import USERS
from loadmaster.sim.queue.card_runs import is_on_cards
from loadmaster.sim.queue.engine_cost import MANY_JOBS, is_cheaper_than_a_kept_plan
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.unit_speed import ends_of, in_one_speed

Engine = Literal["auto", "compiled", "planning", "reference"]
_TIMEOUT = STATUSES.index("timeout")


def replay_unconstrained(run: QueueRun, engine: Engine) -> Schedule | None:
    """The run, compiled; None if no form of the pass knows all of it, or if `engine` rules out the one that does."""
    if run.is_known_before:
        return _known_before(run, engine)
    return _estimated(run) if _corrects(run) else None


def is_compiled_unconstrained(run: QueueRun) -> bool:
    """Whether `replay_unconstrained` would make it, on hosts that hold each job."""
    if not run.is_known_before:
        return _corrects(run)
    if _shadow_serves(run):
        return True
    from loadmaster.sim.queue.engine import general_replay  # loads Numba
    from loadmaster.sim.queue.engine.profile import layout as profile

    by_general = run.workload.jobs >= MANY_JOBS and general_replay.serves(run.policy, run.discipline)
    on_cards = is_on_cards(run.workload, run.cluster)
    return by_general or (not on_cards and profile.knows(run.policy, run.discipline))


def _shadow_serves(run: QueueRun) -> bool:
    from loadmaster.sim.queue import capabilities as served

    return served.serves(run.policy, run.discipline) or served.serves_twin(run.policy, run.discipline)


def _corrects(run: QueueRun) -> bool:
    """Whether a compiled engine predicts and corrects while it runs."""
    from loadmaster.sim.queue import capabilities as served
    from loadmaster.sim.queue.engine.estimates import serves_corrections

    known = served.serves(run.policy, run.discipline) and not served.tracks_events_of(run.discipline.order)
    return known and serves_corrections(run.estimate_model, run.cluster, run.discipline)


def _known_before(run: QueueRun, engine: Engine) -> Schedule | None:
    """A run of which all that is expected, and all that limits cut, is known before."""
    model = run.estimate_model
    estimated = model.estimated(run.workload)
    quick, alike, one_speed = in_one_speed(estimated, run.cluster, run.discipline)
    quick, killed = _overrunning_jobs(quick, model.killed_after_s(run.workload))
    schedule = _cheapest(replace(run, workload=quick, cluster=alike, estimate_model=USERS), engine, one_speed=one_speed)
    if schedule is None:
        return None
    if model != USERS:
        schedule = replace(schedule, expected_s=estimated.expected_s)
    if killed.any():
        schedule = replace(schedule, status=np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32))
    if schedule.end_s is not None or (one_speed and quick is estimated):
        return schedule
    end_s = schedule.start_s + quick.runtime_s if one_speed else ends_of(estimated, run.cluster, schedule)
    return replace(schedule, end_s=end_s)


def _cheapest(run: QueueRun, engine: Engine, *, one_speed: bool) -> Schedule | None:
    """The run with the quickest form of the pass that knows all of it; None if there is none."""
    from loadmaster.sim.queue.engine import general_replay
    from loadmaster.sim.queue.engine import replay as compiled
    from loadmaster.sim.queue.engine.profile import layout as profile

    if engine in ("auto", "compiled") and _shadow_serves(run):
        return compiled.replay_compiled(run)
    planned = (run.workload, run.cluster, run.policy, run.discipline)
    plans = engine in ("auto", "planning") and one_speed and profile.serves(*planned)
    plans = plans and not is_on_cards(run.workload, run.cluster)
    if plans and not (engine == "auto" and is_cheaper_than_a_kept_plan(run.workload, run.cluster, run.discipline)):
        return compiled.replay_compiled(run)
    many = engine == "compiled" or (engine == "auto" and run.workload.jobs >= MANY_JOBS)
    if many and general_replay.serves(run.policy, run.discipline):
        return general_replay.replay_general(run)
    return None


def _estimated(run: QueueRun) -> Schedule:
    """A compiled run on hosts of speed 1 in which estimates are made or corrected."""
    from loadmaster.sim.queue.engine.estimates import estimates_of
    from loadmaster.sim.queue.engine.replay import replay_compiled

    workload, model = run.workload, run.estimate_model
    estimated = model.estimated(workload)
    expected_s = np.array(estimated.expected_s)
    cut, killed = _overrunning_jobs(estimated.expecting(expected_s), model.killed_after_s(workload))
    estimates = estimates_of(workload, expected_s, model, ends_count=type(run.discipline.backfilling) is Easy)
    schedule = replace(replay_compiled(replace(run, workload=cut), estimates=estimates), expected_s=expected_s)
    if not killed.any():
        return schedule
    status = np.where(killed & schedule.started, _TIMEOUT, -1).astype(np.int32)
    return replace(schedule, status=status, end_s=schedule.start_s + cut.runtime_s)


def _overrunning_jobs(quick: Workload, kill_s: Floats | None) -> tuple[Workload, Bools]:
    """The jobs on hosts of speed 1 with runtimes up to their limits, and bool[J] which of them those kill."""
    killed = np.zeros(quick.jobs, bool) if kill_s is None else np.asarray(quick.runtime_s > kill_s)
    if kill_s is None or not killed.any():
        return quick, killed
    return replace(quick, runtime_s=np.where(killed, kill_s, quick.runtime_s)), killed
