"""`pack`: runs a method on an instance, raises the mean yield, and says how far from the best possible it is."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.errors import InputError
from loadmaster.packing.bound import ceiling
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.fewer_tasks import tasks_alone
from loadmaster.packing.incumbent import Report, silent
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.own import is_packer, packed_by
from loadmaster.packing.packing import INTERRUPTED, Attempt, Minimise, Packing
from loadmaster.packing.pattern_problem import in_full
from loadmaster.packing.switches import ATTEMPTS, DEFAULT, AttemptCounts, McbSwitches
from loadmaster.place import POLICIES, Policy
from loadmaster.place.load import policy_named
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.near import no_such
from loadmaster.rules.parameters import instance_of, refuse_parameters
from loadmaster.rules.part import part_of
from loadmaster.system.lazy import later

Solver = Callable[..., Attempt]

card_relaxation = later("loadmaster.packing.card_placement", "card_relaxation")
placed_by_best_fit: Solver = later("loadmaster.packing.card_placement", "placed_by_best_fit")
settled: Solver = later("loadmaster.packing.card_placement", "settled")
with_more_placed: Solver = later("loadmaster.packing.place_more", "with_more_placed")

best_by_score: Solver = later("loadmaster.packing.by_score", "best_by_score")
branch_and_bound: Solver = later("loadmaster.packing.branch_and_bound", "branch_and_bound")
cheapest_hosts: Solver = later("loadmaster.packing.cheapest_hosts", "cheapest_hosts")
cp_sat: Solver = later("loadmaster.packing.cp_sat", "cp_sat")
exact: Solver = later("loadmaster.packing.exact", "exact")
fgd: Solver = later("loadmaster.packing.fgd", "fgd")
greedy: Solver = later("loadmaster.packing.greedy", "greedy")
greedy_backtracking: Solver = later("loadmaster.packing.greedy", "greedy_backtracking")
highs: Solver = later("loadmaster.packing.milp", "highs")
improve: Solver = later("loadmaster.packing.improve", "improve")
mcb: Solver = later("loadmaster.packing.mcb", "mcb")
all_rigid = later("loadmaster.packing.cheapest_hosts", "all_rigid")
cost_of = later("loadmaster.packing.cheapest_hosts", "cost_of")
on_fewer_hosts: Solver = later("loadmaster.packing.cheapest_hosts", "on_fewer_hosts")
prepare = later("loadmaster.packing.by_score", "prepare")
simple_bound = later("loadmaster.packing.cheapest_hosts", "simple_bound")
raise_mean = later("loadmaster.packing.mean_yield", "raise_mean")
rounded: Solver = later("loadmaster.packing.rounding", "rounded")
rounded_no_zero: Solver = later("loadmaster.packing.rounding", "rounded_no_zero")
sorted_greedy: Solver = later("loadmaster.packing.greedy", "sorted_greedy")
sorted_greedy_backtracking: Solver = later("loadmaster.packing.greedy", "sorted_greedy_backtracking")

_CASANOVA = "Casanova et al. 2008"


@dataclass(frozen=True)
class PackOptions:
    """Options of packers; each packer uses those that concern it.

    Attributes:
        time_limit_s: for exact solvers, the local search, and the bisection over levels of placement policies.
        seed: for what draws.
        attempts: the most attempts of GB and SGB.
        attempt_counts: what an attempt is: a host `examined` for a task, or one that the task `fitted`.
        mcb: how the MCB algorithms search.
        minimise: what to minimise; None for the hosts in use where all demands are rigid, else the largest load.
        report: is told the best placement and the bound while local search or `exact` runs.
    """

    time_limit_s: float = 60.0
    seed: int = 0
    attempts: int = ATTEMPTS
    attempt_counts: AttemptCounts = "examined"
    mcb: McbSwitches = DEFAULT
    minimise: Minimise | None = None
    report: Report = silent


@dataclass(frozen=True)
class Packer:
    """A named packer: `solve(instance, options)`, one line on what it does, and where it was published.

    One that works until its time is up (`timed`) is never worse than MCB8 where it starts from that. `prepare` compiles
    what is compiled anew in every process, so that this is not counted as the time of packing. One that `rates` is a
    placement policy. One with `cards` gives tasks single GPUs itself; the others pack amounts, and their tasks get
    cards afterwards. With `in_full` every demand is met in full, and the packer does not raise a level.
    """

    name: str
    solve: Callable[[Instance, PackOptions], Attempt]
    summary: str
    source: str = ""
    exact: bool = False
    timed: bool = False
    prepare: Callable[[], object] | None = None
    cards: bool = False
    rates: bool = False
    in_full: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "timed", self.timed or self.exact)


def _mcb(key: int) -> Callable[[Instance, PackOptions], Attempt]:
    return lambda instance, options: mcb(instance, key, options.mcb)


def _scored(policy: Policy) -> Packer:
    def solve(instance: Instance, options: PackOptions) -> Attempt:
        return best_by_score(instance, policy, options.seed, deadline=Deadline.after(options.time_limit_s))

    summary = f"largest first, each by {policy.name}: {policy.summary}"
    return Packer(policy.name, solve, summary, policy.source, prepare=lambda: prepare(policy), rates=True, cards=True)


def _local_search(instance: Instance, options: PackOptions) -> Attempt:
    """MCB8, then the local search until the time is up or the level meets its bound."""
    deadline = Deadline.after(options.time_limit_s)
    start = mcb(instance, 8, options.mcb)
    return improve(instance, start, deadline.left_s(), options.seed, report=options.report)


_KEYS = ("the sum", "the difference", "the ratio", "the larger")
PACKERS: dict[str, Packer] = {
    packer.name: packer
    for packer in (
        Packer("exact", lambda i, o: exact(i, o.time_limit_s, o.seed, o.report),
               "the fastest exact solver for the size", "", True),
        Packer("branch-and-bound", lambda i, o: branch_and_bound(i, o.time_limit_s),
               "our exact search for small instances", "", True),
        Packer("cp-sat", lambda i, o: cp_sat(i, o.time_limit_s), "OR-tools' exact solver, for larger ones", "", True),
        Packer("highs-compact", lambda i, o: highs(i, "compact", o.time_limit_s),
               "HiGHS on the least maximum load", "", True),
        Packer("highs-paper", lambda i, o: highs(i, "paper", o.time_limit_s),
               "HiGHS on the paper's program", _CASANOVA, True),
        Packer("local-search", _local_search, "MCB8, then exchanges off the fullest host", timed=True),
        *(Packer(f"mcb{k}", _mcb(k),
                 f"multi-capacity bin packing by {_KEYS[(k - 1) % 4]} of the demands, {'a' if k < 5 else 'de'}scending",
                 _CASANOVA) for k in range(8, 0, -1)),
        Packer("fgd", lambda i, o: fgd(i), "tasks as given, to the GPU whose fragmentation grows least; names the GPU",
               "Weng et al. 2023", cards=True, in_full=True),
        Packer("gr", lambda i, o: greedy(i), "tasks as given, to the least loaded host", _CASANOVA),
        Packer("sg", lambda i, o: sorted_greedy(i), "largest rigid demand first, to the least loaded host", _CASANOVA),
        Packer("gb", lambda i, o: greedy_backtracking(i, o.attempts, o.attempt_counts),
               "gr with backtracking", _CASANOVA),
        Packer("sgb", lambda i, o: sorted_greedy_backtracking(i, o.attempts, o.attempt_counts),
               "sg with backtracking", _CASANOVA),
        Packer("rrnd", lambda i, o: rounded(i, o.seed), "randomised rounding of the relaxed program", _CASANOVA),
        Packer("rrnz", lambda i, o: rounded_no_zero(i, o.seed), "randomised rounding, no host without a chance",
               _CASANOVA),
        *(_scored(POLICIES[name])
          for name in ("mix-fit", "opportunity-cost", "dot-product", "best-fit-cores", "best-fit-memory")),
    )
}  # fmt: skip
"""Packers by their names on the command line; any other placement policy is one as well, see `packer_named`."""


def packer_named(method: str, sources: Sources = NO_SOURCES) -> Packer:
    """The packer of that name: of `PACKERS`, a placement policy, or the user's own as `file.py:name`.

    A function of the user's that takes one thing packs the instance; one of three rates a host, as a policy does. A
    class packs by its method `pack`; its parameters stand in parentheses.

    Args:
        method: as on the command line.
        sources: text of files, taken instead of what stands on the disk.

    Raises:
        InputError: no such packer, file, function or parameter.
    """
    if method in PACKERS:
        return PACKERS[method]
    part = part_of(method)
    reference = Reference.of(part.name)
    place = None if reference is None else reference.thing(sources.get(reference.path))
    if isinstance(place, type):
        place = instance_of(place, part, {}, "packer", "pack").pack
    else:
        refuse_parameters(part)
    if place is not None and is_packer(place):
        return Packer(method, lambda instance, _: packed_by(place, method, instance), "a packer of your own")
    if method in POLICIES or reference is not None:
        return _scored(policy_named(method, sources))
    raise no_such(method, [*PACKERS, *POLICIES], what="packer")


def pack(instance: Instance, method: str = "mcb8", options: PackOptions = PackOptions()) -> Packing:
    """Place all tasks of `instance` by `method` and share the hosts' fluid resources among them.

    Raises:
        InputError: no such packer.

    Example:
        >>> two = Instance.of(hosts=2, cpu=[0.9, 0.2, 0.7, 0.3, 0.5], memory=[0.1, 0.6, 0.2, 0.5, 0.3])
        >>> best = pack(two, "exact")
        >>> best.host.tolist(), round(best.min_yield, 6), round(best.bound, 6)
        ([0, 0, 1, 1, 1], 0.666667, 0.666667)
    """
    return _packing(instance, method, options, what_fits=False)


def pack_what_fits(instance: Instance, method: str = "mcb8", options: PackOptions = PackOptions()) -> Packing:
    """As `pack`; where not all tasks are placed, as many as possible are (rule K23).

    Best fit places tasks for a packer that places none. One that works until its time is up uses what is left of it.

    Raises:
        InputError: no such packer.
    """
    return _packing(instance, method, options, what_fits=True)


def _packing(instance: Instance, method: str, options: PackOptions, *, what_fits: bool) -> Packing:
    """`pack`, or `pack_what_fits`."""
    packer = packer_named(method)
    if packer.prepare is not None:
        packer.prepare()
    start, deadline = time.perf_counter(), Deadline.after(options.time_limit_s)
    minimise = options.minimise or ("hosts" if instance.rigid_only and not packer.in_full else "level")
    if minimise == "level":
        attempt = attempt_by(packer, instance, options)
        if what_fits:
            attempt = _as_many_placed(packer, instance, attempt, options, deadline)
        packing = finish(instance, attempt)
    else:
        price = _price(instance, minimise)
        attempt = _cheapest(instance, packer, options, price)
        if what_fits:
            attempt = _as_many_placed(packer, all_rigid(instance), attempt, options, deadline)
        packing = _finish_cheapest(instance, attempt, minimise, price)
    return replace(packing, seconds=time.perf_counter() - start)


def attempt_by(packer: Packer, instance: Instance, options: PackOptions) -> Attempt:
    """What the packer makes of the instance, each task on its cards where the instance has them (rule K22)."""
    if instance.cards is None or packer.cards:
        return packer.solve(instance, options)
    attempt = settled(instance, packer.solve(card_relaxation(instance), options))
    if not packer.timed or attempt.proven:
        return attempt
    start = settled(instance, mcb(card_relaxation(instance), 8, options.mcb))
    return start if _on_more(instance, start) > _on_more(instance, attempt) else attempt


def _as_many_placed(
    packer: Packer, instance: Instance, attempt: Attempt, options: PackOptions, deadline: Deadline
) -> Attempt:
    """Where some tasks must be left over: hosts for the others, by best fit if the packer names none (rule K23).

    A packer that works until its time is up places more of them for as long as time is left.
    """
    if attempt.host is not None:
        return attempt
    if attempt.partial is None:
        attempt = placed_by_best_fit(instance, attempt)
    if not packer.timed or attempt.partial is None or attempt.interrupted:
        return attempt
    return with_more_placed(instance, attempt, deadline, options.seed, options.report)


def _on_more(instance: Instance, attempt: Attempt) -> tuple[int, float]:
    """By what two attempts are compared: the tasks placed, then the level."""
    if attempt.host is not None:
        return instance.tasks, level_of(instance, attempt.host)
    return 0 if attempt.partial is None else int((attempt.partial >= 0).sum()), 0.0


def _price(instance: Instance, minimise: Minimise) -> Floats:
    """float64[H]: what each host counts."""
    if minimise == "hosts":
        return np.ones(instance.hosts)
    if instance.price is None:
        fix = "give them, as in --hosts 20x16c64g@0.8,10x32c128g@1.5, or as a column price_per_hour of the hosts' file"
        raise InputError("--minimise cost", "the hosts have no prices", fix=fix)
    return instance.price


def _cheapest(instance: Instance, packer: Packer, options: PackOptions, price: Floats) -> Attempt:
    """The packer's placement on as few or cheap hosts as it can do with, with a bound."""
    if packer.name == "exact":
        relaxed = card_relaxation(instance)
        return settled(instance, cheapest_hosts(relaxed, price, options.time_limit_s, options.seed, options.report))
    rounds = 2 + instance.hosts.bit_length()
    each = replace(options, time_limit_s=options.time_limit_s / rounds)
    attempt = on_fewer_hosts(all_rigid(instance), price, lambda part: attempt_by(packer, part, each))
    if attempt.host is None:
        return attempt
    bound = simple_bound(in_full(instance, price))
    return replace(attempt, status="ok", cost_bound=bound, proven=cost_of(price, attempt.host) <= bound * (1 + 1e-9))


