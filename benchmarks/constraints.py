"""Every kind of constraint under every kind of backfilling: `python benchmarks/constraints.py [--beside COMMIT]`.

1,500 synthetic jobs of nine tasks on average on 300 hosts of 4 cores at load 0.95, deciding at every event; one kind of
constraint binds at a time, and `site` is what a `slurm.conf` with several partitions usually brings, all at once.
`--large`: 3,000 jobs. `--only "site easy"` measures some of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache, partial
from inspect import signature
from typing import Any

import numpy as np
from two_commits import Case, main

from loadmaster.model import (
    CalendarRow,
    Cluster,
    Constraints,
    Dependencies,
    Limits,
    Named,
    Partition,
    Preemption,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, discipline_named
from loadmaster.scheduling.estimate_model import USERS, EstimateModel
from loadmaster.sim.queue import simulate

HOSTS, CORES = 300, 4
DISCIPLINES = ("none", "skip", "netbatch", "easy", "easy(heads=3)", "conservative", "slurm", "max-jobs")


def cases() -> Iterator[Case]:
    for jobs in (1_500, 3_000):
        for kind in KINDS:
            for rule in DISCIPLINES:
                yield Case(f"{kind}, {rule}, {jobs:,} jobs", partial(ready, kind, rule, jobs), large=jobs > 1_500)


def ready(kind, rule, jobs):  # type: ignore[no-untyped-def]
    model = EstimateModel(correct="double") if kind == "corrected" else USERS
    keyword = "estimate_model" if "estimate_model" in signature(simulate).parameters else "foresight"
    policy = MaxJobs() if rule == "max-jobs" else POLICIES["best-fit-cores"]
    discipline = discipline_named("easy" if rule == "max-jobs" else rule)
    return partial(simulate, *problem(kind, jobs), policy, discipline, interval_s=0.0, **{keyword: model})


@lru_cache(1)
def problem(kind: str, jobs: int) -> tuple[Workload, Cluster]:
    """The log, and the hosts with the rules of their site."""
    rng = np.random.default_rng(3)
    cores, tasks = rng.choice([1, 2, 4], jobs), rng.choice([1, 1, 2, 4, 8, 16, 32], jobs)
    runtime_s = np.ceil(rng.lognormal(7, 1.3, jobs))
    span_s = float((cores * tasks * runtime_s).sum() / (0.95 * HOSTS * CORES))
    columns, rules = KINDS[kind](rng, jobs, span_s)
    workload = Workload.of(
        submit_s=np.sort(rng.uniform(0, span_s, jobs)),
        runtime_s=runtime_s,
        cores=cores,
        tasks=tasks,
        estimate_s=np.ceil(runtime_s * rng.choice([0.7, 1, 2, 3] if kind == "corrected" else [1, 2, 3], jobs)),
        user=(40 * rng.random(jobs) ** 2).astype(np.int32),
        project=rng.integers(0, 8, jobs),
        job_id=np.arange(1, jobs + 1),
        constraints=Constraints(**columns) if columns else None,
    )
    cluster = Cluster.uniform(HOSTS, cores=CORES)
    return workload, replace(cluster, rules=SiteRules(**rules)) if rules else cluster


Bound = tuple[dict[str, Any], dict[str, Any]]


def nothing(rng: Any, jobs: int, span_s: float) -> Bound:
    return {}, {}


def partitions(rng: Any, jobs: int, span_s: float) -> Bound:
    names = rng.choice(["a", "b", "c", "d", "a,b"], jobs, p=[0.3, 0.3, 0.2, 0.1, 0.1])
    parts = tuple(
        Partition(name, hosts=tuple(range(100 * n // 2, min(100 * n // 2 + 150, HOSTS))))
        for n, name in enumerate("abcd")
    )
    return {"partition": Named.of(names.tolist())}, {"partitions": parts}


def tiers(rng: Any, jobs: int, span_s: float) -> Bound:
    columns, rules = partitions(rng, jobs, span_s)
    return columns, {"partitions": tuple(replace(each, tier=n + 1) for n, each in enumerate(rules["partitions"]))}


def features(rng: Any, jobs: int, span_s: float) -> Bound:
    asked = Named.of(rng.choice(["", "", "big", "fast", "fast|big"], jobs).tolist())
    return {"features": asked}, {"features": tuple(("big", "fast") if h % 3 else ("fast",) for h in range(HOSTS))}


def calendar(rng: Any, jobs: int, span_s: float) -> Bound:
    starts_s = np.linspace(0.05, 0.95, 10) * span_s
    rows = [
        CalendarRow(float(at), float(at) + 0.03 * span_s, "drained", hosts=tuple(range(20 * n, 20 * n + 20)))
        for n, at in enumerate(starts_s)
    ]
    whole = CalendarRow(0.5 * span_s, 0.52 * span_s, "reserved", name="maintenance")
    return {}, {"calendar": (*rows, whole)}


def reservation(rng: Any, jobs: int, span_s: float) -> Bound:
    mine = CalendarRow(0.2 * span_s, 0.8 * span_s, "reserved", hosts=tuple(range(60)), name="mine", users=("u0", "u1"))
    named = Named.of(["mine" if each < 0.03 else None for each in rng.random(jobs)])
    return {"reservation": named, "user_names": tuple(f"u{n}" for n in range(40))}, {"calendar": (mine,)}


def limits(rng: Any, jobs: int, span_s: float) -> Bound:
    low = Limits(max_jobs_pu=40, max_tres_pu=(("cores", 300.0),), grp_tres=(("cores", 900.0),))
    qos = Qos("low", limits=low), Qos("high", limits=Limits(grp_jobs=150))
    return {"qos": Named.of(rng.choice(["low", "low", "high"], jobs).tolist())}, {"qos": qos}


def work(rng: Any, jobs: int, span_s: float) -> Bound:
    low = Limits(grp_tres_run_s=(("cores", 900.0 * 8000),), grp_tres_s=(("cores", 700.0 * 7 * 86400),))
    qos = Qos("low", limits=low), Qos("high")
    named = Named.of(rng.choice(["low", "low", "high"], jobs).tolist())
    return {"qos": named}, {"qos": qos, "use_half_life_s": 7 * 86400.0}


def arrays(rng: Any, jobs: int, span_s: float) -> Bound:
    return {"array": np.arange(jobs) // 20, "array_task": np.arange(jobs) % 20, "throttle": np.full(jobs, 8)}, {}


def dependencies(rng: Any, jobs: int, span_s: float) -> Bound:
    before = np.maximum(1, np.arange(1, jobs + 1) - rng.integers(5, 50, jobs))
    texts = [f"afterany:{who}" if n > 60 and rng.random() < 0.3 else "" for n, who in enumerate(before)]
    return {"depends": Dependencies.of(texts)}, {}


def failures(rng: Any, jobs: int, span_s: float) -> Bound:
    starts_s = np.sort(rng.uniform(0.02, 0.95, 60)) * span_s
    rows = tuple(
        CalendarRow(float(at), float(at) + 0.02 * span_s, "down", hosts=(int(rng.integers(0, HOSTS)),))
        for at in starts_s
    )
    return {}, {"calendar": rows}


def corrected(rng: Any, jobs: int, span_s: float) -> Bound:
    return partitions(rng, jobs, span_s)


def stopping(mode: str) -> Callable[[Any, int, float], Bound]:
    def bound(rng: Any, jobs: int, span_s: float) -> Bound:
        qos = Qos("low"), Qos("high", preempts=("low",), priority=10)
        named = Named.of(rng.choice(["low", "high"], jobs, p=[0.85, 0.15]).tolist())
        return {"qos": named}, {"qos": qos, "preemption": Preemption("qos", mode)}

    return bound


def site(rng: Any, jobs: int, span_s: float) -> Bound:
    bound = [each(rng, jobs, span_s) for each in (tiers, features, calendar, limits)]
    return (
        {name: column for columns, _ in bound for name, column in columns.items()},
        {name: rule for _, rules in bound for name, rule in rules.items()},
    )


KINDS = {
    "nothing": nothing, "partitions": partitions, "tiers": tiers, "features": features, "calendar": calendar,
    "reservation": reservation, "limits": limits, "work": work, "arrays": arrays, "dependencies": dependencies,
    "failures": failures, "corrected": corrected, "site": site, "requeue": stopping("requeue"),
    "cancel": stopping("cancel"), "suspend": stopping("suspend"),
}  # fmt: skip


if __name__ == "__main__":
    main(["constraints"], __doc__)
