"""Hosts that are taken and given back: what is free, what the policy knows of them, and the undo list of the pass.

The undo list has an entry for each task of a plan, in the order of the starts. Giving hosts back in the reverse order
restores the state before: amounts are exact, so that no rounding is left behind.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.host_index.scores_kernel import changed
from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import amounts_of, give_to, sum_up
from loadmaster.sim.queue.engine.head_slack_kernel import (
    is_apart,
    is_counted,
    recount,
    set_apart,
    take_cards,
    take_for_long,
)
from loadmaster.sim.queue.engine.host_blocks_kernel import raise_block
from loadmaster.sim.queue.engine.host_reservations_kernel import enter_level, leave_level
from loadmaster.sim.queue.engine.queue_tree_kernel import raise_to
from loadmaster.sim.queue.engine.state import CHANGES, LONG, SHORT, UNDO


@inlined
def take(engine, job, host, tasks, length):
    """Take a host for so many tasks; the undo list gets one entry for each task."""
    count, kind = engine.state.tally, engine.jobs.kind[job]
    for entry in range(count[UNDO], count[UNDO] + tasks):
        engine.state.undo_kind[entry] = kind
    count[UNDO] += tasks
    count[CHANGES] += 1
    if engine.head_promise is not None and is_counted(engine.head_promise):
        set_apart(engine.jobs, engine.state, engine.head_promise, host)
    if engine.state.cards is not None:
        _take_on_cards(engine, job, host, tasks, length)
    else:
        _change(engine, host, kind, -tasks)
        if engine.head_promise is not None and length == LONG:
            take_for_long(engine.jobs, engine.state, engine.head_promise, job, host, tasks)


@inner
def _take_on_cards(engine, job, host, tasks, length):
    """Take the host for the last `tasks` of the undo list, where GPUs are cards: each task has cards of its own."""
    for entry in range(engine.state.tally[UNDO] - tasks, engine.state.tally[UNDO]):
        bits = take_cards(engine.jobs, engine.state, engine.head_promise, job, host, length == LONG)
        engine.state.cards.undo[entry] = bits
        _change(engine, host, np.int64(engine.jobs.kind[job]), -1)
        if engine.head_promise is not None and length == LONG:
            take_for_long(engine.jobs, engine.state, engine.head_promise, job, host, 1)


@inner
def take_again(engine, job, host, tasks):
    """Take a host for so many tasks, as a plan has named it."""
    for entry in range(engine.state.tally[UNDO], engine.state.tally[UNDO] + tasks):
        engine.state.undo_host[entry] = host
    take(engine, job, host, tasks, SHORT)


@inner
def take_back(engine, mark, job, length):
    """Give back all hosts after entry `mark` of the undo list; for a LONG `job` also at the shadow time."""
    count = engine.state.tally
    for entry in range(count[UNDO] - 1, mark - 1, -1):
        host = np.int64(engine.state.undo_host[entry])
        if engine.state.cards is not None:
            _give_back_cards(engine, entry, host, length)
        _change(engine, host, np.int64(engine.state.undo_kind[entry]), 1)
        raise_to(engine.frontier, engine.state.free, host)
        raise_block(engine.state, host)
        if engine.head_promise is not None and length == LONG:
            take_for_long(engine.jobs, engine.state, engine.head_promise, job, host, -1)
    if count[UNDO] > mark:
        count[CHANGES] += 1
    count[UNDO] = mark


@inner
def _give_back_cards(engine, entry, host, length):
    """The task of that entry of the undo list gives back its cards of the host, as `take_back` has it."""
    cards = engine.state.cards
    bits, share = cards.undo[entry], cards.share[engine.state.undo_kind[entry]]
    give_to(cards.free[host], bits, share)
    if engine.head_promise is not None and length == LONG and is_apart(engine.head_promise, host):
        give_to(cards.then[host], bits, share)


@inner
def give_back(engine, host, kind, tasks):
    """Free the capacity of so many tasks that have ended on the host; where GPUs are cards, these are free already."""
    _change(engine, host, kind, tasks)
    raise_to(engine.frontier, engine.state.free, host)
    raise_block(engine.state, host)


@inlined
def _change(engine, host, kind, tasks):
    """Add the demand of so many tasks to what the host has free."""
    leave_level(engine.state, host)
    for r in range(amounts_of(engine.state)):
        engine.state.free[host, r] += tasks * engine.jobs.demand[kind, r]
    if engine.state.cards is not None:
        sum_up(engine.state.cards, engine.state.cards.free[host], engine.state.free[host])
    enter_level(engine.state, host)
    engine.frontier.total[0] += tasks * engine.jobs.demand[kind, 0]
    changed(engine.scores, host)
    recount(engine.jobs, engine.state, engine.head_promise, host)
