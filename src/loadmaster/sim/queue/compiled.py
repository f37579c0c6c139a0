"""Replays a log with the compiled engine: lays out the arrays, runs it, names the result."""

from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.schedule import AnyPolicy, Discipline, names_of
from loadmaster.schedule.binding import Binding
from loadmaster.sim.queue.bound_records import CutRuns, bound_schedule
from loadmaster.sim.queue.compiled_engine import Parts, callbacks, go_on
from loadmaster.sim.queue.guess_kernel import Guess
from loadmaster.sim.queue.laid_out import columns_of, laid_out
from loadmaster.sim.queue.profile.layout import plan_of, with_room
from loadmaster.sim.queue.queue_state import DONE, MORE_ROOM, PROFILE, STARTED
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress


def replay_compiled(
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
    binding: Binding | None = None,
    guess: Guess | None = None,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does, compiled; `binding` is what binds its jobs.

    `guess` is what is expected of jobs that nothing binds, where that is not known before; then `workload` has its
    `expected_s` for estimates.

    Raises:
        InputError: a policy cannot be compiled, or rates a host with something that is not a finite number.
    """
    order, records = discipline.order, Records(workload, names_of(policy))
    arrays, bound = laid_out(workload, cluster, policy, discipline, interval_s, seed, records, binding, guess=guess)
    columns = columns_of(workload, bound, moving=arrays.rules.moving and not arrays.rules.told)
    if arrays.rules.moving and guess is not None:
        columns = columns._replace(expected_s=guess.expected_s)
    arrays = arrays._replace(columns=columns)
    parts = Parts(bound, own=True)
    if arrays.rules.backfilling == PROFILE:
        parts = Parts(plan=plan_of(arrays, workload, cluster, discipline))
    calls = callbacks(arrays, parts, policy, order)
    cut, status = CutRuns(), MORE_ROOM
    while status != DONE:
        status = go_on(arrays, calls, parts, policy, order)
        records.keep(int(arrays.log.rows[0]))
        if bound is not None:
            cut.keep(bound, workload.task_count)
        if status == MORE_ROOM and parts.plan is not None:
            parts = parts._replace(plan=with_room(parts.plan))
        if progress is not None:
            progress(min(int(arrays.state.tally[STARTED]), workload.jobs), workload.jobs)
    if binding is not None and bound is not None:
        return bound_schedule(records.schedule(), binding, bound, cut, cluster)
    return records.schedule()
