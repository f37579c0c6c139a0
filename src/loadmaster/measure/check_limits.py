"""Checks that no limit is passed at any moment: every limit of every scope, swept over the starts and ends."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np

from loadmaster.model import Cluster, Constraints, Limits, Schedule, SiteRules, Workload
from loadmaster.model.arrays import Floats
from loadmaster.model.licences import parse_licences
from loadmaster.model.limits import LIMIT_KINDS

_SLACK = 1e-9
_UNKNOWN = "?"
"""A scope whose limits may bind a job or not: they count for nothing, and leave nothing to the scopes behind it."""
_Key = tuple[str, ...]
Check = Callable[[Workload, Cluster, Schedule], Iterator[str]]
"""Gives a sentence for the first case of each rule that the schedule breaks."""


def _broken_work(workload: Workload, cluster: Cluster, schedule: Schedule) -> Iterator[str]:
    """A sentence for the first limit on work that a start has passed, told by what had run and what might still run."""
    bound, rules = workload.constraints or Constraints(), cluster.rules or SiteRules()
    runs: dict[_Key, list[tuple[float, float, float, float]]] = defaultdict(list)
    most: dict[_Key, float] = {}
    limit_s = bound.limit_s if bound.limit_s is not None else workload.estimate_s
    faded = 1 - (
        _SLACK if rules.use_half_life_s > 0.0 else 0.0
    )  # a start is at the moment at which use has faded to it
    for job, start_s, end_s in time_spans(workload, schedule):
        over_s = np.inf if limit_s is None else start_s + float(limit_s[job])
        for key, limit, amount in _limits_of(job, workload, bound, rules, "work"):
            most[key] = min(limit, most.get(key, np.inf))
            runs[key].append((start_s, end_s, over_s, amount))
    for key, rows in runs.items():
        start_s, end_s, over_s, amount = np.array([row for row in rows if row[3] > 0.0] or np.zeros((0, 4))).T
        for now_s in np.unique(start_s):
            here = (start_s <= now_s) & (now_s < end_s)
            ahead = float(np.sum(amount[here] * np.maximum(over_s[here] - now_s, 0.0)))
            done = float(np.sum(amount * _still_counts(start_s, end_s, now_s, rules.use_half_life_s)))
            used_up = done * faded >= most[key] > 0.0
            whole = {"grp_tres_run_s": ahead, "grp_tres_s": done + ahead if rules.limits_safe else 0.0}.get(key[1], 0.0)
            if whole > most[key] * (1 + _SLACK) or (key[1] != "grp_tres_run_s" and used_up and not whole):
                yield f"{' '.join(filter(None, key))}: a job starts at {now_s:.6g} s beyond the limit {most[key]:.6g}"
                return


TIMED_CHECKS: dict[str, Check] = {"work": _broken_work}
"""The check of every kind of `loadmaster.scheduling.timed_limits.TIMED_LIMITS`, by its name."""


def _still_counts(start_s: Floats, end_s: Floats, now_s: float, half_life_s: float) -> Floats:
    """float64: the seconds of each run until now, every one faded by its age."""
    until_s = np.clip(end_s, start_s, max(now_s, 0.0))
    if half_life_s <= 0.0:
        return np.asarray(np.maximum(until_s - start_s, 0.0))
    first, last = (np.exp2(np.minimum(moment - now_s, 0.0) / half_life_s) for moment in (start_s, until_s))
    return np.asarray(half_life_s / np.log(2.0) * np.maximum(last - first, 0.0))


def broken_limits(workload: Workload, bound: Constraints, rules: SiteRules, schedule: Schedule) -> Iterator[str]:
    """A sentence for the first limit that is passed, and one for the first array that runs too many tasks."""
    changes: dict[_Key, list[tuple[float, int, float]]] = defaultdict(list)
    most: dict[_Key, float] = {}
    spans = list(time_spans(workload, schedule))
    for job in sorted({job for job, _, _ in spans}):
        for key, limit, amount in _limits_of(job, workload, bound, rules, "running"):
            most[key] = min(limit, most.get(key, np.inf))
            for _, start_s, end_s in (span for span in spans if span[0] == job):
                changes[key] += [(end_s, 0, -amount), (start_s, 1, amount)]
    for key, rows in changes.items():
        rows.sort()
        held = np.cumsum([amount for _, _, amount in rows])
        if held.max() > most[key] * (1 + _SLACK):
            at = rows[int(np.argmax(held))][0]
            yield f"{' '.join(filter(None, key))}: {held.max():.6g} at {at:.6g} s, the limit is {most[key]:.6g}"
            return


def beyond_power_cap(workload: Workload, cluster: Cluster, schedule: Schedule) -> Iterator[str]:
    """A sentence for the first start at which hosts are expected to draw more than the cap (rule C14)."""
    rules = cluster.rules or SiteRules()
    if not rules.power_cap:
        return
    idle_w, core_w = 0.0, 0.0
    for power in rules.power:
        for (low, low_w), (high, high_w) in pairwise(power.points):
            fewest = float(cluster.capacity[list(power.hosts), 0].min())
            core_w = max(core_w, (high_w - low_w) / (high - low) / fewest)
        idle_w += power.points[0][1] * len(power.hosts)
    rows: list[tuple[float, int, float]] = []
    for job, start_s, end_s in time_spans(workload, schedule):
        drawn_w = core_w * float(workload.demand[job, 0]) * float(workload.task_count[job])
        rows += [(end_s, 0, -drawn_w), (start_s, 1, drawn_w)]
    rows.sort()
    drawn = idle_w + np.cumsum([watts for _, _, watts in rows])
    for (at_s, starts, _), watts in zip(rows, drawn.tolist(), strict=True):
        cap_w = [cap for from_s, cap in rules.power_cap if from_s <= at_s] or [rules.power_cap[0][1]]
        if starts and watts > cap_w[-1] * (1 + _SLACK) + _SLACK:
            yield f"power: {watts:.6g} W expected as a job starts at {at_s:.6g} s, the cap is {cap_w[-1]:.6g} W"
            return


def beyond_alone(workload: Workload, bound: Constraints, rules: SiteRules, schedule: Schedule) -> Iterator[str]:
    """A sentence for the first job that has started though a limit of one job bars it."""
    limit_s = bound.limit_s if bound.limit_s is not None else workload.estimate_s
    for job in np.flatnonzero(schedule.started).tolist():
        may_run_s = np.inf if limit_s is None else float(limit_s[job])
        hosts = 1.0 if bound.min_hosts is None else max(float(bound.min_hosts[job]), 1.0)
        for key, limit, amount in _limits_of(job, workload, bound, rules, "job"):
            kind = key[1]
            demand = {
                "max_wall_s": may_run_s,
                "max_tres_host": amount / hosts,
                "max_tres_s_job": amount * may_run_s if amount > 0.0 else 0.0,
            }.get(kind, amount)
            if demand < limit if kind == "min_tres_job" else demand > limit:
                name = workload.id_of(job)
                yield f"{' '.join(filter(None, key))}: job {name} requests {demand:.6g}, the limit is {limit:.6g}"
                return


def time_spans(workload: Workload, schedule: Schedule) -> Iterator[tuple[int, float, float]]:
    """(job, start, end) of everything that ran; a job that was suspended counts on until it went on."""
    ends = schedule.ends_s(workload)
    last = {int(job): (float(schedule.start_s[job]), float(ends[job])) for job in np.flatnonzero(schedule.started)}
    cut = schedule.segments
    for row in reversed(range(0 if cut is None else len(cut))):
        assert cut is not None
        job = int(cut.job[row])
        if cut.lost[row]:
            yield job, float(cut.start_s[row]), float(cut.end_s[row])
        elif job in last:
            last[job] = (float(cut.start_s[row]), last[job][1])
    yield from ((job, *span) for job, span in last.items())


def _limits_of(
    job: int, workload: Workload, bound: Constraints, rules: SiteRules, counts: str
) -> Iterator[tuple[_Key, float, float]]:
    """(counter, limit, what the job counts) of every limit that binds it and counts `counts` (`LimitKind`)."""
    tasks = float(workload.task_count[job])
    demand = {name: float(workload.demand[job, r]) * tasks for r, name in enumerate(workload.resources)}
    demand["hosts"] = tasks
    if bound.max_hosts is not None and bound.max_hosts[job] > 0:
        demand["hosts"] = min(tasks, float(bound.max_hosts[job]))
    user, account = (
        name_behind(workload.user, bound.user_names, job),
        name_behind(workload.project, bound.account_names, job),
    )
    subject = {"user": user, "account": account, "": ""}
    seen = set()
    for scope, limits in _scopes(job, user, account, bound, rules):
        for kind in limits.given:
            if LIMIT_KINDS[kind].counts != counts:
                continue
            value = getattr(limits, kind)
            for resource, limit in value if isinstance(value, tuple) else [("", value)]:
                if (kind, resource) not in seen:
                    seen.add((kind, resource))
                    if scope == _UNKNOWN:
                        continue
                    amount = demand.get(resource, 0.0) if resource else 1.0
                    yield (scope, kind, resource, subject[LIMIT_KINDS[kind].of]), float(limit), amount
    throttle = 0 if bound.throttle is None or bound.array is None or bound.array[job] < 0 else int(bound.throttle[job])
    if counts == "running" and bound.licences is not None and bound.licences[job]:
        total = dict(rules.licences)
        asked = parse_licences(bound.licences[job])
        yield from ((("licences", name), total[name], amount) for name, amount in asked if name in total)
    if counts == "running" and throttle > 0:
        yield ("array", str(bound.array[job])), float(throttle), 1.0  # type: ignore[index]


def _scopes(job: int, user: str, account: str, bound: Constraints, rules: SiteRules) -> Iterator[tuple[str, Limits]]:
    qos_by_name = {each.name: each for each in rules.qos}
    own = qos_by_name.get((bound.qos[job] if bound.qos is not None else "") or rules.default_qos)
    named = bound.partition[job].split(",") if bound.partition is not None and bound.partition[job] else []
    parts = [part for part in rules.partitions if part.name in (named or [rules.default_partition])]
    parts = parts or list(rules.partitions[:1])
    of_parts = list(dict.fromkeys(qos_by_name.get(part.qos) for part in parts))
    others = [qos for qos in of_parts if qos is not own]
    for qos in [own, *others] if own is not None and own.over_partition else [*others, own]:
        if qos is not None:  # with several partitions it is not known in which the job ran, and whose QOS came first
            yield f"qos {qos.name}" if qos is own or len(of_parts) <= 1 else _UNKNOWN, qos.limits
    nodes = {(node.account, node.user): node for node in rules.accounts}
    if (account, user) in nodes and user:
        yield f"user {user} in {account}", nodes[account, user].limits
    at = account if (account, "") in nodes else "root"
    while (at, "") in nodes:
        yield f"account {at}", nodes[at, ""].limits
        at = nodes[at, ""].parent


def name_behind(codes: np.ndarray | None, names: tuple[str, ...], job: int) -> str:
    """The name of a job's user or account; the number itself where no name is known at all."""
    code = -1 if codes is None else int(codes[job])
    return "" if code < 0 else names[code] if code < len(names) else "" if names else str(code)
