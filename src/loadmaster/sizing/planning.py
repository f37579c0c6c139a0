"""From a snapshot to the planner's actions: what is left to do, which machines stay, how many more to rent."""

import dataclasses
import math
from collections.abc import Iterable

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.sizing import plan_kernel as kernel
from loadmaster.sizing.billing import HostType
from loadmaster.sizing.estimate_kernel import WorkLeft, work_left
from loadmaster.sizing.finished_kernel import SHORTEST_S
from loadmaster.sizing.goal import MIDDLE, Goal
from loadmaster.sizing.snapshot import Actions, BagSnapshot, Rental, RentedHost

ENOUGH = 8
"""Results before which no promise is made and no chance is taken."""
MOST = 2000
"""Machines that one plan considers at most."""


@dataclasses.dataclass(frozen=True)
class BagOutlook:
    """What a planner expects of a bag at one moment; money and seconds from the start of the run.

    Attributes:
        cost: expected money in all.
        span_s: expected time of the last result.
        sure_cost: money that suffices at the planner's confidence.
        sure_span_s: time that suffices at the planner's confidence.
        kept: budget or deadline are kept at that confidence.
    """

    cost: float
    span_s: float
    sure_cost: float
    sure_span_s: float
    kept: bool


def plan(snapshot: BagSnapshot, goal: Goal) -> Actions:
    """The planner's actions; pure."""
    if _is_settled(snapshot):
        return Actions()
    return _plan(snapshot, goal)[0]


def total(values: Iterable[float]) -> float:
    """The sum from first to last, rounded after each as a loop does; `sum` rounds otherwise in newer Pythons."""
    result = 0.0
    for value in values:
        result += value
    return result


def _is_settled(snapshot: BagSnapshot) -> bool:
    """Every task left is running and every machine has one: nothing to rent, to give back or to repeat."""
    return snapshot.unstarted == 0 and len(snapshot.hosts) > 0 and not any(host.idle for host in snapshot.hosts)


def outlook(snapshot: BagSnapshot, goal: Goal) -> BagOutlook:
    """What the planner expects if its own actions are taken now."""
    return _plan(snapshot, goal)[1]


def _plan(snapshot: BagSnapshot, goal: Goal) -> tuple[Actions, BagOutlook]:
    work = estimate(snapshot, goal)
    whole_s = work.work_s + total(h.elapsed_s * snapshot.types[h.type].speed for h in snapshot.running)
    tasks = max(1, snapshot.unstarted + len(snapshot.running))
    spread = work.sd_s / work.mean_s
    end_s = min((1 + spread * spread) / 2, 1.0) * whole_s / tasks
    release = _release(snapshot, goal, work, float(end_s[MIDDLE]))
    hosts = [host for host in snapshot.hosts if host.host not in release]
    fleet = _fleet(snapshot.types, hosts)
    fresh = max(0, snapshot.unstarted - sum(host.task < 0 for host in hosts))
    gone = total(snapshot.types[h.type].cost(h.age_s) for h in snapshot.hosts if h.host in release)
    aim = _aim(snapshot, goal, work, snapshot.spent + gone)
    cheapest = _cheapest(snapshot, whole_s)
    tail_s = work.mean_s + float(goal.levels[-1, 1]) * min(work.sd_s, 2.0 * work.mean_s)
    choices = []
    for index, kind in enumerate(snapshot.types):
        rented = sum(host.type == index for host in hosts)
        most = min(fresh, kind.limit - rented, MOST)
        if most < 0 or (most == 0 and index > 0):
            continue
        choices.append((index, kernel.choose(fleet, _offer(kind, most), aim, work.work_s, cheapest, end_s, tail_s)))
    index, (chosen, within_goal) = min(choices, key=lambda choice: _rank(choice[1][0], choice[1][1], goal))
    rent = (Rental(index, chosen.number),) if chosen.number > 0 else ()
    actions = Actions(rent, release, _copies(snapshot, goal, work, hosts), wake_s=_paid_until(snapshot, hosts))
    ahead = BagOutlook(
        chosen.cost,
        snapshot.now_s + chosen.span_s,
        chosen.sure_cost,
        snapshot.now_s + chosen.sure_span_s,
        bool(within_goal),
    )
    return actions, ahead


