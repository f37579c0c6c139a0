"""What the compiled plan needs of a pass: its prefix, the hosts it keeps, the best hosts in some room."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

from loadmaster.kernels import inner
from loadmaster.lowest_kernel import lowest
from loadmaster.scores_kernel import changed, rate_again, rate_all, reload
from loadmaster.sim.queue.ends_kernel import add_end
from loadmaster.sim.queue.starts_kernel import ARRIVED, FIRST, KEPT, LAST_HOST, STAMP, place, start


@inner
def start_prefix(jobs, rules, state, scores, ends, log, scan, now, limit):
    """Start jobs from the head of the queue while they fit, at most `limit`; returns (tried, wrong)."""
    count = state.tally
    tried = 0
    while count[FIRST] < count[ARRIVED] and tried < limit:
        job = state.queue[count[FIRST]]
        tried += 1
        placed, wrong = place(jobs, rules, state, scores, scan, job)
        if not placed:
            return tried, wrong
        start(jobs, rules, state, log, job, now)
        add_end(ends, now + state.expected_s[job], job)
        count[FIRST] += 1
    return tried, 0


@inner
def begin_walk(state):
    """Forget what is known of the last decision."""
    state.tally[STAMP] += 1
    state.tally[KEPT] = 0


@inner
def choose_in(room, jobs, rules, state, later, scan, job):
    """Take the best hosts for the tasks of `job`, which fits, in `room` float64[H, R]; they go to `undo_host`."""
    kind = jobs.kind[job]
    demand = jobs.demand[kind]
    host = state.tally[LAST_HOST]
    reload(later)
    for k in range(jobs.tasks[job]):
        task = jobs.first_task[job] + k
        if k == 0 or rules.varies:
            wrong = rate_all(later, scan, demand, room, host, task, rules.seed)
        else:
            wrong = rate_again(later, scan, demand, room, host, task, rules.seed)
        if wrong:
            return wrong
        host = lowest(later, 0, state.open, False)
        state.undo_host[k] = host
        for r in range(demand.shape[0]):
            room[host, r] -= demand[r]
        changed(later, host)
    return 0


@inner
def keep(state, host):
    """Note that `host` is kept in this decision."""
    count = state.tally
    if state.kept[host] != count[STAMP]:
        state.kept[host] = count[STAMP]
        state.hosts[count[KEPT]] = host
        count[KEPT] += 1
