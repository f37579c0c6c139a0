# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""What happens to a time-shared host when a task comes or goes: its clock, its heap of ends, its residents.

All tasks of a host progress alike, so one clock a host says what each has done: a task that comes when the clock
reads w with work x left ends when it reads w + x, whoever else comes or goes. Only the clock's speed changes.
"""

from numba import njit

from loadmaster.sim.pairing_heap_kernel import insert, without
from loadmaster.sim.shared_state import NOW, SCALE


@njit(cache=True, nogil=True)
def bring_up(hosts, host, now):
    """Let the clock of `host` count the work done until now."""
    hosts.work[host] += hosts.rate[host] * (now - hosts.since[host])
    hosts.since[host] = now


@njit(cache=True, nogil=True, error_model="numpy")
def reschedule(hosts, tasks, host, thrash):
    """After a change on `host`, whose clock is up to date: its rate, its next end, its place among the hosts."""
    active = hosts.active[host]
    rate = hosts.speed[host]
    if active > hosts.cores[host]:
        rate *= hosts.cores[host] / active
    for r in range(1, hosts.capacity.shape[1]):
        if hosts.used[host, r] > hosts.capacity[host, r] * (1.0 + 1e-9):
            rate /= thrash
            break
    hosts.rate[host] = rate
    root = hosts.root[host]
    if root < 0:
        hosts.due[host] = 1e300
    else:
        hosts.due[host] = hosts.since[host] + max(tasks.key[root] - hosts.work[host], 0.0) / rate
    _settle(hosts, host)


@njit(cache=True, nogil=True)
def _settle(hosts, host):
    """Move `host` to its place in the binary heap of hosts."""
    heap, place, due, root = hosts.heap, hosts.place, hosts.due, hosts.root
    size = heap.shape[0]
    at = place[host]
    while at > 0:
        up = (at - 1) // 2
        if not _sooner(due, root, host, heap[up]):
            break
        heap[at] = heap[up]
        place[heap[at]] = at
        at = up
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        if down + 1 < size and _sooner(due, root, heap[down + 1], heap[down]):
            down += 1
        if not _sooner(due, root, heap[down], host):
            break
        heap[at] = heap[down]
        place[heap[at]] = at
        at = down
    heap[at] = host
    place[host] = at


@njit(cache=True, nogil=True)
def _sooner(due, root, a, b):
    """Whether the next end on host a comes before that on host b; of those at one moment the lower task's."""
    return due[a] < due[b] or (due[a] == due[b] and root[a] < root[b])


@njit(cache=True, nogil=True, error_model="numpy")
def settle_on(jobs, hosts, tasks, clock, task, host):
    """Count `task` among the residents of `host`, and raise the scale if this is the highest load so far."""
    demand, used, owner = jobs.demand, hosts.used, jobs.owner[task]
    tasks.load_before[task] = used[host, 0] / hosts.unit[host]
    for r in range(used.shape[1]):
        used[host, r] += demand[owner, r]
    last = hosts.tail[host]
    tasks.before[task] = last
    tasks.after[task] = -1
    if last >= 0:
        tasks.after[last] = task
    else:
        hosts.head[host] = task
    hosts.tail[host] = task
    hosts.residents[host] += 1
    tasks.host[task] = host
    load = used[host, 0] / hosts.unit[host]
    while clock.real[SCALE] <= load:
        clock.real[SCALE] *= 2.0


@njit(cache=True, nogil=True)
def leave(jobs, hosts, tasks, task):
    """Take `task` off the residents of its host; an empty host uses exactly nothing."""
    host, owner = tasks.host[task], jobs.owner[task]
    before, after = tasks.before[task], tasks.after[task]
    if before >= 0:
        tasks.after[before] = after
    else:
        hosts.head[host] = after
    if after >= 0:
        tasks.before[after] = before
    else:
        hosts.tail[host] = before
    hosts.residents[host] -= 1
    for r in range(hosts.used.shape[1]):
        hosts.used[host, r] = 0.0 if hosts.residents[host] == 0 else hosts.used[host, r] - jobs.demand[owner, r]


@njit(cache=True, nogil=True)
def start(jobs, hosts, tasks, clock, task, thrash):
    """Let `task` run on the host where it is counted."""
    host = tasks.host[task]
    bring_up(hosts, host, clock.real[NOW])
    tasks.key[task] = hosts.work[host] + tasks.left[task]
    hosts.root[host] = insert(tasks.key, tasks.child, tasks.right, tasks.back, hosts.root[host], task)
    hosts.active[host] += jobs.demand[jobs.owner[task], 0]
    reschedule(hosts, tasks, host, thrash)


@njit(cache=True, nogil=True)
def stop(jobs, hosts, tasks, clock, task, thrash):
    """Stop `task`, remember what it has left, and take it off its host."""
    host = tasks.host[task]
    bring_up(hosts, host, clock.real[NOW])
    tasks.left[task] = max(tasks.key[task] - hosts.work[host], 0.0)
    hosts.root[host] = without(tasks.key, tasks.child, tasks.right, tasks.back, hosts.root[host], task)
    hosts.active[host] -= jobs.demand[jobs.owner[task], 0]
    if hosts.root[host] < 0:
        hosts.active[host] = 0.0
        hosts.work[host] = 0.0
    leave(jobs, hosts, tasks, task)
    reschedule(hosts, tasks, host, thrash)
