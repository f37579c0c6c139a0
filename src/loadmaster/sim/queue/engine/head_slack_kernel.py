"""Head slack: how many tasks of the head its reservation can lose, host by host, to jobs that outlast it (rule Q6).

Each host holds a number of the head's tasks at the shadow time. The slack is their sum less the tasks of the head. A
job that runs past the shadow time (LONG) costs a host some of these tasks, and may start only if the slack covers the
cost. Invariant: the slack stays at or above 0, so the head fits at the shadow time whatever was backfilled.

For a head of several tasks, or one that requests amounts of the whole cluster, the number that each host holds now is
counted and kept up to date. A host gets its own row
for the shadow time only if a job ends there before, or if a LONG job requests it; all others are then as they are now.
A single task fits nowhere now, so a host where no job ends before holds none of it then either.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import (
    amounts_of,
    costs_nothing,
    give_to,
    note_costs,
    sum_up,
    tasks_on_host,
    tightest,
)
from loadmaster.sim.queue.engine.state import COUNTED, HEAD, HELD, SLACK, STAMP_THEN, TOUCHED


@inner
def tasks_held(room, demand, most):
    """How many tasks of `demand` fit in `room`, at most `most`."""
    held = float(most)
    for r in range(demand.shape[0]):
        if demand[r] > 0.0:
            held = min(held, np.floor(room[r] / demand[r]))
    return np.int64(max(held, 0.0))


@inner
def held_in(jobs, state, room, at_promise, head, host):
    """How many tasks of the head fit on the host with `room` free, at most all; 0 where the head is not allowed.

    `at_promise`: `room` is that at the shadow time, and so are the cards.
    """
    kind = jobs.kind[head]
    if not jobs.allowed[jobs.hosts[head], host]:
        return np.int64(0)
    if state.cards is not None:
        on_cards = state.cards.then if at_promise else state.cards.free
        return tasks_on_host(state.cards, jobs.demand[kind], room[host], on_cards[host], kind, jobs.tasks[head])
    return tasks_held(room[host], jobs.demand[kind], jobs.tasks[head])


@inner
def count_now(jobs, state, head_promise, head):
    """Count the tasks of the head that each host holds now, unless that is already counted."""
    if head_promise.number[COUNTED] == head:
        return
    head_promise.number[COUNTED] = head
    total = np.int64(0)
    for host in range(state.free.shape[0]):
        head_promise.held_now[host] = held_in(jobs, state, state.free, False, head, host)
        total += head_promise.held_now[host]
    head_promise.number[HELD] = total


@inlined
def recount(jobs, state, head_promise, host):
    """Count again on `host`, whose free capacity has changed."""
    if head_promise is None:
        return
    head = head_promise.number[COUNTED]
    if head >= 0:
        held = held_in(jobs, state, state.free, False, head, host)
        head_promise.number[HELD] += held - head_promise.held_now[host]
        head_promise.held_now[host] = held


@inlined
def is_apart(head_promise, host):
    """Whether the host has its own row for the shadow time."""
    return head_promise.then_at[host] == head_promise.number[STAMP_THEN]


@inner
def set_apart(jobs, state, head_promise, host):
    """Give the host its own row for the shadow time, as it is now; it holds no task of a one-task head now."""
    if is_apart(head_promise, host):
        return
    head_promise.then_at[host] = head_promise.number[STAMP_THEN]
    for r in range(state.free.shape[1]):
        head_promise.then[host, r] = state.free[host, r]
    if state.cards is not None:
        copy_cards(state.cards, host)
    head_promise.held[host] = head_promise.held_now[host] if is_counted(head_promise) else 0
    head_promise.touched[head_promise.number[TOUCHED]] = host
    head_promise.number[TOUCHED] += 1


@inner
def copy_cards(cards, host):
    """Let the cards of the host be at the shadow time as they are now."""
    for card in range(cards.free.shape[1]):
        cards.then[host, card] = cards.free[host, card]


@inlined
def is_counted(head_promise):
    """Whether the head's tasks are counted on each host: it has several, or lacks an amount of the cluster."""
    if head_promise is None:
        return False
    return head_promise.number[COUNTED] >= 0 and head_promise.number[COUNTED] == head_promise.number[HEAD]


@inner
def allowed_on(jobs, state, head_promise, job, host, tasks, slack):
    """How many of `tasks` of a LONG job the slack allows on the host, and how many tasks of the head they cost."""
    if is_counted(head_promise):
        set_apart(jobs, state, head_promise, host)
    elif not is_apart(head_promise, host):
        return tasks, np.int64(0)
    all_cost = _cost(jobs, state, head_promise, job, host, tasks)
    if all_cost <= slack:
        return tasks, all_cost
    allowed, cost = np.int64(0), np.int64(0)
    while allowed + 1 < tasks:
        more = _cost(jobs, state, head_promise, job, host, allowed + 1)
        if more > slack:
            break
        allowed, cost = allowed + 1, more
    return allowed, cost


