"""Small random logs bound by all kinds of constraints: is what the engine over the compiled pass makes of them right?

As a program, with Numba switched off (NUMBA_DISABLE_JIT=1): `random_general_passes.py FIRST LAST` tries the kernels as
the plain Python that they are, on the logs of these seeds, and prints where they differ from the plain engine. With
`small` behind it every plan begins with room for far too few steps; with a discipline behind it all runs have that one.
With `any` behind it each run takes the form of the pass that `simulate` chooses for it: `shadow` or `general`.
With `cards` behind it GPUs are cards, of which most jobs request parts.
"""

import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
from backlog_order import BY_BACKLOG
from bound_jobs import KINDS, bound_jobs, one_pool
from random_passes import AsItIs, rate_in_python, scan_in_python

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.compiled_rules import orders
from loadmaster.order.order import rank_of
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler
from loadmaster.scheduling.compiled_decide import has_compiled_form
from loadmaster.scheduling.estimate_model import USERS, estimate_model_named
from loadmaster.scheduling.notation import discipline_named
from loadmaster.scheduling.timed_limits import timed_kinds
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.card_runs import general_serves_cards
from loadmaster.sim.queue.engine import compilation, general_replay, loop_kernel
from loadmaster.sim.queue.engine import general_layout as general_layout
from loadmaster.sim.queue.engine.runtime_limits import serves_estimates
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.reference import replay

MULTIFACTOR = "multifactor(age=1000,fair_share=1000,calc_period=10,half_life=100)"
DISCIPLINES = (
    "easy", "easy(heads=2)", "easy(heads=2,heads_of=cluster)", "easy(fill=shortest)", "easy(promise=hosts)",
    "stepwise(depth=2)", "stepwise", "selective", "conservative", "conservative(early_end=start)",
    "conservative(early_end=now)", "conservative(early_end=kept)", "conservative(lookahead=3)", "wfp3+conservative",
    "wfp3+easy", "sjf+easy", "fair-share+easy", "fair-share+conservative", "fcfs", "skip",
    "slurm", "slurm(bf_interval=1,bf_resolution=5)", "slurm(over_time_limit=none,bf_window_linear=5,bf_interval=2)",
    "wfp3+slurm(bf_interval=3,default_queue_depth=2,sched_interval=20)", "netbatch(reservations=1,lookahead=3)",
    f"{MULTIFACTOR}+easy", f"{MULTIFACTOR[:-1]},recalc=pass)+skip", f"{MULTIFACTOR}+slurm(bf_interval=1,defer=yes)",
    "lookahead", "lookahead(window=2)", "sjf+lookahead(window=1)",
    f"{BY_BACKLOG}+easy", f"{BY_BACKLOG}+conservative", f"{BY_BACKLOG}+stepwise(depth=2)",
)  # fmt: skip
DISCIPLINES += tuple(
    name
    for name, (kind, *_) in BACKFILLINGS.items()
    if has_compiled_form(kind()) and not any(name in each for each in DISCIPLINES)
)
RULES = (
    *(POLICIES[name] for name in ("worse-fit-cores", "mix-fit", "random", "round-robin")), MaxJobs(),
    MaxJobs(target="weighted"), MaxJobs(target="cores", log_ties=False),
)  # fmt: skip
ESTIMATES = (
    ("exact",), ("2",), ("user", "kill"), ("0.5", "kill"), ("last-two",), ("last-two(correct=double)", "kill"),
    ("last-two(correct=user,expiry_pass=yes)",), ("user(correct=steps)",), ("0.5(correct=double,expiry_pass=yes)",),
    ("user(expiry_pass=yes)",),
)  # fmt: skip
STOPPING = [("preempt", *kinds) for kinds in (("partition",), ("partition", "limits"), ("calendar",), ("depends",))]
COMPILED = tuple(kind for kind in KINDS if all(each.compiled for each in timed_kinds(*bound_jobs(1, kind)).values()))
TOGETHER = [(kind,) for kind in COMPILED] + list(combinations(COMPILED, 2)) + [COMPILED] * 8 + STOPPING * 6 + [()] * 20
"""Nothing binds the jobs of the last ones."""
NOT_ON_CARDS = {"preempt", "hosts", "wide", "work"}
"""What the general pass does not serve where GPUs are cards."""
HOST_BOUND = {"partition", "features", "calendar", "speed", "preempt"}
"""Without these any host serves where hosts are equal: promises may count them."""


def kinds_of(seed):
    """What binds the jobs of a seed, but for what a form of the pass does not serve."""
    return TOGETHER[np.random.default_rng(seed).integers(len(TOGETHER))]


