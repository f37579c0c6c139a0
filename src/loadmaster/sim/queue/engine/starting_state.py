"""The arrays of the compiled engine when jobs already run, as if the engine had started these jobs.

Its other values about hosts are upper bounds. They are set for empty hosts, and so they hold for any host.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadmaster.backfilling.pass_arrays import END
from loadmaster.model import Cluster, Schedule, StartingState, Workload
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.cards import cards_at_start, host_cards
from loadmaster.model.dependencies import KINDS
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.scheduling.snapshot_arrays import spans
from loadmaster.sim.queue.engine.cluster_amounts_state import begin_amounts
from loadmaster.sim.queue.engine.constraint_arrays import open_rows
from loadmaster.sim.queue.engine.constraint_state import SERIAL, ConstraintState
from loadmaster.sim.queue.engine.general_state import NOTED_EVENTS, GeneralPass
from loadmaster.sim.queue.engine.general_state import STARTED as STARTED_EVENT
from loadmaster.sim.queue.engine.host_pool import into_classes
from loadmaster.sim.queue.engine.queue_engine import QueueEngine
from loadmaster.sim.queue.engine.running_by_host_kernel import STALE, RunningByHost
from loadmaster.sim.queue.engine.state import EASY, LAST_HOST, RUNNING, STARTED, QueueState


class RunsAtStart(NamedTuple):
    """N jobs that run when the run begins, in the order of their starts.

    Attributes:
        job: int64[N]; row: int64[N], of the queue, the job itself where nothing binds jobs.
        start_s, expected_end_s, end_s, slowest: float64[N].
        first: int64[N + 1], where the hosts of each begin in host: int32[T].
        last_host: the host that got the last task.
        cards: int64[T], the cards of each task, as bits; None where GPUs are no cards (rule Q22).
    """

    job: Longs
    row: Longs
    start_s: Floats
    expected_end_s: Floats
    end_s: Floats
    slowest: Floats
    first: Longs
    host: Ints
    last_host: int
    cards: Longs | None


def runs_of_start(workload: Workload, cluster: Cluster, binding: ResolvedConstraints | None) -> RunsAtStart | None:
    """The jobs that run when a run of `workload` begins; None if there are none.

    Raises:
        InputError: the hosts, or their cards, do not hold the running jobs.
    """
    state = workload.starting
    if state is None:
        return None
    assert cluster.speed is not None
    tasks = workload.task_count[state.job].astype(np.int64)
    state.check_hosts(cluster, np.repeat(workload.demand[state.job], tasks, axis=0))
    began = np.cumsum(tasks) - tasks
    slowest = np.minimum.reduceat(cluster.speed[state.host], began) if state.jobs else np.zeros(0)
    expected_end_s, end_s = _ends(workload, state, slowest)
    order = np.lexsort((state.job, state.start_s))
    first = np.concatenate(([0], np.cumsum(tasks[order])))
    at = np.repeat(began[order] - first[:-1], tasks[order]) + np.arange(first[-1])
    job, cards = state.job[order], host_cards(workload, cluster)
    return RunsAtStart(
        job,
        job if binding is None else rows_that_run(binding)[job],
        state.start_s[order],
        expected_end_s[order],
        end_s[order],
        slowest[order],
        first,
        state.host[at],
        state.last_host,
        None if cards is None else cards_at_start(workload, cluster, cards)[at],
    )


def _ends(workload: Workload, state: StartingState, slowest: Floats) -> tuple[Floats, Floats]:
    """float64[N] each: when each running job is expected to end, and when it does."""
    expected_end_s, end_s = state.expected_end_s, state.end_s
    if expected_end_s is None:
        expected_end_s = state.start_s + workload.expected_s[state.job] / slowest
    if end_s is None:
        end_s = state.start_s + workload.runtime_s[state.job] / slowest
        end_s = np.maximum(end_s, np.nextafter(state.now_s, np.inf))
    return expected_end_s, end_s


def with_ends(schedule: Schedule, workload: Workload, cluster: Cluster) -> Schedule:
    """The schedule with the end of each job, where some ran at the beginning: these end as their state says."""
    if workload.starting is None:
        return schedule
    assert cluster.speed is not None
    slowest_speed = np.where(schedule.host >= 0, cluster.speed[schedule.host], 1.0)
    end_s = schedule.start_s + workload.runtime_s / np.minimum.reduceat(slowest_speed, workload.first_task[:-1])
    runs = runs_of_start(workload, cluster, None)
    assert runs is not None
    end_s[runs.job] = runs.end_s
    return replace(schedule, end_s=end_s)


def begin(engine: QueueEngine, runs: RunsAtStart, bound: ConstraintState | None) -> None:
    """Let `runs` run in `engine`, and in `bound`, at the beginning of a run; changed in place."""
    jobs, state, many = engine.jobs, engine.state, len(runs.job)
    counted, tasks = len(state.pool.many) > 0, np.diff(runs.first)
    first, host = runs.first, runs.host
    if counted:  # the engine has one host, and the pool their names
        _take_names(state, runs)
        first, host, tasks = np.arange(many + 1), np.zeros(many, np.int32), np.ones(many, np.int64)
    amount = jobs.demand[jobs.kind[np.repeat(runs.row, tasks)]]
    np.subtract.at(state.free, host, amount)
    engine.frontier.total[0] -= amount[:, 0].sum()
    np.add.at(state.used, jobs.project[runs.row], jobs.demand[jobs.kind[runs.row], 0] * jobs.tasks[runs.row])
    engine.log.start_s[runs.job] = runs.start_s
    task = np.repeat(jobs.first_task[runs.row] - first[:-1], tasks) + np.arange(first[-1])
    engine.log.host[task] = host
    by_host = np.lexsort((host, np.repeat(np.arange(many), tasks)))
    state.held[task] = host[by_host]
    if runs.cards is not None:
        _take_cards(state, host, amount, task, by_host, runs.cards)
    by_end = np.lexsort((runs.row, runs.end_s))  # a sorted list is a heap
    state.end_s[:many], state.ending[:many] = runs.end_s[by_end], runs.row[by_end]
    state.tally[RUNNING] = state.tally[STARTED] = many
    state.tally[LAST_HOST] = runs.last_host
    if engine.rules.backfilling == EASY:
        by_end = np.lexsort((runs.row, runs.expected_end_s))
        ends = engine.ends
        ends.main_s[:many], ends.main[:many] = runs.expected_end_s[by_end], runs.row[by_end]
        ends.running[runs.row], ends.size[1] = True, many
        assert state.running_by_host is not None
        state.running_by_host.end_s[runs.row] = runs.expected_end_s
        _move_in(state.running_by_host, np.repeat(runs.row, tasks), task, host[by_host])
    uses = spans(jobs.uses[runs.row], jobs.uses[runs.row + 1] - jobs.uses[runs.row])
    np.subtract.at(state.left, jobs.use_limit[uses], jobs.use_amount[uses])
    if state.amounts is not None:
        begin_amounts(state.amounts, jobs, runs.row, runs.expected_end_s)
    if bound is not None:
        _begin_bound(bound, runs)
    elif engine.rules.tracks_events:
        assert engine.ranked is not None
        happened = engine.ranked.happened
        happened.job[:many], happened.time_s[:many], happened.number[0] = runs.row, runs.start_s, many


def _take_names(state: QueueState, runs: RunsAtStart) -> None:
    """Give the running tasks their hosts in the pool."""
    pool, tasks = state.pool, np.diff(runs.first)
    np.subtract.at(pool.left, runs.host, 1)
    into_classes(pool)
    task = np.repeat(pool.first_task[runs.job] - runs.first[:-1], tasks) + np.arange(runs.first[-1])
    pool.host[task] = runs.host


def _take_cards(state: QueueState, host: Ints, amount: Floats, task: Longs, by_host: Longs, bits: Longs) -> None:
    """Give the running tasks their cards, and their hosts what is left by the two amounts that cards add."""
    cards = state.cards
    assert cards is not None
    cards.taken[task], cards.held[task] = bits, bits[by_host]
    part, whole = amount[:, cards.resources], amount[:, cards.resources + 1]
    for card in range(cards.free.shape[1]):
        np.subtract.at(cards.free[:, card], host, np.where(bits >> card & 1, np.where(whole > 0, 1.0, part), 0.0))
    state.free[:, cards.resources] = cards.free.max(axis=1)
    state.free[:, cards.resources + 1] = (cards.free >= 1.0).sum(axis=1)


def _move_in(running_by_host: RunningByHost, row: Longs, task: Longs, host: Ints) -> None:
    """As `running_by_host_kernel.move_in`, for all tasks at once: tasks of one row on one host are one run."""
    new = np.ones(len(task), np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (host[1:] != host[:-1])
    begins = np.flatnonzero(new)
    tasks = np.diff(np.append(begins, len(task)))
    for at, many in zip(begins.tolist(), tasks.tolist(), strict=True):
        here, one = int(host[at]), int(task[at])
        other = int(running_by_host.first[here])
        (
            running_by_host.job[one],
            running_by_host.tasks[one],
            running_by_host.following[one],
            running_by_host.before[one],
        ) = row[at], many, other, -1
        if other >= 0:
            running_by_host.before[other] = one
        running_by_host.first[here] = one
        running_by_host.many[here] += 1
    changed = np.unique(host)
    running_by_host.is_stale[changed] = True
    running_by_host.stale[: len(changed)], running_by_host.number[STALE] = changed, len(changed)


def rows_that_run(binding: ResolvedConstraints) -> Longs:
    """int64[J]: for each job the first row of the queue in which it may start, -1 if there is none."""
    rows, jobs = open_rows(binding), len(binding.eligible_s)
    found = np.full(jobs, -1)
    owner = binding.entries.job[rows]
    found[owner[::-1]] = np.arange(len(rows))[::-1]
    return found


def serves_starting_state(workload: Workload, binding: ResolvedConstraints) -> bool:
    """Whether the compiled engine can begin so under constraints; else the plain one does.

    Each running job has a row, work is not limited, and no running job keeps others waiting.
    """
    state = workload.starting
    if state is None:
        return True
    waits, job = binding.waits, state.job
    told = np.repeat(waits.kind == KINDS.index("after"), np.diff(waits.first_on))
    alone = not (np.isin(job, waits.on[told]).any() or (waits.group[job] >= 0).any())
    return bool(
        (rows_that_run(binding)[job] >= 0).all()
        and not binding.never[job].any()
        and alone
        and not (binding.throttled.array[job] >= 0).any()
        and not binding.timed
        and binding.rules.preemption.by == "none"
    )


def _begin_bound(bound: ConstraintState, runs: RunsAtStart) -> None:
    """Constraints of running jobs, beside `begin`."""
    many = len(runs.job)
    bound.job.end_s[runs.job], bound.job.has_begun[runs.job] = runs.end_s, True
    bound.row.serial[runs.row], bound.tally[SERIAL] = np.arange(many), many
    first = bound.job.submits
    if len(bound.sleeping.tasks) > 0:
        np.add.at(bound.sleeping.tasks, runs.host, 1)
    np.subtract.at(bound.most, bound.limit[spans(first[runs.job], first[runs.job + 1] - first[runs.job])], 1.0)


def begin_general(general: GeneralPass, runs: RunsAtStart) -> None:
    """The running jobs in the state of the general pass, beside `begin`."""
    many = len(runs.job)
    general.expected_end_s[runs.job], general.slowest_speed[runs.job] = runs.expected_end_s, runs.slowest
    general.started_as[runs.job], general.began_s[runs.job] = runs.row, runs.start_s
    each = np.repeat(np.arange(many), np.diff(runs.first))
    order = np.lexsort((np.arange(len(each)), runs.job[each], runs.expected_end_s[each]))
    each = each[order]
    end = np.zeros(len(each), END)
    end["end_s"], end["start_s"], end["host"] = runs.expected_end_s[each], runs.start_s[each], runs.host[order]
    end["kind"] = general.rows.of["kind"][runs.row[each]]
    general.ends.end[: len(each)], general.runs[: len(each)], general.ends.many[0] = end, runs.job[each], len(each)
    if general.ends.cards is not None:
        assert runs.cards is not None
        general.ends.cards[: len(each)] = runs.cards[order]
    if general.tracks_events:
        order_events = general.order_events[:many]
        order_events["job"], order_events["time_s"], order_events["how"] = runs.job, runs.start_s, STARTED_EVENT
        general.tally[NOTED_EVENTS] = many