@inner
def cost_of_next(jobs, state, head_promise, job, host, before):
    """How many tasks of the head one more task of `job` costs on the host, after `before` others not yet taken."""
    if is_counted(head_promise):
        set_apart(jobs, state, head_promise, host)
    elif not is_apart(head_promise, host):
        return np.int64(0)
    cost = _cost(jobs, state, head_promise, job, host, before + 1)
    return cost - _cost(jobs, state, head_promise, job, host, before) if before > 0 else cost


@inner
def _cost(jobs, state, head_promise, job, host, tasks):
    """How many fewer tasks of the head the host holds at the shadow time, with so many tasks of `job`."""
    if state.cards is not None:
        return _cost_on_cards(jobs, state.cards, head_promise, job, host, tasks)
    head, kind = head_promise.number[HEAD], jobs.kind[job]
    held = float(jobs.tasks[head])
    for r in range(head_promise.then.shape[1]):
        asked = jobs.demand[jobs.kind[head], r]
        if asked > 0.0:
            held = min(held, np.floor((head_promise.then[host, r] - tasks * jobs.demand[kind, r]) / asked))
    left = np.int64(max(held, 0.0)) if jobs.allowed[jobs.hosts[head], host] else np.int64(0)
    return head_promise.held[host] - left


@inner
def _cost_on_cards(jobs, cards, head_promise, job, host, tasks):
    """The same where GPUs are cards: each task takes the cards that `take_cards` would give it."""
    head, kind = head_promise.number[HEAD], jobs.kind[job]
    head_kind, share = jobs.kind[head], cards.share[kind]
    for card in range(cards.left.shape[0]):
        cards.left[card], cards.left_then[card] = cards.free[host, card], cards.then[host, card]
    for r in range(cards.resources):
        cards.room[r] = head_promise.then[host, r]
    held = np.int64(head_promise.held[host])
    for _ in range(tasks):
        costs_nothing(cards)
        if held > 0:
            note_costs(cards, cards.left_then, head_kind, share)
        bits = tightest(cards, cards.left, kind)
        give_to(cards.left, bits, -share)
        give_to(cards.left_then, bits, -share)
        for r in range(cards.resources):
            cards.room[r] -= jobs.demand[kind, r]
        if held > 0:
            held = tasks_on_host(
                cards, jobs.demand[head_kind], cards.room, cards.left_then, head_kind, jobs.tasks[head]
            )
    return head_promise.held[host] - held


@inner
def take_cards(jobs, state, head_promise, job, host, long):
    """Give a task of `job` its cards on the host, and return them as bits: the cheapest for the head go first.

    `long`: the job outlasts the shadow time.
    """
    cards, kind = state.cards, jobs.kind[job]
    costs_nothing(cards)
    apart = False
    if head_promise is not None and long:
        apart = is_apart(head_promise, host)
        if apart and head_promise.held[host] > 0:
            note_costs(cards, cards.then[host], jobs.kind[head_promise.number[HEAD]], cards.share[kind])
    bits = tightest(cards, cards.free[host], kind)
    give_to(cards.free[host], bits, -cards.share[kind])
    if apart:
        give_to(cards.then[host], bits, -cards.share[kind])
    return bits


@inner
def take_for_long(jobs, state, head_promise, job, host, tasks):
    """Let that many tasks of `job`, a LONG job, take `host` at the shadow time; a negative number gives back.

    Its cards at the shadow time are taken, or given back, before.
    """
    if not is_apart(head_promise, host):
        return
    for r in range(amounts_of(state)):
        head_promise.then[host, r] -= tasks * jobs.demand[jobs.kind[job], r]
    if state.cards is not None:
        sum_up(state.cards, state.cards.then[host], head_promise.then[host])
    held = held_in(jobs, state, head_promise.then, True, head_promise.number[HEAD], host)
    head_promise.number[SLACK] -= head_promise.held[host] - held
    head_promise.held[host] = held


@inner
def left_for_long(jobs, state, head_promise, host):
    """The cores and memory of a host that a LONG job may take: what the head's reservation leaves."""
    several = state.free.shape[1] > 1
    cores, memory = state.free[host, 0], state.free[host, 1] if several else 0.0
    if head_promise is None:
        return cores, memory
    head, node_count = head_promise.number[HEAD], is_apart(head_promise, host)
    if head < 0 or not (node_count or is_counted(head_promise)):
        return cores, memory
    keep = (head_promise.held[host] if node_count else head_promise.held_now[host]) - head_promise.number[SLACK]
    # without these tasks on this host the head would no longer fit
    if keep > 0:
        then = head_promise.then[host] if node_count else state.free[host]
        cores = min(cores, then[0] - keep * jobs.demand[jobs.kind[head], 0])
        if several:
            memory = min(memory, then[1] - keep * jobs.demand[jobs.kind[head], 1])
    return cores, memory
