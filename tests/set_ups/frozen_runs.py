"""Some 3,000 small runs drawn from a fixed seed, and a digest of the schedule of each.

`sim/queue/frozen_runs.txt` keeps the digests, a line for each group of runs; `tools/freeze_runs.py` writes it, and
prints a run as a table. The draws come from a generator of NumPy that is seeded with the name of the group, so that a
new order or backfilling adds lines and changes none.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from backlog_order import BY_BACKLOG
from bound_jobs import KINDS, bound_jobs, one_pool
from bursts import complementary, held_by_all, wide_burst

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model import Cluster, InputError, Schedule, Workload
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.place import FACTORIES, POLICIES
from loadmaster.place.load import policy_named
from loadmaster.scheduling import AnyPolicy, discipline_named
from loadmaster.scheduling.estimate_model import estimate_model_named
from loadmaster.scheduling.meta_rules import META_RULES, meta_rule_named
from loadmaster.scheduling.resolved_constraints import binds
from loadmaster.sim.queue.simulation import is_compiled, simulate
from loadmaster.traces import fit_to, read_hosts, read_trace

FILE = Path(__file__).parents[1] / "sim" / "queue" / "frozen_runs.txt"
MULTIFACTOR = "multifactor(age=1000,fair_share=1000,size=500,calc_period=10,half_life=100)"
ORDER_NAMES = (
    *ORDERS,
    *(
        {"multifactor": MULTIFACTOR, "fair-share": "fair-share(shares=1:2)"}.get(name, name)
        for name in ORDERS_WITH_MEMORY
    ),
    "unicef(form=cobalt)",
    "multifactor(age=500,qos=100,partition=100,recalc=pass,half_life=40)",
    "by_backlog",
)
VARIANTS = {
    "netbatch": ("netbatch(reservations=1,lookahead=3)", "netbatch(reservations=2,lookahead=5)"),
    "easy": (
        "easy(heads=2)", "easy(heads=2,heads_of=cluster)", "easy(fill=shortest)", "easy(promise=hosts)",
        "easy(promise=pool)",
    ),
    "conservative": (
        *(f"conservative(early_end={when})" for when in ("arrival", "replan", "start", "now", "kept")),
        "conservative(lookahead=3)", "conservative(early_end=replan,lookahead=4)", "conservative(promise=hosts)",
        "conservative(promise=pool)", "conservative(promise=pool,early_end=now)",
    ),
    "stepwise": ("stepwise(depth=2)", "stepwise(promise=hosts)"),
    "selective": ("selective(expansion=4)",),
    "slurm": (
        "slurm(bf_interval=1,bf_resolution=5)", "slurm(bf_interval=1,defer=yes,bf_max_job_test=5)",
        "slurm(over_time_limit=none,bf_window_linear=5,bf_interval=2)",
        "slurm(bf_interval=3,default_queue_depth=2,sched_interval=20)", "slurm(bf_interval=1,bf_max_job_user=2)",
    ),
}  # fmt: skip
"""What a backfilling is tried with beside its own defaults."""
BACKFILLING_NAMES = tuple(spec for name in BACKFILLINGS for spec in (name, *VARIANTS.get(name, ())))
POLICY_NAMES = (
    *POLICIES, *(f"{name}()" for name in FACTORIES), *META_RULES, "max-jobs(target=cores)", "max-jobs(target=weighted)",
    "max-jobs(log_ties=no)", "max-jobs(members=mix-fit:first-fit)",
    "max-jobs(members=round-robin:worse-fit-memory:random,target=weighted)", "half_full",
)  # fmt: skip
USUAL = ("worse-fit-cores", "mix-fit", "random", "round-robin", "best-fit-memory", "first-fit", "max-jobs")
"""Where the policy is not what is tried."""
BESIDE_POLICIES = (
    "none", "skip", "netbatch", "easy", "easy(fill=shortest)", "conservative", "conservative(early_end=replan)",
    "sjf+skip", "sjf+easy", "fair-share", "lxf+netbatch", "slurm(bf_interval=1,bf_resolution=5)",
)  # fmt: skip
BESIDE_CONSTRAINTS = (
    "none", "skip", "netbatch", "netbatch(reservations=1,lookahead=3)", "fair-share", "sjf+skip", "wfp3+netbatch",
    "by_backlog+skip", "easy", "sjf+easy", "wfp3+easy", "easy(heads=2)", "easy(fill=shortest)", "easy(promise=hosts)",
    "by_backlog+easy", "fair-share+easy", f"{MULTIFACTOR}+easy", "conservative", "conservative(early_end=start)",
    "conservative(early_end=now)", "conservative(early_end=kept)", "conservative(early_end=replan)",
    "conservative(lookahead=3)", "wfp3+conservative", "stepwise(depth=2)", "selective", "slurm",
    "slurm(bf_interval=1,bf_resolution=5)", "slurm(over_time_limit=none,bf_window_linear=5,bf_interval=2)",
    f"{MULTIFACTOR}+slurm(bf_interval=1,defer=yes)",
)  # fmt: skip
ESTIMATES = (
    ("exact",), ("2",), ("0.5",), ("user", "kill"), ("0.5", "kill"), ("last-two",), ("last-two(correct=double)",),
    ("last-two(correct=double)", "kill"), ("last-two(correct=user,expiry_pass=yes)",), ("user(correct=steps)",),
    ("0.5(correct=double,expiry_pass=yes)",), ("user(expiry_pass=yes)",),
)  # fmt: skip
STOPPING = (
    ("preempt",), *(("preempt", *kinds) for kinds in (
        ("partition",), ("partition", "limits"), ("calendar",), ("depends",), ("array",), ("limits", "accounts"),
    )),
)  # fmt: skip
SHAPES = ("several", "single", "pool", "burst", "resources", "speeds")
TWINS = ("twin(every_s=20)", "twin(every_s=60,handicap=0)", "twin(every_s=20,members=lxf+easy;wfp3+netbatch)")
INTERVALS_S = (0.0, 30.0, 7.0)
LOGS = {
    "CTC-SP2-1996-3.1-cln.swf.gz": "43x8c",
    "HPC2N-2002-2.2-cln.swf.gz": "120x2c2g",
    "LANL-CM5-1994-4.1-cln.swf.gz": "32x32c1g",
    "LCG.swf.gz": "100x1c",
    "wagap-2013.swf.gz": "20x80c500g",
}
LOG_DISCIPLINES = ("easy", "conservative", "netbatch", "multifactor(age=1000,size=500)+easy", "sjf+easy")
LOG_JOBS = 2000


class Run(NamedTuple):
    """One small run.

    Attributes:
        group: what its line in the file is named.
        discipline, policy: as on the command line.
        shape: which log is drawn.
        kinds: of the constraints that bind its jobs.
        seed: of the log.
        interval_s: seconds between scheduling cycles.
        estimates: what `estimate_model_named` takes.
    """

    group: str
    discipline: str
    policy: str
    shape: str
    kinds: tuple[str, ...]
    seed: int
    interval_s: float
    estimates: tuple[str, ...] = ("user",)

    def log(self) -> tuple[Workload, Cluster]:
        """The jobs and hosts."""
        if self.shape == "burst":
            return wide_burst(self.seed)
        if self.shape == "resources":
            return _of_any_resources(self.seed)
        kinds = (*self.kinds, "speed") if self.shape == "speeds" else self.kinds
        workload, cluster = bound_jobs(self.seed, *kinds, most_jobs=40, fewest_jobs=20)
        if self.shape == "single":
            return Workload(**{**vars(workload), "tasks": None}), cluster
        return one_pool(workload, cluster) if self.shape == "pool" else (workload, cluster)

    def schedule(self, workload: Workload, cluster: Cluster, engine: str = "") -> Schedule:
        """The run on the engine named, or on a compiled one where there is one.

        Raises:
            InputError: the combination is refused.
        """
        discipline = discipline_named(_own(self.discipline))
        policy = _policy(self.policy)
        estimate_model = estimate_model_named(*self.estimates)
        if not engine:  # `simulate` leaves some short logs to the plain engine
            known = not binds(workload, cluster) and is_compiled(workload, cluster, policy, discipline, estimate_model)
            engine = "auto" if known else "compiled"
        return simulate(
            workload,
            cluster,
            policy,
            discipline,
            interval_s=self.interval_s,
            seed=5,
            engine=engine,
            estimate_model=estimate_model,
        )

    def digest(self, engine: str = "") -> str:
        """Of the schedule, or of the first words of the refusal."""
        workload, cluster = self.log()
        try:
            return digest_of(workload, self.schedule(workload, cluster, engine))
        except InputError as error:
            return _hexed([f"refused: {' '.join(str(error).split()[:4])}".encode()])


def digest_of(workload: Workload, schedule: Schedule) -> str:
    """Eight hex digits for start_s, host, status and end_s: equal for schedules that are equal to the bit."""
    status = np.full(workload.jobs, -1) if schedule.status is None else schedule.status
    times = (np.where(np.isnan(each), np.nan, each + 0.0) for each in (schedule.start_s, schedule.ends_s(workload)))
    codes = (each.astype("<i4").tobytes() for each in (schedule.host, status))
    return _hexed((*(each.astype("<f8").tobytes() for each in times), *codes))


def digest_of_logs() -> str:
    """Of the jobs and hosts that a few runs of each group draw: it changes with the draws, whatever engines do."""
    parts = []
    for run in runs()[::7]:
        workload, cluster = run.log()
        columns = workload.submit_s, workload.runtime_s, workload.demand, workload.task_count, cluster.capacity
        parts += [column.astype("<f8").tobytes() for column in columns]
    return _hexed(parts)


def runs() -> list[Run]:
    """Every run, in the order of the file."""
    return [*_rules(), *_policies(), *_constraints(), *_estimates(), *_preemption(), *_bursts(), *_twins()]


def kept() -> dict[str, list[str]]:
    """The digests in the file by the name of their line."""
    if not FILE.exists():
        return {}
    lines = (line.rpartition(": ") for line in FILE.read_text().splitlines() if not line.startswith("#"))
    return {name: digests.split() for name, _, digests in lines}


def expected() -> list[tuple[Run, str]]:
    """Every run and its digest in the file, empty where the file has none."""
    left = {name: iter(digests) for name, digests in kept().items()}
    return [(run, next(left.get(run.group, iter(())), "")) for run in runs()]


def log_groups(folder: Path) -> Iterator[tuple[str, str]]:
    """The name of each run on a real log of `folder`, and its digest."""
    for name, hosts in LOGS.items():
        cluster = read_hosts(hosts)
        log, _ = fit_to(read_trace(folder / name).workload.take(slice(0, LOG_JOBS)), cluster, "any")
        for discipline in LOG_DISCIPLINES:
            schedule = simulate(log, cluster, POLICIES["first-fit"], discipline_named(discipline), interval_s=0.0)
            yield f"log {name.partition('.')[0]} {hosts} {discipline}", digest_of(log, schedule)


def half_full(demand, free, capacity):  # type: ignore[no-untyped-def]
    """A score of one's own: hosts that the task leaves about half full."""
    return abs(2.0 * (free[0] - demand[0]) - capacity[0])


