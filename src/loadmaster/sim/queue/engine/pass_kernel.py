"""One scheduling pass over the queue, compiled: which jobs start now, for one backfilling and one placement policy.

A pass only plans: its starts stand in `plan_job[1]` and in the undo list, and can be taken back. Max-Jobs needs this:
it lets several policies pass over the same state.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.allocate_kernel import place, renew_if_changed
from loadmaster.sim.queue.engine.changed_hosts_kernel import (
    failures_hold,
    first_new,
    may_reuse_failures,
    renew_changed_hosts,
)
from loadmaster.sim.queue.engine.cluster_amounts_kernel import (
    change_amounts_then,
    count_against,
    lacks_amounts,
    note_expected_end,
)
from loadmaster.sim.queue.engine.eligible_hosts_kernel import (
    is_offered,
    may_pass_over,
    note_start,
    pass_over_array,
    was_restricted,
)
from loadmaster.sim.queue.engine.fair_share_queue_kernel import (
    change_use,
    is_satisfied,
    neediest_project,
    rank_projects,
    use_more,
)
from loadmaster.sim.queue.engine.head_promise_kernel import promise
from loadmaster.sim.queue.engine.host_reservations_kernel import (
    clear_reservations,
    reopen,
    reserve,
    reserved_hosts,
)
from loadmaster.sim.queue.engine.infeasible_cache_kernel import is_infeasible, is_known_by_steps, record_failure
from loadmaster.sim.queue.engine.queue_tree_kernel import length_of, may_fit, next_fitting, next_waiting, pass_empty
from loadmaster.sim.queue.engine.ranked_queue_kernel import begin_ranked, begin_shortest, next_ranked, next_shortest
from loadmaster.sim.queue.engine.state import (
    AT_FIRST,
    BLOCKING,
    CHOICE,
    COUNTED,
    EASY,
    FAN,
    HEAD,
    HOSTS,
    LONG,
    MOVES,
    NEWS,
    OLD,
    PARTLY,
    PENDING,
    PLANNED,
    SHORT,
    STAMP,
    THIS_HEAD,
    UNDO,
    WALK,
)


@inner
def serve(engine, member, bound, now):
    """Let one member pass over the queue; its starts go to plan_job[1] and the undo list. Returns wrong or 0."""
    count = engine.state.tally
    begin_pass(engine, bound, engine.rules.ticked)
    if engine.ranked is not None and engine.rules.moving:
        begin_ranked(engine.ranked)
    tried = kept = 0
    wrong = 0
    chosen = False
    engine.state.news.number[AT_FIRST] = 0
    head = np.int64(-1)
    unseen = may_pass_over(bound)
    passing = (
        unseen and engine.rules.backfilling == WALK and engine.rules.reservations == 0 and engine.rules.lookahead < 0
    )
    # jobs that are known to fit nowhere are only counted
    counting = (
        bound is None
        and engine.rules.backfilling == WALK
        and engine.rules.reservations < 0
        and engine.rules.lookahead < 0
        and engine.rules.everywhere
    )
    first = np.int64(0)  # jobs from here on are tried on all hosts; jobs before it on changed hosts alone
    if bound is None and passing and may_reuse_failures(engine.rules, engine.state):
        first = _try_changed_hosts(engine)
    while reserved_hosts(engine.state) < engine.capacity.shape[0] and tried != engine.rules.lookahead:
        if engine.ranked is not None and engine.rules.shortest and head >= 0:
            job, project = next_shortest(engine.ranked, engine.frontier, engine.head_promise, now), 0
        elif engine.ranked is not None and engine.rules.moving:
            job, project = next_ranked(engine.ranked, engine.frontier, engine.head_promise, bound, now, passing), 0
        elif engine.ranked is not None and bound is None and engine.rules.ticked:
            job, project = _next_of_two(engine, now, passing), 0
        else:
            job, project = _next(engine, now, passing, first, counting)
        if job < 0:
            break
        if not is_offered(engine.jobs, engine.state, bound, job):
            continue
        tried += 1
        placed = False
        if engine.head_promise is not None and head >= 0 and engine.head_promise.number[HEAD] < 0:
            promise(engine, head, now)  # computed only when a job behind the head might fit
            if first > 0:
                renew_changed_hosts(engine)
        fastest = engine.state.fastest[engine.jobs.hosts[job]]
        length = length_of(engine.head_promise, now, engine.jobs.expected_s[job] / fastest)
        # a job that the last pass tried: only changed hosts can hold it
        is_old = first > 0 and engine.waiting.position[job] < first
        if chosen and may_fit(engine.jobs, engine.frontier, job, length):
            count[CHOICE] = 1
        # the first LONG job of the pass: compute what the reservation leaves
        is_first_long = (
            length == LONG and engine.frontier.fresh[LONG] < 0 and first == 0 and engine.jobs.tasks[job] == 1
        )
        if engine.head_promise is not None and is_first_long:
            renew_if_changed(engine, job, LONG)
        # three cheap refusals before any host is looked at
        lacking = lacks_amounts(engine, job, now, fastest, length)
        if (
            not lacking
            and may_fit(engine.jobs, engine.frontier, job, length)
            and not is_infeasible(engine.jobs, engine.state, job, length)
        ):
            if (
                engine.head_promise is not None
                and engine.head_promise.number[HEAD] >= 0
                and engine.rules.several_speeds
            ):
                count[CHOICE] = 1  # the host may decide when the job ends
            placed, length, wrong = place(engine, member, bound, job, now)
            if wrong:
                break
            if not placed and is_old:
                renew_changed_hosts(engine)
            # the frontier was too high for this job: make it exact
            elif not placed and engine.jobs.tasks[job] == 1:
                renew_if_changed(engine, job, length)
        if placed:
            plan_start(engine, bound, job, project, now)
            if length == LONG:
                change_amounts_then(engine.jobs, engine.state, job, -1.0)
            chosen |= not is_old or engine.state.news.number[HOSTS] > 1 or engine.jobs.tasks[job] > 1
            continue
        pass_over_array(engine.state, bound, job)
        if engine.rules.backfilling == BLOCKING:
            break
        if engine.head_promise is not None and engine.rules.backfilling == EASY and head < 0:
            head = job
            passing = unseen
            if engine.ranked is not None and engine.rules.shortest:
                begin_shortest(engine.ranked, engine.frontier, engine.head_promise, now, head)
            # the last pass tells something only if no job has started before the head
            engine.state.news.number[AT_FIRST] = 1 if count[PLANNED] == 0 else 0
            known = bound is None and count[PLANNED] == 0 and may_reuse_failures(engine.rules, engine.state)
            if known and failures_hold(engine, head, now):
                first = _try_changed_hosts(engine)
            continue
        if not (lacking or was_restricted(bound)):
            if (
                # the least demand of the log fits nowhere, so no other job fits either
                engine.rules.everywhere
                and length == SHORT
                and engine.jobs.smallest[engine.jobs.kind[job]]
                and engine.jobs.tasks[job] == 1
            ):
                break
            if length == SHORT:
                record_failure(engine.jobs, engine.state, job, SHORT, engine.jobs.tasks[job])
        if engine.rules.backfilling == WALK and (engine.rules.reservations < 0 or kept < engine.rules.reservations):
            reserve(engine, job)
            kept += 1
    end_pass(engine)
    engine.state.news.number[THIS_HEAD] = head
    return wrong


@inlined
def begin_pass(engine, bound, ticked):
    """Reset what holds for one pass: reservations, cursors, the head, the undo list."""
    count = engine.state.tally
    if engine.head_promise is not None:
        engine.head_promise.number[HEAD] = -1
        if bound is not None:
            engine.head_promise.number[COUNTED] = -1  # hosts have changed without a recount
    count[STAMP] += 1
    count[MOVES] += 1
    count[UNDO] = count[PLANNED] = count[PARTLY] = count[CHOICE] = 0
    engine.state.paretos[0] = engine.state.paretos[1] = 0
    clear_reservations(engine.state)
    engine.frontier.fresh[LONG] = -1
    if engine.state.amounts is not None and engine.state.news.number[OLD] == 0:
        engine.state.amounts.lacked[0] = False
    for run in range(engine.state.cursor.shape[0]):
        engine.state.cursor[run] = engine.waiting.span[run] if ticked else engine.waiting.edge[0, run]
    if not ticked:
        rank_projects(engine.state, engine.waiting)


@inlined
def _try_changed_hosts(engine):
    """Use what the last pass found; returns the first position of a job that it did not try."""
    renew_changed_hosts(engine)
    return first_new(engine.state)


@inlined
def _next(engine, now, passing, first, counting):
    """The next job and its group, (-1, 0) if there is none; a job before `first` must fit on a changed host.

    `counting`: jobs that are known to fit nowhere only get reservations, and are passed over.
    """
    while True:
        project = neediest_project(engine.state)
        if project < 0:
            return np.int64(-1), 0
        begin, end = engine.state.cursor[project], engine.waiting.edge[1, project]
        if passing:
            position = np.int64(-1)
            if begin == engine.waiting.edge[0, project]:
                begin = engine.waiting.edge[0, project] = pass_empty(engine.waiting, begin, end)
            if begin < first:
                position = next_fitting(engine, now, begin, min(first, end), NEWS)
                begin = first
            if position < 0:
                position = next_fitting(engine, now, begin, end, 0)
        else:
            position = next_waiting(engine.jobs, engine.waiting, begin, end)
            if begin == engine.waiting.edge[0, project]:
                engine.waiting.edge[0, project] = end if position < 0 else position
            if counting:
                position = _count_reservations(engine, position, end)
        if position >= 0:
            engine.state.cursor[project] = position + 1
            return np.int64(engine.waiting.at[position]), project
        is_satisfied(engine.state, project)


@inner
def _count_reservations(engine, position, end):
    """Count a reservation for each job from `position` on that is known to fit nowhere; returns the next other one.

    A job that requests the least of all is another one: if it fits nowhere, the pass is over.
    """
    jobs, state, waiting = engine.jobs, engine.state, engine.waiting
    hosts = state.open.shape[0] - reserved_hosts(state) + state.tally[PENDING]
    counted = np.int64(-1)  # equal jobs come in runs
    while position >= 0 and state.tally[PENDING] < hosts:
        job = np.int64(waiting.at[position])
        kind = np.int64(jobs.kind[job])
        if kind != counted and (
            jobs.smallest[kind] or not jobs.holdable[kind] or not is_known_by_steps(jobs, state, job, SHORT)
        ):
            break
        if jobs.tasks[job] > 1:
            break
        counted = kind
        state.tally[PENDING] += 1
        position += 1
        if position % FAN == 0 or position >= end or not waiting.here[position]:
            position = next_waiting(jobs, waiting, position, end)
    return position


@inlined
def _next_of_two(engine, now, passing):
    """The next job under a ticked order, from the jobs sorted at the last tick and those since; -1 at the end."""
    first, of = np.int64(-1), 0
    for run in range(2):
        end = engine.waiting.span[run + 1]
        if passing:
            position = next_fitting(engine, now, engine.state.cursor[run], end, 0)
        else:
            position = next_waiting(engine.jobs, engine.waiting, engine.state.cursor[run], end)
        engine.state.cursor[run] = end if position < 0 else position
        if position >= 0:
            job = np.int64(engine.waiting.at[position])
            ahead = engine.waiting.rank[first] - engine.waiting.rank[job] if first >= 0 else 1.0
            if ahead > 0.0 or (ahead == 0.0 and job < first):
                first, of = job, run
    if first >= 0:
        engine.state.cursor[of] += 1
    return first


@inlined
def plan_start(engine, bound, job, project, now):
    """Plan the start of `job` on the hosts at the end of the undo list."""
    jobs, state, count = engine.jobs, engine.state, engine.state.tally
    state.plan_job[1, count[PLANNED]] = job
    state.plan_task[count[PLANNED]] = count[UNDO] - jobs.tasks[job]
    count[PLANNED] += 1
    count[MOVES] += 1
    use_more(state, project, jobs.demand[jobs.kind[job], 0] * jobs.tasks[job])
    if engine.rules.limited:
        note_expected_end(engine, job, now, state.plan_task[count[PLANNED] - 1])
        count_against(jobs, state, job, -1.0)
    note_start(state, bound, job)


@inlined
def end_pass(engine):
    """Undo what the pass counted while planning: no job has started yet, and no host stays reserved."""
    jobs, state = engine.jobs, engine.state
    for i in range(state.tally[PLANNED]):
        job = state.plan_job[1, i]
        if engine.rules.limited:
            count_against(jobs, state, job, 1.0)
        change_use(jobs, state, job, -1.0)
    reopen(state, engine.scores)
