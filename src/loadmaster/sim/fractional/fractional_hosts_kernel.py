# mypy: disable-error-code="no-untyped-def"
"""Tasks on fractional hosts: their hosts, the sums over them, the speeds that follow, and which job is due next."""

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.sim.fractional.state import (
    DIRTY,
    LEAST_YIELD,
    NOW,
    RUNNING,
    TOUCHED,
)


@inner
def come(world, task, host):
    """Count `task` on `host`, behind those that are there."""
    that, this = world.tasks[task], world.hosts[host]
    job = that.job
    that.host = that.last_host = host
    that.before = this.tail
    that.after = -1
    if this.tail >= 0:
        world.tasks[this.tail].after = task
    else:
        this.head = task
    this.tail = task
    this.load += world.jobs[job].fluid
    this.need += world.jobs[job].need
    for m in range(world.used.shape[1]):
        world.used[host, m] += world.rigid[job, m]
    _touch(world, host)


@inner
def leave(world, task):
    """Take `task` off its host, whose sums are to be made anew."""
    that = world.tasks[task]
    this = world.hosts[that.host]
    if that.before >= 0:
        world.tasks[that.before].after = that.after
    else:
        this.head = that.after
    if that.after >= 0:
        world.tasks[that.after].before = that.before
    else:
        this.tail = that.before
    this.stale = True
    _touch(world, that.host)
    that.host = -1


@inner
def _touch(world, host):
    if not world.hosts[host].touched:
        world.hosts[host].touched = True
        world.touched[world.whole[TOUCHED]] = host
        world.whole[TOUCHED] += 1


@inner
def mark(world, job):
    """The rate of `job` is to be found anew."""
    if not world.jobs[job].dirty:
        world.jobs[job].dirty = True
        world.dirty[world.whole[DIRTY]] = job
        world.whole[DIRTY] += 1


@inner
def sum_up(world):
    """Hosts that a task left: sum up the tasks still there, in the order in which they came."""
    for i in range(world.whole[TOUCHED]):
        host = world.touched[i]
        this = world.hosts[host]
        if this.stale:
            this.stale = False
            this.load = this.need = 0.0
            for m in range(world.used.shape[1]):
                world.used[host, m] = 0.0
            task = this.head
            while task >= 0:
                job = world.tasks[task].job
                this.load += world.jobs[job].fluid
                this.need += world.jobs[job].need
                for m in range(world.used.shape[1]):
                    world.used[host, m] += world.rigid[job, m]
                task = world.tasks[task].after


@inner
def set_speeds(world):
    """Every job goes at the least yield x speed of its tasks' hosts; a job whose memory travels stands still."""
    count, hosts, real = world.whole, world.hosts, world.real
    for i in range(count[TOUCHED]):
        host = world.touched[i]
        this = hosts[host]
        this.touched = False
        pace = this.speed
        if this.need > world.cores[host]:
            share = world.cores[host] / this.need
            real[LEAST_YIELD] = min(real[LEAST_YIELD], share)
            pace = share * this.speed
        if pace != this.pace:
            this.pace = pace
            task = this.head
            while task >= 0:
                mark(world, world.tasks[task].job)
                task = world.tasks[task].after
    count[TOUCHED] = 0
    for i in range(count[DIRTY]):
        _set_speed(world, world.dirty[i])
    count[DIRTY] = 0


@inner
def _set_speed(world, job):
    this, now = world.jobs[job], world.real[NOW]
    this.dirty = False
    rate = 0.0
    if not this.standing:
        rate = np.inf
        for task in range(this.first_task, this.first_task + this.tasks):
            rate = min(rate, world.hosts[world.tasks[task].host].pace)
    if rate != this.rate:
        this.left -= this.rate * (now - this.since_s)
        this.since_s = now
        this.rate = rate
    if this.standing:
        reschedule(world, job, this.until)
    else:
        reschedule(world, job, this.since_s + max(this.left, 0.0) / rate)


@inner
def _sooner(jobs, a, b):
    return jobs[a].due < jobs[b].due or (jobs[a].due == jobs[b].due and a < b)


@inner
def reschedule(world, job, due):
    """Move `job` to its place in the binary heap of those that run."""
    jobs, heap, size = world.jobs, world.heap, world.whole[RUNNING]
    jobs[job].due = due
    at = jobs[job].place
    while at > 0:
        up = (at - 1) // 2
        if not _sooner(jobs, job, heap[up]):
            break
        heap[at] = heap[up]
        jobs[heap[at]].place = at
        at = up
    while True:
        down = 2 * at + 1
        if down >= size:
            break
        if down + 1 < size and _sooner(jobs, heap[down + 1], heap[down]):
            down += 1
        if not _sooner(jobs, heap[down], job):
            break
        heap[at] = heap[down]
        jobs[heap[at]].place = at
        at = down
    heap[at] = job
    jobs[job].place = at


@inner
def out_of_heap(world, job):
    """Take `job` out of the heap; the last one takes its place."""
    world.whole[RUNNING] -= 1
    last = world.heap[world.whole[RUNNING]]
    if last != job:
        world.jobs[last].place = world.jobs[job].place
        world.heap[world.jobs[last].place] = last
        reschedule(world, last, world.jobs[last].due)