@cache
def _policy(name: str) -> AnyPolicy:
    """The policy of that name, made once: each that is made is compiled anew."""
    return meta_rule_named(_own(name)) or policy_named(_own(name))


def _own(spec: str) -> str:
    return spec.replace("by_backlog", BY_BACKLOG).replace("half_full", f"{__file__}:half_full")


def _hexed(parts: Iterable[bytes]) -> str:
    return blake2b(b"".join(parts), digest_size=4).hexdigest()


def _drawn(
    group: str,
    many: int,
    disciplines: Iterable[str],
    policies: Iterable[str] = USUAL,
    shapes: Iterable[str] = SHAPES,
    kinds: tuple[str, ...] = (),
    estimates: tuple[str, ...] = ("user",),
) -> Iterator[Run]:
    """So many runs of one line, each with one of `disciplines`, `policies` and `shapes`."""
    rng = np.random.default_rng(crc32(group.encode()))
    for _ in range(many):
        discipline, policy, shape = (str(rng.choice(list(each))) for each in (disciplines, policies, shapes))
        seed, interval_s = int(rng.integers(10**6)), float(rng.choice(INTERVALS_S))
        yield Run(group, discipline, policy, shape, kinds, seed, interval_s, estimates)


def _rules() -> Iterator[Run]:
    for backfilling in BACKFILLING_NAMES:
        by_arrival = "early_end" in backfilling and "replan" not in backfilling  # promises in the order of arrival
        for order in ("fcfs",) if by_arrival else ORDER_NAMES:
            rule = f"{order}+{backfilling}"
            yield from _drawn(f"rules {rule}", 2, [rule])


