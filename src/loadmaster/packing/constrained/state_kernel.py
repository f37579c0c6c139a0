"""A placement whose loads, counts and cost are kept as tasks are taken out and put in, compiled."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.packing.constrained.layout import (
    ACCOMPANIED,
    APART,
    BEST,
    CHANGED,
    LARGEST,
    SEPARATE,
    SKEW,
    SPREAD,
    TOTAL,
)
from loadmaster.packing.constrained.uneven_cost_kernel import uneven_cost

LARGE, COSTLY = 0.4, 0.7
"""Up to these parts of all draws a task is drawn among the large ones, and from a host that costs something."""
TRIES = 200
"""Hosts that are looked at until such a host is found."""


@inner
def fits(model, state, h, plus, minus):
    """Whether host h may take task `plus` once task `minus` has left; -1 stands for no task.

    A task that comes back to where it runs now requests no more of a transient resource than it holds there already;
    one that leaves goes on holding it.
    """
    tasks, hosts = model.tasks, model.hosts
    if not hosts.allowed[tasks.allowed[plus], h]:
        return False
    returns = tasks.now[plus] == h
    leaves = minus >= 0 and tasks.now[minus] == h
    for r in range(hosts.capacity.shape[1]):
        load, added = state.held[h, r], tasks.demand[plus, r]
        if returns and hosts.transient[r]:
            added = 0
        load += added
        if minus >= 0 and not (leaves and hosts.transient[r]):
            load -= tasks.demand[minus, r]
        if added > 0 and load > hosts.capacity[h, r]:
            return False
    return True


@inner
def cost_with(model, state, h, plus, minus):
    """All that host h costs with task `plus` added and task `minus` gone; -1 stands for no task."""
    demand, capacity, costs = model.tasks.demand, model.hosts.capacity, model.costs
    cost = 0
    for n in range(costs.resource.shape[0]):
        r = costs.resource[n]
        over = state.use[h, r] - costs.safety[h, n]
        if plus >= 0:
            over += demand[plus, r]
        if minus >= 0:
            over -= demand[minus, r]
        if over > 0:
            cost += costs.load_weight[n] * over
    for b in range(costs.first.shape[0]):
        r, q = costs.first[b], costs.second[b]
        short = costs.target[b] * (capacity[h, r] - state.use[h, r]) - (capacity[h, q] - state.use[h, q])
        if plus >= 0:
            short -= costs.target[b] * demand[plus, r] - demand[plus, q]
        if minus >= 0:
            short += costs.target[b] * demand[minus, r] - demand[minus, q]
        if short > 0:
            cost += costs.balance_weight[b] * short
    if state.on_host[h] + (plus >= 0) - (minus >= 0) > 0:
        cost += model.hosts.price[h]
    if model.shapes.imbalance_weight + model.shapes.stranded_weight > 0:
        cost += uneven_cost(model, state, h, plus, minus)
    return cost


@inner
def move_cost(model, t, h):
    """What it costs that task t is on host h and not where it runs now; the largest of groups is not in it."""
    now, cost = model.tasks.now[t], 0
    if h >= 0 and model.hosts.place_cost.shape[0] > 0:
        cost += model.hosts.place_cost[model.tasks.place_row[t], h]
    if now < 0 or now == h or h < 0:
        return cost
    cost += model.tasks.move_cost[t]
    if model.hosts.pair_cost.shape[0] > 0:
        cost += model.hosts.pair_cost[now, h]
    return cost


@inner
def take(model, state, t):
    """Take task t off its host; the cost of its host and the total follow."""
    h = state.host[t]
    demand, now = model.tasks.demand, model.tasks.now
    for r in range(demand.shape[1]):
        state.use[h, r] -= demand[t, r]
        if now[t] != h or not model.hosts.transient[r]:
            state.held[h, r] -= demand[t, r]
    state.on_host[h] -= 1
    _leave_ring(state, t, h)
    _count(model, state, t, h, -1)
    state.host[t] = -1
    if now[t] >= 0 and now[t] != h:
        _count_moved(model, state, t, -1)
    cost = cost_with(model, state, h, -1, -1)
    state.totals[TOTAL] += cost - state.host_cost[h] - move_cost(model, t, h)
    state.host_cost[h] = cost


@inner
def put(model, state, t, h):
    """Put task t, which has no host, on host h; the cost of the host and the total follow."""
    demand, now = model.tasks.demand, model.tasks.now
    for r in range(demand.shape[1]):
        state.use[h, r] += demand[t, r]
        if now[t] != h or not model.hosts.transient[r]:
            state.held[h, r] += demand[t, r]
    state.on_host[h] += 1
    _enter_ring(state, t, h)
    _count(model, state, t, h, 1)
    state.host[t] = h
    if now[t] >= 0 and now[t] != h:
        _count_moved(model, state, t, 1)
    cost = cost_with(model, state, h, -1, -1)
    state.totals[TOTAL] += cost - state.host_cost[h] + move_cost(model, t, h)
    state.host_cost[h] = cost
    if state.is_changed[t] == 0:
        state.is_changed[t] = 1
        state.changed[state.totals[CHANGED]] = t
        state.totals[CHANGED] += 1


@inner
def _enter_ring(state, t, h):
    head = state.first[h]
    if head < 0:
        state.first[h] = t
        state.next[t] = t
        state.before[t] = t
    else:
        last = state.before[head]
        state.next[last] = t
        state.before[t] = last
        state.next[t] = head
        state.before[head] = t


@inner
def _leave_ring(state, t, h):
    after, before = state.next[t], state.before[t]
    if after == t:
        state.first[h] = -1
    else:
        state.next[before] = after
        state.before[after] = before
        if state.first[h] == t:
            state.first[h] = after


@inner
def _count(model, state, t, h, step):
    rules = model.rules
    for k in range(rules.counters_from[t], rules.counters_from[t + 1]):
        counter = rules.counters[k]
        state.placed[counter] += step
        d = rules.domain[rules.level[counter], h]
        if d >= 0:
            at = rules.offset[counter] + d
            state.counts[at] += step
            if step > 0 and state.counts[at] == 1:
                state.in_use[counter] += 1
            elif step < 0 and state.counts[at] == 0:
                state.in_use[counter] -= 1


@inner
def _count_moved(model, state, t, step):
    g = model.tasks.group[t]
    if g < 0:
        return
    state.groups_with[state.moved[g]] -= 1
    state.moved[g] += step
    state.groups_with[state.moved[g]] += 1
    largest = max(state.totals[LARGEST], state.moved[g])
    while largest > 0 and state.groups_with[largest] == 0:
        largest -= 1
    state.totals[TOTAL] += model.costs.group_weight * (largest - state.totals[LARGEST])
    state.totals[LARGEST] = largest


@inner
def rule_holds(model, state, rule, h):
    """Whether a rule holds in the domain of host h, and as far as it looks at all domains."""
    rules = model.rules
    kind, subject, limit = rules.kind[rule], rules.subject[rule], rules.limit[rule]
    if kind == SPREAD:
        return state.in_use[subject] >= limit
    d = rules.domain[rules.level[subject], h]
    if d < 0:
        return True
    here = state.counts[rules.offset[subject] + d]
    if kind == APART:
        return here <= limit
    if kind == SKEW:
        return not rules.eligible[rules.offset[subject] + d] or _skew(rules, state, subject) <= limit
    if here == 0:
        return True
    other = rules.other[rule]
    beside = state.counts[rules.offset[other] + d]
    if kind == SEPARATE:
        return beside == 0
    if kind == ACCOMPANIED:
        return beside >= 2 or state.placed[other] <= 1
    return beside >= 1


@inner
def _skew(rules, state, counter):
    most, least, start = -1, -1, rules.offset[counter]
    for at in range(start, start + rules.domains[counter]):
        if rules.eligible[at]:
            count = state.counts[at]
            most = max(most, count)
            least = count if least < 0 else min(least, count)
    return most - least


@inner
def rules_hold_at(model, state, t, h):
    """Whether every rule that counts task t holds in the domains of host h."""
    rules = model.rules
    for k in range(rules.rules_from[t], rules.rules_from[t + 1]):  # noqa: SIM110
        if not rule_holds(model, state, rules.rules[k], h):
            return False
    return True


@inner
def may_enter(model, state, t, h):
    """Whether every rule of one domain holds where task t has been put, host h, while other tasks are out."""
    rules = model.rules
    for k in range(rules.rules_from[t], rules.rules_from[t + 1]):
        rule = rules.rules[k]
        if rules.kind[rule] != SPREAD and rules.kind[rule] != SKEW and not rule_holds(model, state, rule, h):
            return False
    return True


@inner
def remember_if_best(state):
    """Keep the placement as the best one if it is."""
    if state.totals[TOTAL] < state.totals[BEST]:
        state.totals[BEST] = state.totals[TOTAL]
        for k in range(state.totals[CHANGED]):
            t = state.changed[k]
            state.best[t] = state.host[t]
            state.is_changed[t] = 0
        state.totals[CHANGED] = 0


@inner
def draw_task(model, state):
    """A task that may move: some draws prefer large tasks, some tasks of hosts that cost something."""
    movable = model.tasks.movable
    count = movable.shape[0]
    kind = uniform(state)
    if kind < LARGE:
        return movable[int(count * uniform(state) ** 3)]
    if kind < COSTLY:
        hosts = model.hosts.capacity.shape[0]
        turn = random_below(state, hosts)
        for k in range(min(TRIES, hosts)):
            h = (turn + k) % hosts
            if state.host_cost[h] > 0 and state.first[h] >= 0:
                t = state.first[h]
                state.first[h] = state.next[t]
                if model.tasks.is_movable[t]:
                    return t
    return movable[random_below(state, count)]


@inner
def random_below(state, count):
    """The next draw, 0 to count - 1 (splitmix64)."""
    return int(uniform(state) * count)


@inner
def uniform(state):
    """The next draw in [0, 1)."""
    state.random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state.random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@cached_njit(nogil=True, error_model="numpy")
def place_those_that_fit(model, state, task, host):
    """Put tasks, int64[N], in turn on the hosts of a placement, int64[T], if capacities and groups apart allow it."""
    rules = model.rules
    for k in range(task.shape[0]):
        t, h = task[k], host[task[k]]
        if h < 0 or not fits(model, state, h, t, -1):
            continue
        put(model, state, t, h)
        for i in range(rules.rules_from[t], rules.rules_from[t + 1]):
            rule = rules.rules[i]
            apart = rules.kind[rule] == APART or rules.kind[rule] == SEPARATE
            if apart and not rule_holds(model, state, rule, h):
                take(model, state, t)
                break


@cached_njit(nogil=True, error_model="numpy")
def place_all(model, state, host):
    """Put every task with a host, int64[T] with -1 for none, on it; `state` is empty. With all it is the best."""
    placed = 0
    for t in range(host.shape[0]):
        if host[t] >= 0:
            put(model, state, t, host[t])
            placed += 1
    if placed == host.shape[0]:
        remember_if_best(state)
