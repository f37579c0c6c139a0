"""The best schedule found with all arrivals and runtimes known beforehand, as no scheduler has them (D9 to D12)."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from loadmaster.measure import violations
from loadmaster.model import Cluster, Constraints, Cycles, InputError, Schedule, SiteRules, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.cards import host_cards
from loadmaster.model.features import has_choices
from loadmaster.place import POLICIES
from loadmaster.scheduling.estimate_model import EstimateModel
from loadmaster.scheduling.ineffective_constraints import counts_licences
from loadmaster.scheduling.notation import discipline_named
from loadmaster.scheduling.timed_limits import timed_kinds
from loadmaster.search.greedy import PlannedSchedule, area_s, handed_out, lengths, listed, listed_reserving
from loadmaster.search.improve import improved
from loadmaster.search.rigid import Rigid, rigid_of
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine_cost import engine_for

BUDGET_S = 50.0
_FOR_LISTS = 0.3
"""After this part of the time no more lists are tried."""


def best_found(
    workload: Workload,
    cluster: Cluster,
    *,
    within_s: float = BUDGET_S,
    hint_s: Floats | None = None,
    seed: int = 0,
    clock: Callable[[], float] = time.thread_time,
) -> Schedule:
    """The schedule of the least mean wait that `within_s` seconds of processor time find, checked.

    Runtimes and arrivals are known beforehand, and a job may wait for ever longer: no scheduler can or should do so.

    Args:
        workload: the jobs.
        cluster: the hosts.
        within_s: what the lists leave of it goes to moving jobs about.
        hint_s: float64[J], starts that the bound came to, of the jobs that can run; None without.
        seed: of the moves.
        clock: what tells the time.

    Raises:
        InputError: something binds the jobs that the search cannot keep.
    """
    if kind := cannot_keep(workload, cluster):
        raise InputError(kind, "the search for the best schedule does not keep these", fix="the bound holds with them")
    began = clock()
    queue = rigid_of(workload, cluster)
    key = lengths(queue)
    planned = _begun(
        queue,
        hint_s,
        schedules_knowing_runtimes(workload, cluster, queue),
        lambda: clock() - began > within_s * _FOR_LISTS,
    )
    now_s = clock()
    left_s = began + within_s - now_s
    planned = improved(queue, planned, key, lambda: (clock() - now_s) / left_s if left_s > 0 else 1.0, seed)
    schedule = _schedule(workload, cluster, queue, planned)
    if broken := violations(workload, cluster, schedule):
        raise InputError("best found", f"the search kept not all that binds these jobs: {broken[0]}", fix="report it")
    return schedule


def cannot_keep(workload: Workload, cluster: Cluster) -> str:
    """What binds these jobs that the search does not keep, in words; empty where there is nothing of the kind."""
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    limits = [each.limits for each in rules.qos] + [each.limits for each in rules.accounts]
    counted = bool({"min_hosts", "max_hosts"} & set(bound.given))
    several = len(rules.partitions) > 1 and bool((workload.task_count > 1).any())
    kinds = {
        "dependencies": bound.depends is not None,
        "throttled arrays": bound.throttle is not None,
        "numbers of hosts": counted or any(each.min_hosts or each.max_hosts for each in rules.partitions),
        "limits": any(each != type(each)() for each in limits) or bool(timed_kinds(workload, cluster)),
        "a calendar": bool(rules.calendar),
        "hosts that sleep": bool(rules.start_up),
        "licences": counts_licences(cluster, bound),
        "a power cap": bool(rules.power_cap),
        "partitions of jobs of several tasks": several,
        "choices of features": bound.features is not None and has_choices(bound.features.names),
        "parts of a GPU": host_cards(workload, cluster) is not None,
    }
    return next((kind for kind, there in kinds.items() if there), "")


def _begun(
    queue: Rigid, hint_s: Floats | None, runs: Iterator[PlannedSchedule], over: Callable[[], bool]
) -> PlannedSchedule:
    """The best of the lists: at each resource, then with a place kept, filled by what did best, until `over`.

    A place for jobs of several tasks is kept by the disciplines of `runs`.
    """
    keys = list(_keys(queue, hint_s))
    best, tight = listed(queue, keys[0], 0), 0
    for key, tight_in in product(keys, range(queue.demand.shape[1])):
        one = listed(queue, key, tight_in)
        if one.sum_s < best.sum_s:
            best, tight = one, tight_in
    for planned in (listed_reserving(queue, key, tight) for key in keys) if queue.of_one_task else runs:
        best = min(best, planned, key=lambda each: each.sum_s)
        if over():
            break
    return best


def _keys(queue: Rigid, hint_s: Floats | None) -> Iterator[Floats]:
    """What lists go by, float64[J]; less is first."""
    lasts, area = queue.lasts_s.min(axis=1), area_s(queue)
    yield from (lasts**part * area ** (1.0 - part) for part in (1.0, 0.0, 0.25, 0.5))
    yield queue.ready_s
    for length in (lasts, area * (lasts.mean() / area.mean())):
        yield from (queue.ready_s + part * length for part in (3.0, 10.0, 30.0, 100.0))
    if hint_s is not None:
        yield from (hint_s + part * lasts for part in (0.5, 1.0, 2.0, 10.0))


def _schedule(workload: Workload, cluster: Cluster, queue: Rigid, planned: PlannedSchedule) -> Schedule:
    """With a cycle at each moment at which something starts."""
    start_s, end_s = np.full(workload.jobs, np.nan), np.full(workload.jobs, np.nan)
    start_s[queue.row], end_s[queue.row] = planned.start_s, planned.end_s
    mine = np.isin(np.arange(workload.jobs), queue.row)
    host = np.full(int(workload.task_count.sum()), -1, np.int32)
    tasks = workload.task_count[queue.row].astype(np.int64)
    if queue.of_one_task and cluster.hosts > len(queue.class_of):
        planned = handed_out(planned, tasks, cluster.hosts)
    elif queue.of_one_task:
        planned = replace(planned, host=np.repeat(planned.host, tasks))
    host[np.repeat(mine, workload.task_count)] = planned.host
    time_s, started = np.unique(planned.start_s, return_counts=True)
    arrived = np.searchsorted(workload.submit_s, time_s, side="right")
    length = arrived - np.cumsum(started) + started
    cycles = Cycles(time_s, length.astype(np.int64), started.astype(np.int64), np.zeros(len(time_s), np.int64))
    never = workload.jobs - queue.jobs
    schedule = Schedule(start_s, host, cycles, end_s)
    return replace(schedule, never={"can never run": never}) if never else schedule


DISCIPLINES = ("sjf+easy", "lxf+easy", "area+easy", "srf+easy")
"""Short and small jobs first, with a place kept for the first that finds none."""


def schedules_knowing_runtimes(workload: Workload, cluster: Cluster, queue: Rigid) -> Iterator[PlannedSchedule]:
    """A schedule for each discipline and each usual way to take hosts, made as it is requested.

    Args:
        workload: the jobs, of which `queue` has those that can run.
        cluster: the hosts, each by itself in `queue`.
        queue: the same.
    """
    policies = [name for name in ("first-fit", *(f"best-fit-{each}" for each in cluster.resources)) if name in POLICIES]
    tasks = np.isin(np.repeat(np.arange(workload.jobs), workload.task_count), queue.row)
    for discipline, policy in product(DISCIPLINES, policies):
        rule = POLICIES[policy], discipline_named(discipline)
        engine, exact = engine_for(workload), EstimateModel(estimates="exact")
        ran = simulate(workload, cluster, *rule, interval_s=0.0, engine=engine, estimate_model=exact)
        if np.isfinite(ran.start_s[queue.row]).all():
            yield PlannedSchedule(ran.start_s[queue.row], ran.ends_s(workload)[queue.row], ran.host[tasks])
