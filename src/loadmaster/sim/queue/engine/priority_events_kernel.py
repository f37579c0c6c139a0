"""Multifactor priorities of rows with constraints: process the events, then rank all waiting jobs."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.order.multifactor import priority_kernel
from loadmaster.sim.queue.engine.general_state import LEFT, LOST, NOTED_EVENTS, STARTED
from loadmaster.sim.queue.engine.ranked_state import MANY

rank_jobs, tick_until, submitted = priority_kernel.rank, priority_kernel.tick_until, priority_kernel.submitted
started, ended = priority_kernel.started, priority_kernel.ended


def update_priorities_of_rows(book, general, ranked, now):
    """Process the events, let ticks pass up to `now`, rank the rows of `ranked.queue` into `ranked.rank`."""
    for i in range(general.tally[NOTED_EVENTS]):
        job, time_s, how = (
            np.int64(general.order_events[i].job),
            general.order_events[i].time_s,
            general.order_events[i].how,
        )
        if how == STARTED:
            tick_until(book.priorities, book.ticked.time_s, time_s)
            started(book.priorities, job, time_s)
        elif how == LEFT:
            tick_until(book.priorities, book.ticked.time_s, np.nextafter(time_s, -np.inf))
            ended(book.priorities, job, time_s)
        else:
            submitted(book.priorities, job, time_s)
    general.tally[NOTED_EVENTS] = 0
    tick_until(book.priorities, book.ticked.time_s, now)
    for i in range(ranked.number[MANY]):
        general.asked[i] = general.owner[ranked.queue[i]]
    rank_jobs(book.priorities, general.asked, ranked.number[MANY], now, ranked.rank)


def ignore_events(book, general, ranked, now):
    """For an order that tracks no events."""


@inner
def record_event(general, job, time_s, how):
    """Record an event for the order."""
    if general.tracks_events:
        at = general.tally[NOTED_EVENTS]
        if at == general.order_events.shape[0]:
            general.tally[LOST] = 1
            return
        general.order_events[at].job, general.order_events[at].time_s, general.order_events[at].how = job, time_s, how
        general.tally[NOTED_EVENTS] += 1
