"""Single cards in plain Python: the reference of cards_kernel.py and place_more_kernel.py (rules K22 and K23)."""

import math

import numpy as np

from loadmaster.packing.cards_kernel import CardRequests, OpenTasks
from loadmaster.packing.improve_kernel import draw
from loadmaster.packing.place_more_kernel import GROUP, MOST_ON_HOST, OTHERS, TRIES

TOLERANCE = 1e-9


class PlainHosts:
    """Hosts that are filled task by task; everything free is calculated anew from the tasks on a host."""

    def __init__(self, requests: CardRequests, tasks: OpenTasks) -> None:
        self.requests, self.tasks = requests, tasks
        self.on = {h: [t for t, at in enumerate(tasks.host.tolist()) if at == h] for h in range(len(tasks.free))}

    def cards_for(self, host, task):
        """The cards that the task takes: accepted ones with the least free amount that suffices; None if too few do."""
        requests, tasks = self.requests, self.tasks
        fitting = []
        for card, kind in enumerate(requests.kind[host].tolist()):
            used = sum(requests.share[t] for t in self.on[host] if tasks.taken[t, card])
            free = 1.0 - used
            if kind >= 0 and free >= requests.share[task] and requests.accepted[requests.accepts[task], kind]:
                fitting.append((free, card))
        wanted = int(requests.wanted[task])
        return [card for _, card in sorted(fitting)[:wanted]] if len(fitting) >= wanted else None

    def has_room(self, host, task):
        free = self.tasks.hard_room[host] - self.tasks.hard[self.on[host]].sum(axis=0)
        asked = self.tasks.hard[task]
        return bool(((asked <= 0) | (free + TOLERANCE >= asked)).all()) and self.cards_for(host, task) is not None

    def excess(self, host, task):
        asked = self.tasks.need[[*self.on[host], task]].sum(axis=0)
        room = self.tasks.room[host]
        over = [a / max(r, TOLERANCE) for a, r in zip(asked, room, strict=True) if a > r + TOLERANCE]
        return max(over, default=0.0)

    def left(self, host):
        return float((self.tasks.hard_room[host] - self.tasks.hard[self.on[host]].sum(axis=0)).sum())

    def put(self, host, task):
        self.tasks.taken[task, self.cards_for(host, task)] = True
        self.tasks.host[task] = host
        self.on[host].append(task)

    def take_off(self, task):
        self.on[int(self.tasks.host[task])].remove(task)
        self.tasks.taken[task], self.tasks.host[task] = False, -1


def settle_plain(requests, tasks, order):
    """Tasks that find no card where they are lose their host."""
    hosts = PlainHosts(requests, tasks)
    for here in hosts.on.values():
        here.clear()
    lost = 0
    for task in order.tolist():
        host = int(tasks.host[task])
        if host < 0:
            continue
        if hosts.cards_for(host, task) is None:
            tasks.host[task] = -1
            lost += 1
        else:
            hosts.put(host, task)
    return lost


def place_left_over_plain(requests, tasks, order):
    """Tasks without a host to the host with the least left over, of those that the fluid demands exceed the least."""
    hosts = PlainHosts(requests, tasks)
    placed = 0
    for task in order.tolist():
        if tasks.host[task] >= 0:
            continue
        able = [h for h in hosts.on if hosts.has_room(h, task)]
        if able:
            hosts.put(min(able, key=lambda h: (hosts.excess(h, task), round(hosts.left(h), 9), h)), task)
            placed += 1
    return placed


class PlainSearch:
    """Empties a few hosts and fills them anew, step by step."""

    def __init__(self, requests, tasks, lists):
        self.hosts, self.tasks, self.size, self.random = PlainHosts(requests, tasks), tasks, lists.size, lists.random
        self.hosts.on = {h: self.hosts.on[h][::-1] for h in self.hosts.on}
        self.open = lists.open[: lists.open_count[0]].tolist()

    def steps(self, number):
        stuck = 0
        for _ in range(number):
            if not self.open:
                break
            stuck = 0 if self.step() else stuck + 1
        return stuck

    def step(self):
        wanted = self.open[draw(self.random, len(self.open))]
        chosen = self.picked(wanted)
        if not chosen:
            return False
        removed = [task for h in chosen for task in self.hosts.on[h]]
        candidates = [*removed, wanted]
        for _ in range(min(OTHERS, len(self.open) - 1)):
            task = self.open[draw(self.random, len(self.open))]
            if task not in candidates[len(removed) :]:
                candidates.append(task)
        sign = -1.0 if draw(self.random, 4) == 0 else 1.0
        key = [sign * (0.75 + draw(self.random, 1024) / 2048.0) * self.size[task] for task in candidates]
        before = [(task, int(self.tasks.host[task]), self.tasks.taken[task].copy()) for task in candidates]
        lists_before = {h: list(self.hosts.on[h]) for h in chosen}
        for task in removed:
            self.hosts.take_off(task)
        placed = self.filled(chosen, [candidates[i] for i in sorted(range(len(key)), key=lambda i: -key[i])])
        gain = sum(self.size[task] for task in placed) - sum(self.size[task] for task in removed)
        if len(placed) > len(removed) or (len(placed) == len(removed) and gain >= -1e-12):
            self.accept(chosen, candidates, removed)
        else:
            for task, host, taken in before:
                self.tasks.host[task], self.tasks.taken[task] = host, taken
            self.hosts.on |= lists_before
        return len(placed) > len(removed)

    def picked(self, wanted):
        number = len(self.hosts.on)
        chosen = []
        for _ in range(TRIES):
            h = int(draw(self.random, number))
            asked = self.tasks.hard[wanted]
            holds = ((asked <= 0) | (self.tasks.hard_room[h] + TOLERANCE >= asked)).all()
            if len(self.hosts.on[h]) <= MOST_ON_HOST and holds:
                chosen.append(h)
                break
        if not chosen:
            return []
        for _ in range(int(draw(self.random, GROUP))):
            h = int(draw(self.random, number))
            if h not in chosen and len(self.hosts.on[h]) <= MOST_ON_HOST:
                chosen.append(h)
        return chosen

    def filled(self, chosen, order):
        placed = []
        for task in order:
            best, rest = -1, math.inf
            for h in chosen:
                if self.hosts.has_room(h, task) and self.hosts.left(h) < rest - 1e-12:
                    best, rest = h, self.hosts.left(h)
            if best >= 0:
                self.hosts.put(best, task)
                placed.append(task)
        return placed

    def accept(self, chosen, candidates, removed):
        for h in chosen:
            self.hosts.on[h] = [task for task in reversed(candidates) if self.tasks.host[task] == h]
        self.open += [task for task in removed if self.tasks.host[task] < 0]
        self.open = [task for task in self.open if self.tasks.host[task] < 0]


def copy_of(tasks: OpenTasks) -> OpenTasks:
    """The same with arrays of its own."""
    return OpenTasks(*(np.array(array) for array in tasks))
