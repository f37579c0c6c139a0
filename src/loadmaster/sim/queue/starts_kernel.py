"""What compiled planning works on: its arrays, finding hosts for a job, starting and ending it."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.heap_kernel import drop_first, push
from loadmaster.kernels import inner
from loadmaster.lowest_kernel import lowest
from loadmaster.scores_kernel import changed, rate_all, refresh, score_in


class StartRules(NamedTuple):
    """How the queue is served; lookahead -1 stands for no limit."""

    interval_s: float
    lookahead: int
    varies: bool  # the policy's scores are never remembered
    seed: int


class StartState(NamedTuple):
    """Everything that changes; H hosts, K demands, U tasks of the largest job.

    Attributes:
        free: float64[H, R].
        open: bool[H], hosts that may be used for the job at hand.
        expected_s: float64[J], estimated runtimes (never changed).
        queue: int32[J], waiting jobs, from tally[FIRST] to tally[ARRIVED].
        end_s, ending: float64[J], int32[J], heap of running jobs by their real end.
        undo_host, undo_free: int32[U], float64[U, R], hosts taken for the job at hand, what they had.
        kept: int64[H], stamp of the decision in which something was planned on the host.
        hosts: int32[H], the hosts so kept in this decision.
        over_s, over: float64[J], int32[J], heap of running jobs by their expected end.
        overdue: int32[J], those past it; runs: bool[J].
        now: float64[1], the moment of the decision that is under way.
        tally: int64[12], see the constants below.
    """

    free: NDArray[np.float64]
    open: NDArray[np.bool_]
    expected_s: NDArray[np.float64]
    queue: NDArray[np.int32]
    end_s: NDArray[np.float64]
    ending: NDArray[np.int32]
    undo_host: NDArray[np.int32]
    undo_free: NDArray[np.float64]
    kept: NDArray[np.int64]
    hosts: NDArray[np.int32]
    over_s: NDArray[np.float64]
    over: NDArray[np.int32]
    overdue: NDArray[np.int32]
    runs: NDArray[np.bool_]
    now: NDArray[np.float64]
    tally: NDArray[np.int64]


(
    ARRIVED, FIRST, RUNNING, LAST_HOST, STAMP, KEPT, STARTED, RUNNING_TASKS, WAITING_TASKS, UNDER_WAY, OVER, OVERDUE,
) = range(12)  # fmt: skip
MORE_ROOM = 3
"""What an engine returns when its plan needs more steps than there may be room for: give it more, call again."""


@inner
def pick(jobs, rules, state, scores, scan, job, k, any_closed):
    """The open host for task number `k` of `job`; returns (host or -1, its score, wrong)."""
    kind = jobs.kind[job]
    last = state.tally[LAST_HOST] if k == 0 else np.int64(state.undo_host[k - 1])
    task = jobs.first_task[job] + k
    if rules.varies:
        slot = np.int64(0)
        wrong = rate_all(scores, scan, jobs.demand[kind], state.free, last, task, rules.seed)
    else:
        slot, wrong = refresh(scores, scan, kind, jobs.demand[kind], state.free, last, rules.seed)
    if wrong:
        return np.int64(-1), np.inf, 1
    host = lowest(scores, slot, state.open, any_closed)
    return host, score_in(scores, slot, host) if host >= 0 else np.inf, 0


@inner
def place(jobs, rules, state, scores, scan, job):
    """Take the best hosts of all for every task, or none; returns (placed, wrong)."""
    for k in range(jobs.tasks[job]):
        host, _, wrong = pick(jobs, rules, state, scores, scan, job, k, False)
        if host < 0:
            take_back(state, scores, k)
            return False, wrong
        take(jobs, state, scores, job, k, host)
    return True, 0


@inner
def take(jobs, state, scores, job, k, host):
    """Take `host` for task number `k` of `job`."""
    kind = jobs.kind[job]
    state.undo_host[k] = host
    for r in range(state.free.shape[1]):
        state.undo_free[k, r] = state.free[host, r]
        state.free[host, r] -= jobs.demand[kind, r]
    changed(scores, host)


@inner
def take_back(state, scores, tasks):
    """Give back what the first `tasks` tasks of the job at hand took."""
    for k in range(tasks - 1, -1, -1):
        host = state.undo_host[k]
        for r in range(state.free.shape[1]):
            state.free[host, r] = state.undo_free[k, r]
        changed(scores, host)


@inner
def start(jobs, state, log, job, now):
    """Start `job` on the hosts just taken for it."""
    count = state.tally
    tasks = jobs.tasks[job]
    first = jobs.first_task[job]
    log.start_s[job] = now
    for k in range(tasks):
        log.host[first + k] = state.undo_host[k]
    count[LAST_HOST] = state.undo_host[tasks - 1]
    state.runs[job] = True
    count[RUNNING] = push(state.end_s, state.ending, count[RUNNING], now + jobs.runtime_s[job], job)
    count[OVER] = push(state.over_s, state.over, count[OVER], now + state.expected_s[job], job)
    count[STARTED] += 1
    count[RUNNING_TASKS] += tasks
    count[WAITING_TASKS] -= tasks


@inner
def complete(jobs, state, scores, log):
    """Free the hosts of the job that ends first; returns it."""
    count = state.tally
    job = np.int64(state.ending[0])
    count[RUNNING] = drop_first(state.end_s, state.ending, count[RUNNING])
    for task in range(jobs.first_task[job], jobs.first_task[job + 1]):
        host = log.host[task]
        for r in range(state.free.shape[1]):
            state.free[host, r] += jobs.demand[jobs.kind[job], r]
        changed(scores, host)
    state.runs[job] = False
    count[RUNNING_TASKS] -= jobs.tasks[job]
    return job


@inner
def admit(jobs, state, now):
    """Put all jobs that have come by `now` into the queue."""
    count = state.tally
    while count[ARRIVED] < jobs.submit_s.shape[0] and jobs.submit_s[count[ARRIVED]] <= now:
        state.queue[count[ARRIVED]] = count[ARRIVED]
        count[WAITING_TASKS] += jobs.tasks[count[ARRIVED]]
        count[ARRIVED] += 1


@inner
def close_gap(state, kept, looked):
    """Move the waiting jobs before position `kept` of the queue up to those from `looked` on."""
    gap = looked - kept
    if gap > 0:
        for i in range(kept - 1, state.tally[FIRST] - 1, -1):
            state.queue[i + gap] = state.queue[i]
        state.tally[FIRST] += gap


@inner
def tasks_in(room, row, demand, kind, most):
    """How many tasks of demand number `kind` go into row `row` of `room`, one after another; at most `most`."""
    fewest = np.int64(most)
    for r in range(demand.shape[1]):
        asked = demand[kind, r]
        if asked > 0.0:
            left = room[row, r]
            tasks = 0
            while tasks < fewest and left >= asked:
                left -= asked
                tasks += 1
            fewest = min(fewest, np.int64(tasks))
    return fewest
