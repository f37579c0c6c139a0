# mypy: disable-error-code="no-untyped-def"
"""What happens to a time-shared host when a task comes or goes: its clock, its heap of ends, its residents.

All tasks of a host progress alike, so one clock a host says what each has done: a task that comes when the clock
reads w with work x left ends when it reads w + x, whatever tasks come or go. Only the clock's speed changes.
"""

from loadmaster.jit.kernels import inner
from loadmaster.sim.pairing_heap_kernel import insert, without
from loadmaster.sim.timeshared.costs_kernel import note_all, note_cost
from loadmaster.sim.timeshared.state import NEVER_S, NOW, SCALE


@inner
def bring_up(hosts, host, now):
    """Let the clock of `host` count the work done until now."""
    this = hosts[host]
    this.work += this.rate * (now - this.since)
    this.since = now


@inner
def reschedule(world, host, thrash):
    """After a change on `host`, whose clock is up to date: its rate, its next end, its place among the hosts.

    The clock of a host on which nothing runs stands still.
    """
    hosts, used, capacity = world.hosts, world.used, world.capacity
    this = hosts[host]
    rate = this.speed
    if this.active > this.cores:
        rate *= this.cores / this.active
    for r in range(1, capacity.shape[1]):
        if used[host, r] > capacity[host, r] * (1.0 + 1e-9):
            rate /= thrash
            break
    this.rate = 0.0 if this.root < 0 else rate
    this.due = NEVER_S if this.root < 0 else this.since + max(world.tasks[this.root].key - this.work, 0.0) / rate
    _settle(hosts, world.heap, host)


@inner
def _settle(hosts, heap, host):
    """Move `host` to its place in the binary heap of hosts."""
    at = hosts[host].place
    while at > 0:
        up = (at - 1) // 2
        if not _sooner(hosts[host], hosts[heap[up]]):
            break
        heap[at] = heap[up]
        hosts[heap[at]].place = at
        at = up
    while True:
        down = 2 * at + 1
        if down >= heap.shape[0]:
            break
        if down + 1 < heap.shape[0] and _sooner(hosts[heap[down + 1]], hosts[heap[down]]):
            down += 1
        if not _sooner(hosts[heap[down]], hosts[host]):
            break
        heap[at] = heap[down]
        hosts[heap[at]].place = at
        at = down
    heap[at] = host
    hosts[host].place = at


@inner
def _sooner(a, b):
    """Whether the next end on host a comes before that on host b; of those at one moment the lower task's."""
    return a.due < b.due or (a.due == b.due and a.root < b.root)


@inner
def settle_on(world, clock, task, host):
    """Count `task` among the residents of `host`, and raise the scale if this is the highest load so far."""
    tasks, used, demand = world.tasks, world.used, world.demand
    this, that = world.hosts[host], tasks[task]
    that.load_before = used[host, 0] / this.unit
    for r in range(used.shape[1]):
        used[host, r] += demand[that.job, r]
    that.before = this.tail
    that.after = -1
    if this.tail >= 0:
        tasks[this.tail].after = task
    else:
        this.head = task
    this.tail = task
    this.residents += 1
    that.host = host
    load = used[host, 0] / this.unit
    if clock.real[SCALE] > load:
        note_cost(world, clock, host)
        return
    while clock.real[SCALE] <= load:
        clock.real[SCALE] *= 2.0
    note_all(world, clock)


@inner
def leave(world, task):
    """Take `task` off the residents of its host; an empty host uses exactly nothing."""
    tasks, used, demand = world.tasks, world.used, world.demand
    that = tasks[task]
    host = that.host
    this = world.hosts[host]
    if that.before >= 0:
        tasks[that.before].after = that.after
    else:
        this.head = that.after
    if that.after >= 0:
        tasks[that.after].before = that.before
    else:
        this.tail = that.before
    this.residents -= 1
    for r in range(used.shape[1]):
        used[host, r] = 0.0 if this.residents == 0 else used[host, r] - demand[that.job, r]


@inner
def start(world, clock, task, thrash):
    """Let `task` run on the host where it is counted."""
    tasks = world.tasks
    host = tasks[task].host
    this = world.hosts[host]
    bring_up(world.hosts, host, clock.real[NOW])
    tasks[task].key = this.work + tasks[task].left
    this.root = insert(tasks, this.root, task)
    this.active += tasks[task].cores
    reschedule(world, host, thrash)


@inner
def stop(world, clock, task, thrash):
    """Stop `task`, remember what it has left, and take it off its host."""
    tasks = world.tasks
    host = tasks[task].host
    this = world.hosts[host]
    bring_up(world.hosts, host, clock.real[NOW])
    tasks[task].left = max(tasks[task].key - this.work, 0.0)
    this.root = without(tasks, this.root, task)
    this.active -= tasks[task].cores
    if this.root < 0:
        this.active = 0.0
        this.work = 0.0
    leave(world, task)
    note_cost(world, clock, host)
    reschedule(world, host, thrash)