def estimate(snapshot: BagSnapshot, goal: Goal) -> WorkLeft:
    """What is believed about the tasks not yet done; `work_s` at the planner's levels."""
    ages = np.array([h.elapsed_s * snapshot.types[h.type].speed for h in snapshot.hosts if h.task >= 0], dtype=float)
    return work_left(snapshot.finished_s, ages, snapshot.unstarted, *goal.prior, goal.levels)  # type: ignore[no-any-return]


def _aim(snapshot: BagSnapshot, goal: Goal, work: WorkLeft, spent: float) -> kernel.Aim:
    """What is wanted now. A bag of which little is known is run thriftily, and less may be wasted then."""
    results = len(snapshot.finished_s)
    waste = goal.waste * (results + 1) / (results + 2)
    mode, money, seconds = kernel.THRIFT, math.inf if goal.budget is None else goal.budget, math.inf
    if goal.budget is not None and not _doubtful(snapshot):
        mode = kernel.BUDGET
    elif goal.deadline_s is not None and not (_doubtful(snapshot) and _far(snapshot, goal, work)):
        mode, seconds = kernel.DEADLINE, goal.deadline_s - snapshot.now_s
    return kernel.Aim(mode, money, seconds, waste, spent)


def _doubtful(snapshot: BagSnapshot) -> bool:
    """Too little is known for a promise: few results, or fewer than tasks running, so that only short ones ended."""
    return len(snapshot.finished_s) < max(ENOUGH, len(snapshot.running))


def _far(snapshot: BagSnapshot, goal: Goal, work: WorkLeft) -> bool:
    """The deadline is far enough to wait for more results: machines can still be added."""
    if goal.deadline_s is None:
        return False
    known_s = max((host.elapsed_s for host in snapshot.hosts), default=0.0)
    if goal.guess_s is not None:
        known_s = max(known_s, work.mean_s)
    return goal.deadline_s - snapshot.now_s >= 4.0 * known_s


def _cheapest(snapshot: BagSnapshot, whole_s: Floats) -> Floats:
    """float64[P]: the least money for which the bag could have been done, if the tasks not yet done last `whole_s`."""
    amounts = total(np.maximum(snapshot.finished_s, SHORTEST_S)) + whole_s
    kinds = [[kind.cost(float(amount) / kind.speed) for amount in amounts] for kind in snapshot.types]
    return np.asarray(np.min(kinds, axis=0))


def _rank(chosen: kernel.RentForecast, within_goal: bool, goal: Goal) -> tuple[float, float, float]:
    """Smaller is better: what the planner is to keep, kept or not, then the other of cost and span."""
    if goal.deadline_s is None and goal.budget is not None:
        return (not within_goal, chosen.span_s, chosen.cost)
    if goal.deadline_s is not None and not within_goal:
        return (True, chosen.sure_span_s, chosen.cost)
    return (not within_goal, chosen.cost, chosen.span_s)


def _fleet(types: tuple[HostType, ...], hosts: list[RentedHost]) -> kernel.Fleet:
    kinds = [types[host.type] for host in hosts]
    return kernel.Fleet(
        np.array([host.age_s for host in hosts], dtype=float),
        np.array([0.0 if h.ready else max(0.0, k.boot_s - h.age_s) for h, k in zip(hosts, kinds, strict=True)]),
        np.array([kind.speed for kind in kinds], dtype=float),
        np.array([kind.unit_s for kind in kinds], dtype=float),
        np.array([kind.units(0.0) for kind in kinds], dtype=float),
        np.array([kind.unit_price for kind in kinds], dtype=float),
    )