def _finish_cheapest(instance: Instance, attempt: Attempt, minimise: Minimise, price: Floats) -> Packing:
    """As `finish`, for a placement whose hosts are counted or paid."""
    packing = replace(finish(instance, attempt), minimise=minimise, proven=attempt.proven)
    if not packing.placed:
        return packing
    cost = cost_of(price, packing.host)
    bound = 0.0 if attempt.cost_bound is None else min(attempt.cost_bound, cost)
    return replace(packing, cost=cost, cost_bound=bound)


def finish_on_hosts(instance: Instance, attempt: Attempt) -> Packing:
    """As `finish`, for a placement on as few hosts as possible, with the bound of the instance on their number."""
    price = np.ones(instance.hosts)
    if attempt.host is not None:
        bound = simple_bound(in_full(instance, price))
        proven = cost_of(price, attempt.host) <= bound * (1 + 1e-9)
        attempt = replace(attempt, cost_bound=bound, proven=proven)
    return _finish_cheapest(instance, attempt, "hosts", price)


def finish(instance: Instance, attempt: Attempt) -> Packing:
    """What a solver left, with its level, the shares of the mean-yield phase and the best bound known."""
    if attempt.interrupted:
        attempt = replace(attempt, notes=(*attempt.notes, INTERRUPTED))
    if attempt.host is None:
        bound = 0.0 if attempt.proven else ceiling(instance) if attempt.bound is None else attempt.bound
        host, share, job_yield = _partly_placed(instance, attempt.partial)
        return Packing(
            attempt.status,
            attempt.solver,
            host,
            share,
            job_yield,
            float("nan"),
            bound,
            attempt.proven,
            attempt.unplaced,
            attempt.reason,
            attempt.effort,
            notes=attempt.notes,
            cards=attempt.cards,
            interrupted=attempt.interrupted,
            place_bound=attempt.place_bound,
        )
    level = level_of(instance, attempt.host)
    if attempt.level is not None:
        level = float(np.minimum(level, attempt.level))
    job_yield = raise_mean(instance, attempt.host, level)
    bound = ceiling(instance)
    if attempt.bound is not None:
        bound = min(bound, attempt.bound)
    bound = max(bound, level)
    return Packing(
        attempt.status,
        attempt.solver,
        attempt.host,
        instance.fluid * job_yield[instance.job_of][:, None],
        job_yield,
        level,
        bound,
        attempt.proven or level >= bound * (1 - 1e-12),
        effort=attempt.effort,
        notes=attempt.notes,
        cards=attempt.cards,
        cost=float(len(np.unique(attempt.host))),
        interrupted=attempt.interrupted,
    )


def _partly_placed(instance: Instance, host: Ints | None) -> tuple[Ints, Floats, Floats]:
    """Hosts, shares and yields where some tasks are left over: those of the tasks that have a host, 0 for the others.

    Returns:
        host: int32[T], -1 for tasks that are left over.
        share: float64[T, F].
        job_yield: float64[J].
    """
    share, job_yield = instance.fluid * 0.0, np.zeros(instance.jobs)
    if host is None:
        return np.full(instance.tasks, -1, np.int32), share, job_yield
    there = host >= 0
    if there.any():
        part = tasks_alone(instance, there)
        job_yield[np.unique(instance.job_of[there])] = raise_mean(part, host[there], level_of(part, host[there]))
        share[there] = (instance.fluid * job_yield[instance.job_of][:, None])[there]
    return host, share, job_yield
