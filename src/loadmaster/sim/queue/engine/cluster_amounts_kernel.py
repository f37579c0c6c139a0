"""Amounts of the whole cluster in the compiled engine: licences, burst buffers, and power under a cap.

An amount is a counter beside the limits (rules C13 and C14). What is left of each stands first in `QueueState.left`,
and what a job requests stands first among its uses. A job that lacks an amount does not fit. A head of the queue that
requests amounts is promised the first moment at which it has hosts and amounts, and holds both from then on.

Running jobs only give back. So an amount is there for a whole runtime if it is there at a few moments: now, at the
shadow time if the job is LONG, and whenever the cap on power changes within the runtime. The cap is the last amount.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.queue.engine.state import AMOUNTS, HEAD, LANES, LONG, OLD


@inlined
def how_many_amounts(state):
    """How many of the counters in `state.left` are amounts of the whole cluster: the first ones."""
    if state.amounts is not None:
        return state.amounts.then.shape[0]
    return 0


@inner
def count_against(jobs, state, row, sign):
    """Count the row against its limits and amounts: it starts (`sign` -1) or ends (1)."""
    for use in range(jobs.uses[row], jobs.uses[row + 1]):
        state.left[jobs.use_limit[use]] += sign * jobs.use_amount[use]
    if state.amounts is not None:
        amounts, asked = state.amounts, _power_of(jobs, state, row)
        for at in range(amounts.changed[0], amounts.change_s.shape[0]):
            if amounts.change_s[at] >= amounts.end_s[row]:
                break
            amounts.after[at] += sign * asked


@inlined
def note_expected_end(engine, row, now, entry):
    """Note when the row, which starts now on the hosts in the undo list from `entry` on, is expected to end."""
    state = engine.state
    if state.amounts is not None:
        slowest = np.inf
        for at in range(entry, entry + engine.jobs.tasks[row]):
            slowest = min(slowest, state.speed[state.undo_host[at]])
        state.amounts.end_s[row] = now + engine.jobs.expected_s[row] / slowest


@inner
def asked_of(jobs, row, amount):
    """What the row requests of an amount."""
    asked = 0.0
    for use in range(jobs.uses[row], jobs.uses[row + 1]):
        if jobs.use_limit[use] == amount:
            asked = jobs.use_amount[use]
    return asked


@inner
def _power_of(jobs, state, row):
    """What the row requests of the last amount."""
    return asked_of(jobs, row, how_many_amounts(state) - 1)


@inlined
def all_lack_amounts(state, least, node):
    """Whether the cluster lacks an amount for each job below a node of the queue tree with such least demands."""
    lacking = False
    if state.amounts is not None:
        for amount in range(how_many_amounts(state)):
            fewest = np.inf
            for lane in range(LANES):
                fewest = min(fewest, least[node, AMOUNTS + amount, lane])
            lacking |= state.left[amount] < fewest < np.inf
        if lacking:
            state.amounts.lacked[0] = True
    return lacking


@inlined
def is_infeasible(state, row):
    """Whether the row, which arrives now, can never run; it then counts in the length of the queue."""
    if state.amounts is not None:
        state.amounts.stuck[0] += state.amounts.never[row]
        return state.amounts.never[row]
    return False


@inlined
def infeasible_count(state):
    """How many rows have arrived that can never run, in a run that nothing but amounts binds."""
    if state.amounts is not None:
        return state.amounts.stuck[0]
    return np.int64(0)


@inlined
def cap_changes_come(state):
    """How many changes of the cap on power have come."""
    if state.amounts is not None:
        return state.amounts.changed[0]
    return np.int64(0)


@inlined
def cap_change_s(state, at):
    """When the cap on power changes for the time number `at`; infinite if never."""
    if state.amounts is not None and at < state.amounts.change_s.shape[0]:
        return state.amounts.change_s[at]
    return np.inf


@inner
def change_cap(state, now):
    """Let the cap on power change as often as it has by now."""
    amounts = state.amounts
    while cap_change_s(state, amounts.changed[0]) <= now:
        state.left[amounts.then.shape[0] - 1] += amounts.change[amounts.changed[0]]
        amounts.changed[0] += 1
        state.news.number[OLD] = 0


@inlined
def lacks_amounts(engine, row, now, speed, length):
    """Whether the cluster lacks an amount for the row on hosts of that speed, where it is SHORT or LONG."""
    if engine.state.amounts is not None:
        promised = False
        if engine.head_promise is not None:
            promised = engine.head_promise.number[HEAD] >= 0
        end_s = now + engine.jobs.expected_s[row] / speed
        return _lacks(engine.jobs, engine.state, row, end_s, length == LONG, promised)
    return False


@inner
def _lacks(jobs, state, row, end_s, long, promised):
    amounts, lacking = state.amounts, False
    for use in range(jobs.uses[row], jobs.uses[row + 1]):
        amount, asked = jobs.use_limit[use], jobs.use_amount[use]
        if amount < amounts.then.shape[0]:
            lacking |= asked > state.left[amount] or (long and asked > amounts.then[amount])
    for at in range(amounts.changed[0], amounts.change_s.shape[0]):
        if lacking or amounts.change_s[at] >= end_s:
            break
        left = amounts.after[at]
        if promised and amounts.head[0] <= amounts.change_s[at] < amounts.head[1]:
            left -= amounts.head[2]
        lacking = _power_of(jobs, state, row) > left
    if lacking:
        amounts.lacked[0] = True
    return lacking


@inlined
def begin_amounts_then(jobs, state, head):
    """Begin to look for the shadow time of `head`: nothing is given back yet; returns whether it requests amounts."""
    if state.amounts is not None:
        asks = jobs.uses[head] < jobs.uses[head + 1] and jobs.use_limit[jobs.uses[head]] < how_many_amounts(state)
        for amount in range(how_many_amounts(state)):
            state.amounts.then[amount] = state.left[amount] if asks else np.inf
        state.amounts.head[2] = 0.0
        return asks
    return False


@inner
def change_amounts_then(jobs, state, row, sign):
    """Let the row give back its amounts by the shadow time (`sign` 1), or hold them then (-1)."""
    if state.amounts is not None:
        for use in range(jobs.uses[row], jobs.uses[row + 1]):
            if jobs.use_limit[use] < how_many_amounts(state):
                state.amounts.then[jobs.use_limit[use]] += sign * jobs.use_amount[use]


@inlined
def change_cap_then(state, at):
    """Let the cap change for the time number `at` in the search for the shadow time; returns the next number."""
    if state.amounts is not None:
        state.amounts.then[how_many_amounts(state) - 1] += state.amounts.change[at]
    return at + 1


@inner
def has_amounts_from(engine, head, from_s):
    """Whether the amounts of `head` are there from that moment on, for its runtime on the slowest hosts."""
    jobs, state, enough = engine.jobs, engine.state, True
    if state.amounts is not None:
        amounts = state.amounts
        for use in range(jobs.uses[head], jobs.uses[head + 1]):
            if jobs.use_limit[use] < how_many_amounts(state):
                enough &= amounts.then[jobs.use_limit[use]] >= jobs.use_amount[use]
        until_s = _end_on_slowest(engine, head, from_s)
        for at in range(amounts.changed[0], amounts.change_s.shape[0]):
            if not enough or amounts.change_s[at] >= until_s:
                break
            if amounts.change_s[at] > from_s:
                enough = amounts.after[at] >= _power_of(jobs, state, head)
    return enough


@inner
def hold_amounts_for_head(engine, head, from_s):
    """Hold the amounts of `head` from the shadow time on, for its runtime on the slowest hosts."""
    change_amounts_then(engine.jobs, engine.state, head, -1.0)
    if engine.state.amounts is not None:
        held = engine.state.amounts.head
        held[0], held[1] = from_s, _end_on_slowest(engine, head, from_s)
        held[2] = _power_of(engine.jobs, engine.state, head)


@inner
def _end_on_slowest(engine, head, from_s):
    slowest = engine.state.speed[0]
    if engine.rules.several_speeds:
        for host in range(engine.state.speed.shape[0]):
            slowest = min(slowest, engine.state.speed[host])
    return max(from_s + engine.jobs.expected_s[head] / slowest, np.nextafter(from_s, np.inf))
