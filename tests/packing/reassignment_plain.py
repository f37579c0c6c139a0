"""The ROADEF/EURO challenge of 2012 as its statement has it: the cost of an assignment, and whether it is allowed.

Written from the statement alone: it reads the text of a model by itself and shares no code with the product.
"""

from collections import defaultdict


def parsed(text):
    values = iter(map(int, text.split()))

    def take(count):
        return [next(values) for _ in range(count)]

    (kinds,) = take(1)
    resources = [take(2) for _ in range(kinds)]
    (count,) = take(1)
    machines = [
        {"neighbourhood": take(1)[0], "location": take(1)[0], "C": take(kinds), "SC": take(kinds), "MMC": take(count)}
        for _ in range(count)
    ]
    services = []
    for _ in range(take(1)[0]):
        least, needs = take(2)
        services.append((least, take(needs)))
    processes = [(take(1)[0], take(kinds), take(1)[0]) for _ in range(take(1)[0])]
    balances = [take(4) for _ in range(take(1)[0])]
    return resources, machines, services, processes, balances, take(3)


def cost_of_assignment(text, before, after):
    """The challenge's objective of the assignment `after`."""
    resources, machines, _, processes, balances, (w_process, w_service, w_machine) = parsed(text)
    used = used_by(machines, processes, after, len(resources))
    total = 0
    for r, (_, weight) in enumerate(resources):
        total += weight * sum(max(0, used[m][r] - machine["SC"][r]) for m, machine in enumerate(machines))
    for r1, r2, target, weight in balances:
        for m, machine in enumerate(machines):
            free = [machine["C"][r] - used[m][r] for r in (r1, r2)]
            total += weight * max(0, target * free[0] - free[1])
    moved = defaultdict(int)
    for p, (service, _, cost) in enumerate(processes):
        if before[p] != after[p]:
            total += w_process * cost + w_machine * machines[before[p]]["MMC"][after[p]]
            moved[service] += 1
    return total + w_service * max(moved.values(), default=0)


def used_by(machines, processes, host, kinds):
    used = [[0] * kinds for _ in machines]
    for p, (_, needs, _) in enumerate(processes):
        for r in range(kinds):
            used[host[p]][r] += needs[r]
    return used


def is_allowed(text, before, after):
    """Whether the assignment `after` keeps all five constraints."""
    resources, machines, services, processes, _, _ = parsed(text)
    used = used_by(machines, processes, after, len(resources))
    for p, (_, needs, _) in enumerate(processes):
        for r, (transient, _) in enumerate(resources):
            if transient and before[p] != after[p]:
                used[before[p]][r] += needs[r]
    if any(used[m][r] > machine["C"][r] for m, machine in enumerate(machines) for r in range(len(resources))):
        return False
    machines_of, locations, neighbourhoods = defaultdict(list), defaultdict(set), defaultdict(set)
    for p, (service, _, _) in enumerate(processes):
        machines_of[service].append(after[p])
        locations[service].add(machines[after[p]]["location"])
        neighbourhoods[service].add(machines[after[p]]["neighbourhood"])
    if any(len(each) != len(set(each)) for each in machines_of.values()):
        return False
    if any(len(locations[s]) < least for s, (least, _) in enumerate(services) if s in machines_of):
        return False
    return all(neighbourhoods[s] <= neighbourhoods[other] for s, (_, needs) in enumerate(services) for other in needs)


def model_at_random(rng, machines=4, processes=8, kinds=3):
    """The text of a small model."""
    services = int(rng.integers(3, processes + 1))
    lines = [str(kinds), *(f"{rng.integers(2)} {rng.integers(1, 20)}" for _ in range(kinds)), str(machines)]
    for m in range(machines):
        capacity = rng.integers(10, 40, kinds)
        moves = [0 if other == m else int(rng.integers(0, 5)) for other in range(machines)]
        row = [rng.integers(2), rng.integers(3), *capacity, *(capacity * rng.random(kinds)).astype(int), *moves]
        lines.append(" ".join(map(str, row)))
    lines.append(str(services))
    for service in range(services):
        needs = [int(other) for other in rng.permutation(services)[: rng.integers(0, 2)] if other != service]
        lines.append(" ".join(map(str, [rng.integers(0, 3), len(needs), *needs])))
    lines.append(str(processes))
    for p in range(processes):
        service = p if p < services else rng.integers(services)
        lines.append(" ".join(map(str, [service, *rng.integers(0, 8, kinds), rng.integers(0, 50)])))
    lines += ["1", "0 1 2", "7", "1 10 100"]
    return "\n".join(lines) + "\n"