def _policies() -> Iterator[Run]:
    for policy in POLICY_NAMES:
        for discipline in BESIDE_POLICIES:
            yield from _drawn(f"policies {policy} {discipline}", 2, [discipline], [policy])


def _constraints() -> Iterator[Run]:
    sets = [(kind,) for kind in KINDS] + list(combinations(KINDS, 2))
    for kinds in sets:
        yield from _drawn(f"constraints {'+'.join(kinds)}", 8, BESIDE_CONSTRAINTS, shapes=["several"], kinds=kinds)
    all_kinds = tuple(kind for kind in KINDS if kind != "sleep")  # it came later: with it the logs would be others
    yield from _drawn("constraints all", 40, BESIDE_CONSTRAINTS, shapes=["several"], kinds=all_kinds)
    yield from _drawn("constraints in a pool", 15, BESIDE_CONSTRAINTS, shapes=["pool"], kinds=("begin", "limits"))


def _estimates() -> Iterator[Run]:
    for estimates in ESTIMATES:
        name = f"estimates {' '.join(estimates)}"
        for shape in ("several", "single", "pool", "burst", "speeds"):
            yield from _drawn(f"{name} {shape}", 6, BESIDE_CONSTRAINTS, shapes=[shape], estimates=estimates)
        for kinds in (("partition",), ("calendar",), ("limits", "depends")):
            group = f"{name} {'+'.join(kinds)}"
            yield from _drawn(group, 3, BESIDE_CONSTRAINTS, shapes=["several"], kinds=kinds, estimates=estimates)


