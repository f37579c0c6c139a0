# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"
"""The movers of `loadmaster.move` for time-shared hosts, compiled; the plain ones say what they must return."""

from numba import njit

from loadmaster.sim.shared_state import SCALE


@njit(cache=True, nogil=True)
def hashed(seed, tick, host, channel, below):
    """`loadmaster.move.contacts.draw`; int64 products wrap around as the mask there does."""
    value = seed * -7046029254386353131 + tick * -4658895280553007687 + host * -7723592293110705685 + channel
    for _ in range(2):
        value += -7046029254386353131
        value = (value ^ ((value >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
        value = (value ^ ((value >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
        value ^= (value >> 31) & 0x1FFFFFFFF
    return ((value >> 11) & 0x1FFFFFFFFFFFFF) % below


@njit(cache=True, nogil=True)
def draw_order(order, seed, tick):
    """`order_of_turns`, into `order`."""
    for host in range(order.shape[0]):
        order[host] = host
    for last in range(order.shape[0] - 1, 0, -1):
        other = hashed(seed, tick, last, 1 << 20, last + 1)
        order[last], order[other] = order[other], order[last]


@njit(cache=True, nogil=True)
def draw_contacts(contacts, seed, tick, host, hosts, fanout):
    """`contacts_of`, into `contacts`; returns how many."""
    found = 0
    attempt = 0
    while found < min(fanout, hosts - 1):
        other = hashed(seed, tick, host, (2 << 20) + attempt, hosts - 1)
        if other >= host:
            other += 1
        attempt += 1
        known = False
        for k in range(found):
            known = known or contacts[k] == other
        if not known:
            contacts[found] = other
            found += 1
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def mosix_turn(jobs, hosts, tasks, rules, host, contacts, known, pick):
    """`Mosix.turn`; returns (task, target), task -1 for no move."""
    task, target = _relieve(jobs, hosts, tasks, rules, host, contacts, known)
    if task >= 0:
        return task, target
    return _balance(jobs, hosts, tasks, rules, host, contacts, known, pick)


@njit(cache=True, nogil=True, error_model="numpy")
def _relieve(jobs, hosts, tasks, rules, host, contacts, known):
    best, target = -1, -1
    if hosts.used.shape[1] < 2:
        return best, target
    keep = 1.0 - rules.free_fraction
    excess = hosts.used[host, 1] - keep * hosts.capacity[host, 1]
    if excess <= 0.0:
        return best, target
    best_kind, best_memory = 2, 0.0
    task = hosts.head[host]
    while task >= 0:
        memory = jobs.demand[jobs.owner[task], 1]
        kind = 0 if memory >= excess else 1
        rank = memory if kind == 0 else -memory
        better = best < 0 or kind < best_kind or (kind == best_kind and rank < best_memory)
        if better and not tasks.travelling[task]:
            calmest = -1
            for c in range(known):
                k = contacts[c]
                if hosts.used[k, 1] + memory <= keep * hosts.capacity[k, 1] and (
                    calmest < 0 or hosts.used[k, 0] / hosts.power[k] < hosts.used[calmest, 0] / hosts.power[calmest]
                ):
                    calmest = k
            if calmest >= 0:
                best, target, best_kind, best_memory = task, calmest, kind, rank
        task = tasks.after[task]
    return best, target


@njit(cache=True, nogil=True, error_model="numpy")
def _balance(jobs, hosts, tasks, rules, host, contacts, known, pick):
    if known == 0:
        return -1, -1
    target, least = -1, 0.0
    for c in range(known):
        k = contacts[c]
        load = (hosts.used[k, 0] + rules.stability) / hosts.power[k]
        if target < 0 or load < least:
            target, least = k, load
    if least >= hosts.used[host, 0] / hosts.power[host]:
        return -1, -1
    fitting = 0
    task = hosts.head[host]
    while task >= 0:
        fitting += _fits(jobs, hosts, tasks, task, target)
        task = tasks.after[task]
    if fitting == 0:
        return -1, -1
    skip = pick % fitting
    task = hosts.head[host]
    while True:
        if _fits(jobs, hosts, tasks, task, target):
            if skip == 0:
                return task, target
            skip -= 1
        task = tasks.after[task]


@njit(cache=True, nogil=True)
def _fits(jobs, hosts, tasks, task, target):
    if tasks.travelling[task]:
        return False
    for r in range(1, hosts.used.shape[1]):
        if hosts.used[target, r] + jobs.demand[jobs.owner[task], r] > hosts.capacity[target, r]:
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def cost_change(jobs, hosts, scale, task, host, sign):
    """By how much the opportunity cost of `host` grows when `task` comes (sign 1) or goes (sign -1)."""
    base = max(2.0, float(hosts.cores.shape[0]))
    change = 0.0
    owner = jobs.owner[task]
    for r in range(hosts.used.shape[1]):
        capacity = hosts.unit[host] * scale if r == 0 else hosts.capacity[host, r]
        if capacity > 0.0:
            use = hosts.used[host, r] / capacity
            change += base**use * (base ** (sign * jobs.demand[owner, r] / capacity) - 1.0)
    return change


@njit(cache=True, nogil=True, error_model="numpy")
def enhanced_turn(jobs, hosts, tasks, clock, host, contacts, known):
    """`EnhancedMosix.turn`; returns (task, target), task -1 for no move."""
    best, target, best_change = -1, -1, -1e-9
    scale = clock.real[SCALE]
    task = hosts.head[host]
    while task >= 0:
        if not tasks.travelling[task]:
            leaving = cost_change(jobs, hosts, scale, task, host, -1.0)
            for c in range(known):
                change = leaving + cost_change(jobs, hosts, scale, task, contacts[c], 1.0)
                if change < best_change:
                    best, target, best_change = task, contacts[c], change
        task = tasks.after[task]
    return best, target


@njit(cache=True, nogil=True, error_model="numpy")
def unstable_task(jobs, hosts, tasks, base):
    """`AssignUR.next_move`; returns (task, target), task -1 if all are stable."""
    for host in range(hosts.cores.shape[0]):
        task = hosts.head[host]
        while task >= 0:
            if not tasks.travelling[task]:
                need = jobs.demand[jobs.owner[task], 0]
                target, least = -1, 0.0
                for k in range(hosts.cores.shape[0]):
                    if k != host:
                        added = _added(base, hosts.used[k, 0] / hosts.unit[k], need / hosts.unit[k])
                        if target < 0 or added < least:
                            target, least = k, added
                if target >= 0 and _added(base, tasks.load_before[task], need / hosts.unit[host]) > 2.0 * least:
                    return task, target
            task = tasks.after[task]
    return -1, -1


@njit(cache=True, nogil=True)
def _added(base, load, more):
    return base ** (load + more) - base**load