def _offer(kind: HostType, most: int) -> kernel.Offer:
    return kernel.Offer(kind.speed, kind.boot_s, kind.unit_s, kind.units(0.0), kind.unit_price, most)


def _release(snapshot: BagSnapshot, goal: Goal, work: WorkLeft, end_s: float) -> tuple[int, ...]:
    """Idle machines with nothing to take, and those whose next task would likely start an unneeded unit."""
    idle = [host for host in snapshot.hosts if host.idle]
    if not idle:
        return ()
    left = {h.host: snapshot.types[h.type].paid_left_s(h.age_s) for h in snapshot.hosts}
    release: list[int] = []
    waiting = snapshot.unstarted
    for host in sorted(idle, key=lambda h: left[h.host]):
        kind = snapshot.types[host.type]
        if waiting == 0:
            if not _worth_keeping(snapshot, goal) or left[host.host] <= 1e-9:
                release.append(host.host)
            continue
        crosses = not host.first_task and _costs_too_much(snapshot, kind, left[host.host])
        if crosses and _spare(snapshot, goal, work, end_s, left, {host.host, *release}):
            release.append(host.host)
        else:
            waiting -= 1
    return tuple(sorted(release))


def _costs_too_much(snapshot: BagSnapshot, kind: HostType, left_s: float) -> bool:
    """What the next task will likely cost beyond the paid unit is more than the rest of that unit is worth."""
    longer = int((np.maximum(snapshot.finished_s, SHORTEST_S) > left_s * kind.speed).sum())
    return (longer + 1) / (len(snapshot.finished_s) + 2) > left_s / kind.unit_s


def _worth_keeping(snapshot: BagSnapshot, goal: Goal) -> bool:
    """An idle machine that is paid for may still be of use: a task may come back, or get a copy."""
    return goal.replicate or any(t.interruptions_per_h > 0 for t in snapshot.types)


def _spare(
    snapshot: BagSnapshot, goal: Goal, work: WorkLeft, end_s: float, left: dict[int, float], without: set[int]
) -> bool:
    """The other machines hold the work within what is paid, or there is no money for one more unit."""
    others = [host for host in snapshot.hosts if host.host not in without]
    if not others:
        return False
    if goal.budget is not None:
        committed = snapshot.spent + total(snapshot.types[h.type].cost(h.age_s) for h in snapshot.hosts)
        dearest = max(snapshot.types[h.type].unit_price for h in snapshot.hosts)
        if committed + dearest > goal.budget + 1e-9 and committed <= goal.budget + 1e-9:
            return True
    room = total(max(0.0, left[host.host] - end_s) * snapshot.types[host.type].speed for host in others)
    if room < work.work_s[MIDDLE]:
        return False
    if goal.deadline_s is None:
        return True
    pace = total(snapshot.types[host.type].speed for host in others)
    return snapshot.now_s + float(work.work_s[-1]) / pace + work.mean_s + work.sd_s <= goal.deadline_s


def _copies(snapshot: BagSnapshot, goal: Goal, work: WorkLeft, hosts: list[RentedHost]) -> tuple[int, ...]:
    """Running tasks far older than usual, oldest first, for as many idle machines as there are."""
    idle = sum(host.idle for host in hosts)
    if not goal.replicate or snapshot.unstarted > 0 or idle == 0:
        return ()
    limit = work.mean_s + 2.0 * work.sd_s
    running = [host for host in hosts if host.task >= 0]
    single = [h for h in running if sum(other.task == h.task for other in running) == 1]
    old = [h for h in single if h.elapsed_s * snapshot.types[h.type].speed > limit]
    return tuple(h.task for h in sorted(old, key=lambda h: -h.elapsed_s)[:idle])


def _paid_until(snapshot: BagSnapshot, hosts: list[RentedHost]) -> float:
    """When the unit of an idle machine ends."""
    ends = [snapshot.types[h.type].paid_left_s(h.age_s) for h in hosts if h.idle and snapshot.unstarted == 0]
    return snapshot.now_s + min(ends) if ends else math.inf
