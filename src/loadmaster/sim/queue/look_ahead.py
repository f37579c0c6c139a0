"""The look-ahead of a twin: the simulator runs the queue of a snapshot to its end, compiled where possible."""

from dataclasses import replace

from loadmaster.model import Schedule
from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Snapshot
from loadmaster.order import JobColumns
from loadmaster.place import Policy
from loadmaster.scheduling import Discipline, Scheduler, Twin, members_of
from loadmaster.sim.queue.card_runs import is_on_cards
from loadmaster.sim.queue.from_snapshot import Beginning, beginning
from loadmaster.sim.queue.plain.scheduler_like import PlainDecisions
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.reference import Replay


def looking_ahead(discipline: Discipline, *, plainly: bool = False) -> Discipline:
    """The discipline as it decides: a twin with what it looks ahead by; `plainly`: in plain Python."""
    if not isinstance(discipline, Twin):
        return discipline
    return replace(discipline, look_ahead=look_ahead_plainly if plainly else look_ahead)


def look_ahead(snapshot: Snapshot, policy: Policy, discipline: Discipline, columns: JobColumns) -> Floats:
    """When each row's job starts if no job arrives any more (rule Q19); NaN for one that never starts.

    Args:
        snapshot: where things stand.
        policy: rates hosts.
        discipline: its order is a function of job and time.
        columns: what orders know of the rows of the queue.

    Returns:
        float64[Q], seconds.

    Raises:
        InputError: policy or order fail.
    """
    run, scheduler = beginning(snapshot, columns), Scheduler(policy, discipline)
    schedule = _compiled_run(run, scheduler, snapshot.seed)
    return schedule.start_s[run.job] if schedule is not None else _plain_starts(run, scheduler, snapshot.seed)


def look_ahead_plainly(snapshot: Snapshot, policy: Policy, discipline: Discipline, columns: JobColumns) -> Floats:
    """The same in plain Python, which defines it."""
    return _plain_starts(beginning(snapshot, columns), PlainDecisions(Scheduler(policy, discipline)), snapshot.seed)


def _compiled_run(run: Beginning, scheduler: Scheduler, seed: int) -> Schedule | None:
    """The run on a compiled engine; None where none knows its rules."""
    from loadmaster.compiled_rules.policies import never_remembered  # hundreds of kernels
    from loadmaster.sim.queue import capabilities
    from loadmaster.sim.queue.engine import general_replay, replay

    policy, discipline = scheduler.policy, scheduler.discipline
    if is_on_cards(run.workload, run.cluster):
        return None
    ahead = QueueRun(run.workload, run.cluster, scheduler, seed=seed)
    numbered = any(map(never_remembered, members_of(policy)))  # such a policy may request the numbers of tasks
    if run.binding is None and capabilities.serves(policy, discipline) and not numbered:
        return replay.replay_compiled(ahead)
    if not general_replay.serves(policy, discipline):
        return None
    return general_replay.replay_general(ahead, binding=run.binding)


def _plain_starts(run: Beginning, scheduler: Scheduler | PlainDecisions, seed: int) -> Floats:
    """float64[Q]: starts on the plain engine."""
    schedule = Replay(run.workload, run.cluster, scheduler, 0.0, seed, binding=run.binding).run()
    return schedule.start_s[run.job]
