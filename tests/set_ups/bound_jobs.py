"""Small random logs on which every kind of constraint binds."""

from dataclasses import replace

import numpy as np
from bursts import complementary

from loadmaster.model import (
    Account,
    CalendarRow,
    Cluster,
    Constraints,
    Dependencies,
    HostStartUp,
    Limits,
    Named,
    Partition,
    Preemption,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.model.energy import HostPower

KINDS = (
    "begin", "depends", "array", "partition", "features", "limits", "accounts", "calendar", "speed", "preempt", "hosts",
    "work", "wide", "admission", "licences",
    "power", "sleep",
)  # fmt: skip
COUNTED = {"licences", "power"}
"""What is counted for the whole cluster: compiled engines and scheduling passes that count it are others."""
DOORS = (
    {"allow_qos": ("low",)}, {"deny_qos": ("low",)}, {"allow_accounts": ("p",)}, {"deny_accounts": ("p",)},
    {"max_time_s": 60.0}, {"state": "down"}, {"state": "drain"}, {"state": "inactive"},
)  # fmt: skip
OF_ONE_JOB = (
    {"max_tres_job": (("cores", 3.0),)}, {"min_tres_job": (("cores", 2.0),)}, {"max_tres_host": (("memory", 3.0),)},
    {"max_tres_s_job": (("cores", 120.0),)}, {"max_wall_s": 60.0},
)  # fmt: skip
KINDS_OF_DEPENDENCY = ("after:{}+1", "afterany:{}", "afterok:{}", "afternotok:{}", "singleton", "afterany:{}?after:{}")


def bound_jobs(seed: int, *kinds: str, most_jobs: int = 13, fewest_jobs: int = 4) -> tuple[Workload, Cluster]:
    """A log of `fewest_jobs` to `most_jobs` jobs on three hosts, bound by constraints of these kinds.

    Of every fifth seed they come in bursts, and each asks much of one resource and little or none of the other.
    """
    rng = np.random.default_rng(seed)
    jobs, hosts = int(rng.integers(fewest_jobs, most_jobs + 1)), 3
    submit_s = np.sort(rng.integers(0, 60, jobs)).astype(float)
    bursts = seed % 5 == 4
    submit_s -= submit_s % 30 * bursts
    columns = {}
    rules = {}
    suspends = False
    if "begin" in kinds:
        columns["eligible_s"] = submit_s + rng.integers(0, 3, jobs) * 15
        columns["hold"] = (rng.random(jobs) < 0.1).astype(int)
    if "depends" in kinds:
        texts = [str(rng.choice(KINDS_OF_DEPENDENCY)).format(*rng.integers(0, max(j, 1), 2)) for j in range(jobs)]
        columns["depends"] = Dependencies.of([t if rng.random() < 0.4 and j else "" for j, t in enumerate(texts)])
        columns["name"] = Named.of([str(n) for n in rng.integers(0, 3, jobs)])
        columns["status"] = rng.integers(0, 2, jobs)
    if "array" in kinds:
        columns["array"] = np.where(rng.random(jobs) < 0.6, 100, -1)
        columns["array_task"] = np.arange(jobs)
        columns["throttle"] = np.full(jobs, rng.integers(1, 4))
    if "partition" in kinds:
        columns["partition"] = Named.of([str(rng.choice(["a", "b", "a,b", "b,a", ""])) for _ in range(jobs)])
        columns["limit_s"] = rng.integers(20, 90, jobs)
        rules["partitions"] = (Partition("a", hosts=(0, 1), max_time_s=80.0), Partition("b", hosts=(1, 2), tier=2))
    if "features" in kinds:
        columns["features"] = Named.of([str(rng.choice(["x", "x&y", "y|z", ""])) for _ in range(jobs)])
        rules["features"] = (("x",), ("x", "y"), ("z",))
    if "limits" in kinds:
        columns["qos"] = Named.of([str(rng.choice(["low", "high"])) for _ in range(jobs)])
        rules["limits_stop"] = seed % 4 == 1
        low = Limits(max_jobs_pu=1, grp_tres=(("cores", 5.0),), max_submit_pu=4)
        rules["qos"] = (Qos("low", limits=low), Qos("high", limits=Limits(max_tres_pa=(("memory", 6.0),), grp_jobs=3)))
    if "work" in kinds:
        columns["qos"] = Named.of([str(rng.choice(["low", "high"])) for _ in range(jobs)])
        known = {each.name: each for each in rules.get("qos", (Qos("low"), Qos("high")))}
        done = {"grp_tres_s": (("cores", 90.0),)} if rng.random() < 0.5 else {"grp_wall_s": 60.0}
        ahead = {"grp_tres_run_s": (("cores", 70.0), ("memory", 120.0))}
        rules["qos"] = (
            replace(known["low"], limits=replace(known["low"].limits, **done)),
            replace(known["high"], limits=replace(known["high"].limits, **ahead)),
        )
        rules |= {"limits_safe": bool(rng.random() < 0.5), "use_half_life_s": float(rng.choice([0.0, 40.0]))}
    if "preempt" in kinds:
        columns["qos"] = Named.of([str(rng.choice(["low", "high"])) for _ in range(jobs)])
        columns["requeue"] = rng.random(jobs) < 0.7
        mode, low = rng.choice(["requeue", "cancel", "suspend"]), rules.get("qos", (Qos("low"),))[0]
        high = rules.get("qos", (low, Qos("high")))[1]
        rules["qos"] = (replace(low, grace_s=float(rng.integers(0, 2) * 3)), replace(high, preempts=("low",)))
        more = {"youngest_first": bool(rng.random() < 0.3), "exempt_s": float(rng.choice([0.0, 0.0, 5.0]))}
        rules["preemption"] = Preemption("qos", str(mode), reorder_count=int(rng.integers(0, 3)), **more)
        if "partition" in kinds and rng.random() < 0.5:
            low, high = rules["partitions"]
            grace_s = float(rng.integers(0, 2) * 3)
            rules["partitions"] = (replace(low, preempt_mode=str(mode), grace_s=grace_s), high)
            rules["preemption"] = replace(rules["preemption"], by="partition")
        elif rng.random() < 0.3:
            columns["priority"] = rng.integers(0, 3, jobs).astype(float)
            rules["qos"] = (replace(rules["qos"][0], within=True), replace(rules["qos"][1], preempt_mode="suspend"))
            suspends = True
        suspends |= mode == "suspend"
    if "accounts" in kinds:
        columns |= {"user_names": ("u", "v"), "account_names": ("p", "q"), "nice": np.zeros(jobs)}
        leaf = Account("p", "u", limits=Limits(max_tres_pu=(("cores", 4.0),)))
        rules["accounts"] = (Account("root", limits=Limits(grp_jobs=4)), Account("p", parent="root"), leaf)
    if "calendar" in kinds:
        columns["reservation"] = Named.of(["mine" if rng.random() < 0.2 else None for _ in range(jobs)])
        columns["requeue"] = rng.random(jobs) < 0.7
        fails = "drained" if suspends else "down"  # rule C8
        rules["calendar"] = (
            CalendarRow(40.0, 70.0, "reserved", hosts=(0,), name="mine"),
            CalendarRow(30.0, 50.0, fails, hosts=(2,)),
            CalendarRow(90.0, 120.0, "drained", hosts=(1,)),
        )
    if "wide" in kinds:
        columns.setdefault("partition", Named.of([str(rng.choice(["a", "b", "a,b"])) for _ in range(jobs)]))
        first, *others = rules.get("partitions", (Partition("a"), Partition("b", max_hosts=2)))
        rules["partitions"] = (replace(first, min_hosts=int(rng.integers(2, 4))), *others)
    if "admission" in kinds:
        columns |= {"user_names": ("u", "v"), "account_names": ("p", "q")}
        columns.setdefault("qos", Named.of([str(rng.choice(["low", "high"])) for _ in range(jobs)]))
        columns.setdefault("partition", Named.of([str(rng.choice(["a", "b", "a,b"])) for _ in range(jobs)]))
        columns.setdefault("limit_s", rng.integers(20, 90, jobs))
        first, *others = rules.get("partitions", (Partition("a"), Partition("b")))
        rules["partitions"] = (replace(first, **DOORS[rng.integers(len(DOORS))], qos="of-a"), *others)
        low, high = rules.get("qos", (Qos("low"), Qos("high")))
        alone = replace(low.limits, **OF_ONE_JOB[rng.integers(len(OF_ONE_JOB))])
        of_a = Qos("of-a", limits=Limits(max_jobs_pa=2, max_submit_pa=5, grp_submit=7))
        rules["qos"] = (replace(low, limits=alone, over_partition=bool(rng.random() < 0.5)), high, of_a)
    if "licences" in kinds:
        columns["licences"] = Named.of(
            [str(rng.choice(["m", "m:2", "m:2,bb/s:1K", "bb/s:3K", ""])) for _ in range(jobs)]
        )
        rules["licences"] = (("other", 1.0), ("bb/s", 4096.0), ("m", float(rng.integers(1, 4))))
    if "power" in kinds:
        steep, flat = ((0.0, 10.0), (0.5, 60.0), (1.0, 70.0)), ((0.0, 5.0), (1.0, 50.0))
        rules["power"] = (HostPower((0, 2), steep), HostPower((1,), flat))
        caps_w = 25.0 + rng.integers(40, 200, 3)
        rules["power_cap"] = tuple(zip((0.0, 30.0, 90.0), caps_w.tolist(), strict=True))
    if "sleep" in kinds:
        idle_s = None if seed % 4 == 0 else float(rng.choice([0.0, 10.0, 30.0]))
        rules["start_up"] = (
            HostStartUp((0, 2), float(rng.integers(1, 9)), idle_s),
            HostStartUp((1,), 2.5, 20.0),
        )[: rng.integers(1, 3)]
    tasks = rng.integers(1, 4, jobs)
    if "hosts" in kinds:
        columns["min_hosts"] = rng.integers(0, 4, jobs)
        columns["max_hosts"] = np.where(rng.random(jobs) < 0.5, 0, columns["min_hosts"] + rng.integers(0, 2, jobs))
    runtime_s = rng.integers(1, 40, jobs).astype(float)
    demand = np.column_stack((rng.integers(1, 3, jobs), rng.integers(0, 3, jobs)))
    workload = Workload(
        ("cores", "memory"),
        submit_s,
        runtime_s,
        demand,
        tasks=tasks,
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 2.0], jobs),
        user=rng.integers(0, 2, jobs),
        project=rng.integers(0, 2, jobs),
        constraints=Constraints(**columns),
    )
    speed = rng.choice([0.5, 1.0, 2.0], hosts) if "speed" in kinds else None
    capacity = np.column_stack((rng.integers(3, 7, hosts), rng.integers(3, 7, hosts)))
    if bursts:
        workload = replace(workload, demand=complementary(rng, capacity.min(axis=0), 3, 1)[rng.integers(0, 3, jobs)])
    return workload, Cluster(("cores", "memory"), capacity, speed=speed, rules=SiteRules(**rules))


def one_pool(workload: Workload, cluster: Cluster) -> tuple[Workload, Cluster]:
    """The same on hosts each of which holds any one task, so that promises count hosts."""
    demand = np.column_stack((np.full(workload.jobs, 2.0), workload.demand[:, 1]))
    pool = Cluster(cluster.resources, np.tile([3.0, 6.0], (cluster.hosts, 1)), rules=cluster.rules)
    return replace(workload, demand=demand), pool
