# mypy: disable-error-code="no-untyped-def"
"""Mosix and ASSIGN-U-R for time-shared hosts, compiled, and the draws of all movers; the plain ones are the rule."""

from loadmaster.jit.kernels import inner


@inner
def hashed(seed, tick, host, channel, below):
    """`loadmaster.move.contacts.draw`; int64 products wrap around as the mask there does."""
    value = seed * -7046029254386353131 + tick * -4658895280553007687 + host * -7723592293110705685 + channel
    for _ in range(2):
        value += -7046029254386353131
        value = (value ^ ((value >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
        value = (value ^ ((value >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
        value ^= (value >> 31) & 0x1FFFFFFFF
    return ((value >> 11) & 0x1FFFFFFFFFFFFF) % below


@inner
def draw_order(order, seed, tick):
    """`order_of_turns`, into `order`."""
    for host in range(order.shape[0]):
        order[host] = host
    for last in range(order.shape[0] - 1, 0, -1):
        other = hashed(seed, tick, last, 1 << 20, last + 1)
        order[last], order[other] = order[other], order[last]


@inner
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


@inner
def mosix_turn(world, rules, host, contacts, known, pick):
    """`Mosix.turn`; returns (task, target), task -1 for no move."""
    task, target = _relieve(world, rules, host, contacts, known)
    if task >= 0:
        return task, target
    return _balance(world, rules, host, contacts, known, pick)


@inner
def _relieve(world, rules, host, contacts, known):
    best, target = -1, -1
    if world.used.shape[1] < 2:
        return best, target
    keep = 1.0 - rules.free_fraction
    excess = world.used[host, 1] - keep * world.capacity[host, 1]
    if excess <= 0.0:
        return best, target
    best_kind, best_memory = 2, 0.0
    task = world.hosts[host].head
    while task >= 0:
        memory = world.demand[world.tasks[task].job, 1]
        kind = 0 if memory >= excess else 1
        rank = memory if kind == 0 else -memory
        better = best < 0 or kind < best_kind or (kind == best_kind and rank < best_memory)
        if better and not world.tasks[task].travelling:
            calmest = -1
            for c in range(known):
                k = contacts[c]
                fits = world.used[k, 1] + memory <= keep * world.capacity[k, 1]
                if fits and (calmest < 0 or _load(world, k) < _load(world, calmest)):
                    calmest = k
            if calmest >= 0:
                best, target, best_kind, best_memory = task, calmest, kind, rank
        task = world.tasks[task].after
    return best, target


@inner
def _load(world, host):
    return world.used[host, 0] / world.hosts[host].power


@inner
def _balance(world, rules, host, contacts, known, pick):
    if known == 0:
        return -1, -1
    target, least = -1, 0.0
    for c in range(known):
        k = contacts[c]
        load = (world.used[k, 0] + rules.stability) / world.hosts[k].power
        if target < 0 or load < least:
            target, least = k, load
    if least >= world.used[host, 0] / world.hosts[host].power:
        return -1, -1
    fitting = 0
    task = world.hosts[host].head
    while task >= 0:
        fitting += _fits(world, task, target)
        task = world.tasks[task].after
    if fitting == 0:
        return -1, -1
    skip = pick % fitting
    task = world.hosts[host].head
    while True:
        if _fits(world, task, target):
            if skip == 0:
                return task, target
            skip -= 1
        task = world.tasks[task].after


@inner
def _fits(world, task, target):
    if world.tasks[task].travelling:
        return False
    for r in range(1, world.used.shape[1]):
        if world.used[target, r] + world.demand[world.tasks[task].job, r] > world.capacity[target, r]:
            return False
    return True


@inner
def unstable_task(world, scale):
    """`AssignUR.next_move`; returns (task, target), task -1 if all are stable."""
    base = max(2.0, float(world.hosts.shape[0])) ** (1.0 / scale)
    for host in range(world.hosts.shape[0]):
        task = world.hosts[host].head
        while task >= 0:
            if not world.tasks[task].travelling:
                need = world.demand[world.tasks[task].job, 0]
                target, least = -1, 0.0
                for k in range(world.hosts.shape[0]):
                    if k != host:
                        added = _added(base, world.used[k, 0] / world.hosts[k].unit, need / world.hosts[k].unit)
                        if target < 0 or added < least:
                            target, least = k, added
                if (
                    target >= 0
                    and _added(base, world.tasks[task].load_before, need / world.hosts[host].unit) > 2.0 * least
                ):
                    return task, target
            task = world.tasks[task].after
    return -1, -1


@inner
def _added(base, load, more):
    return base ** (load + more) - base**load
