"""Queue tree: the waiting jobs in a fixed order, and the next one for which some host may have room.

Jobs stand at fixed positions. A tree over the positions, with `FAN` children a node, stores the least demand below each
node (`min_demand_kernel.py`), by lanes of cores: the fewest cores of one job and the least memory of another are no
demand of either. The capacity frontier is the other side: for each whole number of cores, the most memory on any host
with at least so many cores free. Invariant: the tree never states too much and the frontier never too little. So a node
whose least demand lies above the frontier has no job that fits, and thousands of jobs are passed over at once.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.cluster_amounts_kernel import all_lack_amounts, lacks_amounts
from loadmaster.sim.queue.engine.min_demand_kernel import come_below, leave_from, tighten_low, tighten_mid, tighten_top
from loadmaster.sim.queue.engine.state import EXPECTED, FAN, HEAD, LANES, LONG, MEMORY, SHORT, WHOLE


@inner
def join(jobs, waiting, job):
    """Let `job` wait from now on."""
    position = np.int64(waiting.position[job])
    waiting.here[position] = True
    edge, run = waiting.edge, np.int64(jobs.project[job])
    edge[0, run], edge[1, run] = min(edge[0, run], position), max(edge[1, run], position + 1)
    come_below(jobs, waiting, position, job)


@inlined
def leave(waiting, job):
    """Take `job` out of the queue."""
    position = np.int64(waiting.position[job])
    waiting.here[position] = False
    leave_from(waiting, position)


@inner
def next_waiting(jobs, waiting, position, end):
    """The first position from `position` up to `end` at which a job waits, -1 if there is none."""
    while position < end:
        passed = _empty_from(jobs, waiting, position // FAN) if position % FAN == 0 else 0
        if passed == 0 and waiting.here[position]:
            return position
        position += max(passed, 1)
    return np.int64(-1)


@inlined
def pass_empty(waiting, position, end):
    """A position from `position` up to `end` before which no job waits, not too far on: for the edge of the queue.

    Jobs leave the front of the queue. If the edge follows, a search looks at no nodes there, which would be loose.
    """
    end = min(end, position + FAN * FAN)
    while position < end and not waiting.here[position]:
        position += 1
    return position


@inner
def _empty_from(jobs, waiting, node):
    """The number of positions, from a lowest block on, without a waiting job; 0 if a job waits in the block."""
    mid, top = node // FAN, node // (FAN * FAN)
    if node % (FAN * FAN) == 0 and (
        _no_job_waits(waiting.top, top) or (tighten_top(jobs, waiting, top) and _no_job_waits(waiting.top, top))
    ):
        return FAN * FAN * FAN
    if node % FAN == 0 and (
        _no_job_waits(waiting.mid, mid) or (tighten_mid(jobs, waiting, mid) and _no_job_waits(waiting.mid, mid))
    ):
        return FAN * FAN
    if _no_job_waits(waiting.low, node) or (tighten_low(jobs, waiting, node) and _no_job_waits(waiting.low, node)):
        return FAN
    return 0


@inner
def next_fitting(engine, now, position, end, news):
    """As `next_waiting`, without jobs that lack an amount of the cluster or for which no host can have room.

    `news`: 0, or `NEWS` for changed hosts.
    """
    rows = row_of(engine.frontier, SHORT, news), row_of(engine.frontier, LONG, news), _longest(engine.head_promise, now)
    while position < end:
        passed = _unfit_from(engine, position // FAN, rows) if position % FAN == 0 else 0
        if passed == 0 and engine.waiting.here[position]:
            job = engine.waiting.at[position]
            fastest = engine.state.fastest[engine.jobs.hosts[job]]
            length = length_of(engine.head_promise, now, engine.jobs.expected_s[job] / fastest)
            row = rows[1] if length == LONG else rows[0]
            fits = _fits_below(engine.jobs, engine.frontier, job, row)
            if fits and not lacks_amounts(engine, job, now, fastest, length):
                return position
        position += max(passed, 1)
    return np.int64(-1)


@inner
def _unfit_from(engine, node, rows):
    """As `_empty_from`, counting only jobs for which a host may have room, and the cluster the amounts."""
    jobs, waiting, mid, top = engine.jobs, engine.waiting, node // FAN, node // (FAN * FAN)
    if node % (FAN * FAN) == 0 and (
        _none_fits(engine, waiting.top, top, rows)
        or (tighten_top(jobs, waiting, top) and _none_fits(engine, waiting.top, top, rows))
    ):
        return FAN * FAN * FAN
    if node % FAN == 0 and (
        _none_fits(engine, waiting.mid, mid, rows)
        or (tighten_mid(jobs, waiting, mid) and _none_fits(engine, waiting.mid, mid, rows))
    ):
        return FAN * FAN
    if _none_fits(engine, waiting.low, node, rows) or (
        tighten_low(jobs, waiting, node) and _none_fits(engine, waiting.low, node, rows)
    ):
        return FAN
    return 0


@inlined
def _longest(head_promise, now):
    """The longest runtime with which a job may be SHORT on some host, and slightly more, to allow for rounding."""
    if head_promise is None or head_promise.number[HEAD] < 0:
        return np.inf
    shadow_s = head_promise.shadow_s[0]
    return (shadow_s - now) * head_promise.fastest[0] * (1.0 + 1e-12) + abs(shadow_s) * head_promise.fastest[0] * 1e-12


@inlined
def row_of(frontier, length, news):
    """The row of the frontier for jobs of this length."""
    # not computed in this pass: the row of free capacity is a higher bound
    if news == 0 and frontier.fresh[length] < 0:
        return np.int64(SHORT)
    return np.int64(length + news)


@inlined
def length_of(head_promise, now, expected_s):
    """SHORT or LONG, for a job with that expected runtime; SHORT where no head is promised anything."""
    if head_promise is None:
        return SHORT
    return LONG if head_promise.number[HEAD] >= 0 and now + expected_s > head_promise.shadow_s[0] else SHORT


@inner
def _no_job_waits(least, node):
    """Whether no job waits below the node."""
    low = np.inf
    for lane in range(LANES):
        low = min(low, least[node, MEMORY, lane])
    return low == np.inf


@inner
def _none_fits(engine, least, node, rows):
    """Whether no job below the node can fit; `rows` as in `next_fitting`."""
    frontier = engine.frontier
    short, long, last_s = rows
    some = False
    for lane in range(LANES):
        memory = least[node, MEMORY, lane]
        ends = least[node, EXPECTED, lane] <= last_s
        one = (memory <= frontier.lane[long, lane]) | (ends & (memory <= frontier.lane[short, lane]))
        if least.shape[1] > WHOLE:
            one &= least[node, WHOLE, lane] <= frontier.total[0]
        some |= one
    return not some or all_lack_amounts(engine.state, least, node)


@inlined
def may_fit(jobs, frontier, job, length):
    """Whether some host may have room for a task of `job`."""
    return _fits_below(jobs, frontier, job, row_of(frontier, length, 0))


@inlined
def _fits_below(jobs, frontier, job, row):
    demand = jobs.demand[jobs.kind[job]]
    # A job of one task is compared with the frontier alone. If that is too high, hosts refuse the job and the frontier
    # becomes exact, so that whole nodes are passed over. The total would refuse each of these jobs by itself.
    if jobs.tasks[job] > 1 and demand[0] * jobs.tasks[job] > frontier.total[0]:
        return False
    return below(frontier, row, demand[0], demand[1] if demand.shape[0] > 1 else 0.0)


@inlined
def below(frontier, row, cores, memory):
    """Whether, by a row of the frontier, some host may have so many cores and so much memory."""
    if cores > frontier.most[row]:
        return False
    step = min(np.int64(cores), frontier.memory.shape[1] - 1)
    return memory <= frontier.memory[row, step]


@inlined
def cores_of(lane):
    """The fewest cores that a job of the lane can request."""
    return (np.int64(1) << lane) >> 1


@inner
def raise_to(frontier, free, host):
    """Raise the frontier to `host`, which has more free than before."""
    cores = free[host, 0]
    frontier.most[SHORT] = max(frontier.most[SHORT], cores)
    memory = free[host, 1] if free.shape[1] > 1 else 0.0
    step = min(np.int64(cores), frontier.memory.shape[1] - 1)
    while step >= 0 and frontier.memory[SHORT, step] < memory:
        frontier.memory[SHORT, step] = memory
        frontier.who[step] = host
        step -= 1
    for lane in range(LANES):
        if cores >= cores_of(lane):
            frontier.lane[SHORT, lane] = max(frontier.lane[SHORT, lane], memory)


@inner
def renew_frontier(frontier, free):
    """Make the row of free capacity exact; `free` is float64[H, R]."""
    for step in range(_highest(frontier, SHORT) + 1):
        frontier.who[step] = -1
    lower_frontier(frontier, SHORT)
    several, last = free.shape[1] > 1, frontier.memory.shape[1] - 1
    most = 0.0  # a local: through `frontier` each host would wait for the write of the one before
    for host in range(free.shape[0]):
        cores = free[host, 0]
        memory = free[host, 1] if several else 0.0
        step = min(np.int64(cores), last)
        if cores >= 0.0 and memory > frontier.memory[SHORT, step]:
            frontier.memory[SHORT, step] = memory
            frontier.who[step] = host
        most = max(most, cores)
    frontier.most[SHORT] = most
    for step in range(_highest(frontier, SHORT) - 1, -1, -1):
        if frontier.memory[SHORT, step + 1] > frontier.memory[SHORT, step]:
            frontier.memory[SHORT, step] = frontier.memory[SHORT, step + 1]
            frontier.who[step] = frontier.who[step + 1]
    raise_frontier(frontier, SHORT)


@inlined
def still_has(frontier, free, demand):
    """Whether the host behind row 0's value still has as much as `demand`: `renew_frontier` would change nothing."""
    host = np.int64(frontier.who[min(np.int64(demand[0]), frontier.who.shape[0] - 1)])
    if host < 0:
        return False
    return free[host, 0] >= demand[0] and (demand.shape[0] == 1 or free[host, 1] >= demand[1])


