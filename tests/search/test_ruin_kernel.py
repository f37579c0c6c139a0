import numpy as np
from random_queues import random_queue

from loadmaster.search.greedy import lengths, listed
from loadmaster.search.improve import heat, improved
from loadmaster.search.rigid import rigid_of
from loadmaster.search.ruin_kernel import AS_THEY_WERE, FIXED, IN_FRONT

MOST, MOVES = 40, 64


class Plain:
    """Jobs on hosts as lists, in which every question walks through all that there is."""

    def __init__(self, queue, planned):
        self.queue = queue
        self.first = np.concatenate(([0], np.cumsum(queue.tasks)))
        self.start, self.end = planned.start_s.copy(), float(planned.end_s.max())
        self.host = planned.host[self.first[:-1]].astype(int)
        self.on = [[] for _ in queue.class_of]
        self.fixed = []
        for j in range(queue.jobs):
            if queue.tasks[j] == 1:
                self.on[self.host[j]].insert(0, j)
            else:
                hosts = planned.host[self.first[j] : self.first[j + 1]]
                self.fixed += [(h, planned.start_s[j], planned.end_s[j], j) for h in hosts.tolist()]

    def lasts(self, j, h):
        return self.queue.lasts_s[j, self.queue.class_of[h]]

    def spans(self, h):
        mine = [(self.start[j], self.start[j] + self.lasts(j, h), self.queue.demand[j]) for j in self.on[h]]
        return mine + [(start, end, self.queue.demand[j]) for on, start, end, j in self.fixed if on == h]

    def earliest(self, j, h):
        spans, ready, capacity = self.spans(h), self.queue.ready_s[j], self.queue.capacity[self.queue.class_of[h]]
        for start in sorted({ready, *(end for _, end, _ in spans if end > ready)}):
            end = start + self.lasts(j, h)
            moments = [start, *(begin for begin, _, _ in spans if start < begin < end)]
            held = [sum((d for a, b, d in spans if a <= t < b), np.zeros(2)) for t in moments]
            if all((each + self.queue.demand[j] <= capacity).all() for each in held):
                return start
        raise AssertionError("after the last end there is room")

    def put_earliest(self, j, wished):
        able = [wished, *range(len(self.on))]
        able = [h for h in able if np.isfinite(self.lasts(j, h))]
        best = min(able, key=lambda h: self.earliest(j, h))
        self.put(j, best, self.earliest(j, best))
        return self.start[j]

    def put(self, j, h, start):
        self.start[j], self.host[j] = start, h
        self.on[h].insert(0, j)

    def neighbours(self, j, h, begins, ends, few, draws):
        chosen, met = [], 0
        for other in self.by_stretch(h):
            start, over = self.start[other], self.start[other] + self.lasts(other, h)
            runs = start < ends and over > begins
            could = ends <= start < ends + (ends - begins) and self.queue.ready_s[other] < ends
            if other != j and (runs or could):
                met += 1
                if len(chosen) < few:
                    chosen.append(other)
                elif (at := int(draws[met % few] * met)) < few:
                    chosen[at] = other
        return [j, *chosen]

    def by_stretch(self, h):
        """Jobs of a host, those that start early first; among those of a stretch of time the last put there."""
        lists = max(1, self.queue.jobs // (len(self.on) * 8))
        return sorted(self.on[h], key=lambda j: min(int(self.start[j] / (self.end / lists)), lists - 1))

    def move(self, area, draws, heat_s):
        queue = self.queue
        waits = [(self.start[j] - queue.ready_s[j], j) for j in (draws[:4] * queue.jobs).astype(int)]
        waits = [(wait, j) for wait, j in waits if queue.tasks[j] == 1 and wait > 0.0]
        if not waits:
            return
        j, h = max(waits, key=lambda each: each[0])[1], 0
        h, other = self.host[j], int(draws[5] * len(self.on))
        if draws[4] < 0.5 and np.isfinite(self.lasts(j, other)):
            h = other
        begins = queue.ready_s[j] + draws[6] ** 2 * (self.start[j] - queue.ready_s[j])
        few, rest = 1 + int((MOST - 1) * draws[7] ** 2), draws[4 + FIXED :]
        jobs = self.neighbours(j, h, begins, begins + self.lasts(j, h), few, rest)
        how = draws[8]
        keys = [self.start[i] if how < AS_THEY_WERE else area[i] * (1.0 + 0.5 * rest[k]) for k, i in enumerate(jobs)]
        if how < IN_FRONT:
            keys[0] = -1.0
        jobs = [i for _, i in sorted(zip(keys, jobs, strict=True), key=lambda each: each[0])]
        old = [(i, self.host[i], self.start[i]) for i in jobs]
        for i in jobs:
            self.on[self.host[i]].remove(i)
        worse = -sum(start for _, _, start in old) + sum(
            self.put_earliest(i, h if i == j else was) for i, was, _ in old
        )
        if worse > 0.0 and (heat_s == 0.0 or draws[9] < 1.0 - np.exp(-worse / heat_s)):
            for i in jobs:
                self.on[self.host[i]].remove(i)
            for each in old:
                self.put(*each)


def test_the_kernel_makes_the_same_moves_as_the_plain_reference_and_the_best_it_met_is_what_counts():
    moved = worse = 0
    for seed in range(16):
        queue = rigid_of(*random_queue(seed, most_tasks=1 + seed % 2))
        begun, area = listed(queue, -queue.ready_s, 0), lengths(queue)
        parts = [0.0, 0.02, 0.1]
        asked = iter([*parts, 1.0])
        found = improved(queue, begun, area, lambda asked=asked: next(asked), seed)
        plain, rng, mean_s = Plain(queue, begun), np.random.default_rng(seed), queue.lasts_s.min(axis=1).mean()
        met = [(begun.sum_s, plain.start.copy(), plain.host.copy())]
        for batch, part in enumerate(parts):
            for draws in rng.random((MOVES, 4 + FIXED + MOST + 1)):
                plain.move(area, draws, mean_s * heat(batch * MOVES / queue.jobs, part))
            met.append((plain.start.sum(), plain.start.copy(), plain.host.copy()))
        _, start_s, host = min(met, key=lambda each: each[0])
        assert found.start_s.tolist() == start_s.tolist(), seed
        single = queue.tasks == 1
        assert found.host[plain.first[:-1]][single].tolist() == host[single].tolist(), seed
        moved += found.sum_s < begun.sum_s
        worse += met[-1][0] > found.sum_s
    assert moved > 5
    assert worse > 0  # heat lets the sum rise


def test_heat_falls_to_nothing_much_and_is_less_where_few_moves_can_be_made():
    falls = [heat(1000.0, part) for part in (0.01, 0.5, 1.0)]
    assert falls[0] > 100 * falls[2] > 0.0
    assert falls == sorted(falls, reverse=True)
    assert heat(0.5, 0.5) < heat(5.0, 0.5) < heat(50.0, 0.5)
    assert heat(5.0, 0.0) == 0.0