def both(seed, discipline=None, *, any_form=False, cards=False):
    """What a run of a seed is, and its schedules: by the plain engine, and by the one over the compiled pass.

    `any_form`: the second one by the form of the pass that `simulate` chooses; `cards`: GPUs are cards.
    """
    rng = np.random.default_rng(seed)
    kinds, policy = TOGETHER[rng.integers(len(TOGETHER))], RULES[rng.integers(len(RULES))]
    named = discipline or DISCIPLINES[rng.integers(len(DISCIPLINES))]
    if any_form and seed % 2:  # the form `shadow` serves most of these
        kinds = ()
    if "fair-share" in named:  # where jobs are served by need, nobody is stopped by this engine
        kinds = tuple(kind for kind in kinds if kind != "preempt")
    if cards:
        kinds = tuple(kind for kind in kinds if kind not in NOT_ON_CARDS)
    interval_s, rule = float(rng.choice([0.0, 7.0])), discipline_named(named)
    workload, cluster = bound_jobs(seed, *kinds)
    if seed % 3 == 0:
        workload = with_equal_ranks(workload)
    if "array" in kinds and seed % 2:  # whose first tasks come last
        bound = workload.constraints
        workload = replace(workload, constraints=replace(bound, array_task=bound.array_task[::-1]))
    if not HOST_BOUND & set(kinds) and rng.random() < 0.4:
        workload, cluster = one_pool(workload, cluster)
    if cards:
        workload, cluster = on_cards(rng, workload, cluster)
        if not general_serves_cards(workload, policy, rule):
            policy, rule = RULES[0], discipline_named("conservative")
    assert general_replay.serves(policy, rule)
    estimate_model = estimate_model_named(*ESTIMATES[rng.integers(len(ESTIMATES))]) if rng.random() < 0.5 else USERS
    if not serves_estimates(estimate_model, cluster):
        estimate_model = USERS
    given = {"interval_s": interval_s, "seed": 3, "estimate_model": estimate_model}
    if any_form:
        plain, kept = (
            simulate(workload, cluster, policy, rule, engine=each, **given) for each in ("reference", "compiled")
        )
        plain, kept = (replace(each, expected_s=each.expects_s(workload)) for each in (plain, kept))
    else:
        plain = replay(workload, cluster, Scheduler(policy, rule), **given)
        kept = general_replay.replay_general(QueueRun(workload, cluster, Scheduler(policy, rule), **given))
    return f"{seed} {named} {policy.name} {kinds} {estimate_model}", plain, kept


def on_cards(rng, workload, cluster):
    """The same jobs, most of which request GPUs of one to three in each host; no host goes down."""
    count = rng.integers(1, 4, cluster.hosts).astype(float)
    gpus = np.minimum(rng.choice([0.0, 0.25, 0.3, 0.5, 0.6, 1.0, 2.0], workload.jobs), count.min())
    gpus[0] = 0.5
    calendar = tuple(replace(row, kind="drained") if row.kind == "down" else row for row in cluster.rules.calendar)
    resources = (*cluster.resources, "gpus")
    hosts = replace(cluster, resources=resources, capacity=np.column_stack((cluster.capacity, count)))
    workload = replace(workload, resources=resources, demand=np.column_stack((workload.demand, gpus)))
    return workload, replace(hosts, rules=replace(cluster.rules, calendar=calendar))


def with_equal_ranks(workload):
    """The same jobs, of which many arrive at one moment and many have one estimate: most orders rank these alike."""
    expected_s = workload.runtime_s if workload.estimate_s is None else workload.estimate_s
    return replace(
        workload, submit_s=np.floor(workload.submit_s / 20.0) * 20.0, estimate_s=np.ceil(expected_s / 25.0) * 25.0
    )


def differences(plain, other):
    """The columns in which two schedules differ; `other` may be None only where nobody ever starts."""
    if other is None:
        return ["left to others"] * bool(plain.started.any())
    pairs = [(plain, other, ("start_s", "host", "cards", "end_s", "status", "expected_s", "start_up_s"))]
    pairs.append((plain.cycles, other.cycles, ("time_s", "queue_length", "started", "winners")))
    if plain.segments is not None and other.segments is not None:
        pairs.append((plain.segments, other.segments, tuple(vars(plain.segments))))
    found = [name for one, two, names in pairs for name in names if not _alike(getattr(one, name), getattr(two, name))]
    if (plain.segments is None) != (other.segments is None):
        found.append("segments")
    if (plain.never, plain.refused) != (other.never, other.refused):
        found.append("never")
    return found


def _alike(one, other):
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def in_python():
    """Let the kernels run as plain Python."""
    compilation.scanner, compilation.rater = scan_in_python, rate_in_python
    compilation.ranker = orders.ranker = _ranker_in_python
    compilation.no_ranker = lambda: None
    compilation.LaidOut = AsItIs
    compilation._order_function = lambda order_events, function: function
    compilation._entry = lambda engine, parts: loop_kernel.run
    general_replay.pass_of = lambda general, function: function


def _ranker_in_python(order):
    def rank(columns, jobs, many, now, out):
        numbers = jobs[:many].astype(np.int64) if len(jobs) else np.arange(many)
        backlog = columns.backlog(numbers, now)
        for k in range(many):
            out[k] = rank_of(order, columns.job(int(numbers[k])), now, backlog)
        return 0

    return rank


def differing(first, last, *named, any_form=False, cards=False):
    """How many runs there were on seeds from `first` to `last`, and those whose schedules differ; `named`: of what."""
    found = []
    for seed in range(first, last):
        name, plain, kept = both(seed, *named, any_form=any_form, cards=cards)
        if wrong := differences(plain, kept):
            found.append(f"{name}: {', '.join(wrong)}")
    return last - first, found


if __name__ == "__main__":
    in_python()
    if "small" in sys.argv[3:]:
        general_layout.steps_of = lambda scene, room: len(scene.hosts.speed)
    named = [each for each in sys.argv[3:] if each not in ("small", "any", "cards")]
    forms = {"any_form": "any" in sys.argv[3:], "cards": "cards" in sys.argv[3:]}
    print(*differing(*map(int, sys.argv[1:3]), *named, **forms))