@inner
def lower_frontier(frontier, length):
    """Empty the frontier of `length`, before any host is looked at."""
    for step in range(_highest(frontier, length) + 1):
        frontier.memory[length, step] = -1.0
    frontier.most[length] = 0.0


@inlined
def raise_step(frontier, length, cores, memory):
    """Raise the frontier of `length` on one step: some host has so many cores and so much memory free."""
    if cores >= 0.0:
        frontier.most[length] = max(frontier.most[length], cores)
        step = min(np.int64(cores), frontier.memory.shape[1] - 1)
        frontier.memory[length, step] = max(frontier.memory[length, step], memory)


@inlined
def _highest(frontier, length):
    """The highest step with a host; the steps above it say -1."""
    return min(np.int64(frontier.most[length]), frontier.memory.shape[1] - 1)


@inner
def raise_frontier(frontier, length):
    """Finish the frontier of `length` when all hosts have been looked at: a host with many cores also has fewer."""
    steps = frontier.memory.shape[1]
    for step in range(_highest(frontier, length) - 1, -1, -1):
        frontier.memory[length, step] = max(frontier.memory[length, step], frontier.memory[length, step + 1])
    for lane in range(LANES):
        cores = cores_of(lane)
        reached = cores <= frontier.most[length]
        frontier.lane[length, lane] = frontier.memory[length, min(cores, steps - 1)] if reached else -1.0