def _preemption() -> Iterator[Run]:
    for kinds in STOPPING:
        yield from _drawn(f"preemption {'+'.join(kinds)}", 18, BESIDE_CONSTRAINTS, shapes=["several"], kinds=kinds)


def _bursts() -> Iterator[Run]:
    for discipline in BESIDE_CONSTRAINTS:
        yield from _drawn(f"bursts {discipline}", 5, [discipline], shapes=["burst"])


def _twins() -> Iterator[Run]:
    for twin in TWINS:
        yield from _drawn(f"twin {twin}", 8, [twin], ["first-fit", "mix-fit"])
    for kinds in (("partition", "features"), ("calendar",), ("begin", "limits")):
        yield from _drawn(f"twin {'+'.join(kinds)}", 4, TWINS, ["first-fit"], ["several"], kinds)


def _of_any_resources(seed: int) -> tuple[Workload, Cluster]:
    """Jobs on up to six hosts of one, three or four resources, in whole units, eighths or hundredths."""
    rng = np.random.default_rng([seed, 2])
    hosts, jobs, unit = int(rng.integers(1, 7)), int(rng.integers(20, 41)), int(rng.choice([1, 8, 100]))
    names = ("cores", "memory", "bandwidth", "licences")[: int(rng.choice([1, 3, 4]))]
    capacity = rng.integers(1, 9, (hosts, len(names))).astype(float)
    demand = complementary(rng, capacity.min(axis=0), 5, unit)[rng.integers(0, 5, jobs)]
    most = np.array([held_by_all(row, capacity) for row in demand])
    runtime_s = rng.integers(1, 60, jobs).astype(float)
    workload = Workload(
        names,
        np.sort(rng.integers(0, 90, jobs)).astype(float),
        runtime_s,
        demand,
        tasks=np.minimum(rng.choice([1, 1, 2, 5], jobs), most).astype(np.int32),
        estimate_s=np.ceil(runtime_s * rng.choice([0.5, 1.0, 2.0], jobs)),
        user=rng.integers(0, 3, jobs),
        project=rng.integers(0, 3, jobs),
    )
    return workload, Cluster(names, capacity)
