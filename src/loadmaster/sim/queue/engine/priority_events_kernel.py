"""Multifactor priorities of rows that constraints bind: what has happened is heard, then all who wait are ranked."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.order.multifactor import priority_kernel
from loadmaster.sim.queue.engine.general_state import LEFT, LOST, STARTED, TOLD
from loadmaster.sim.queue.engine.state import MANY

rank_jobs, tick_until, submitted = priority_kernel.rank, priority_kernel.tick_until, priority_kernel.submitted
started, ended = priority_kernel.started, priority_kernel.ended


def reckon_rows(book, desk, ranked, now):
    """Hear what has happened, let ticks pass up to `now`, rank the rows of `ranked.queue` into `ranked.rank`."""
    for i in range(desk.tally[TOLD]):
        job, time_s, how = np.int64(desk.heard[i].job), desk.heard[i].time_s, desk.heard[i].how
        if how == STARTED:
            tick_until(book.priorities, book.ticked.time_s, time_s)
            started(book.priorities, job, time_s)
        elif how == LEFT:
            tick_until(book.priorities, book.ticked.time_s, np.nextafter(time_s, -np.inf))
            ended(book.priorities, job, time_s)
        else:
            submitted(book.priorities, job, time_s)
    desk.tally[TOLD] = 0
    tick_until(book.priorities, book.ticked.time_s, now)
    for i in range(ranked.number[MANY]):
        desk.asked[i] = desk.owner[ranked.queue[i]]
    rank_jobs(book.priorities, desk.asked, ranked.number[MANY], now, ranked.rank)


def hear_nothing(book, desk, ranked, now):
    """Of an order that is told nothing."""


@inner
def tell(desk, job, time_s, how):
    """Write down what the order is to hear."""
    if desk.told:
        at = desk.tally[TOLD]
        if at == desk.heard.shape[0]:
            desk.tally[LOST] = 1
            return
        desk.heard[at].job, desk.heard[at].time_s, desk.heard[at].how = job, time_s, how
        desk.tally[TOLD] += 1
