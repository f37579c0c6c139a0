"""Runs every contract over the full product of orders, backfillings, policies and constraints, on small random logs.

    python tools/contract_product.py                          everything, pairs of constraints, one seed
    python tools/contract_product.py --slice 2/8 --seeds 0:5  the second of eight parts, five logs for each combination
    python tools/contract_product.py --disciplines sjf+easy --policies mix-fit --kinds partition+limits --seeds 7

Registries say what there is: whoever adds an order, a backfilling, a meta-rule or a kind of constraint is in it. Of
each combination it is held that the compiled run equals the plain one to the bit; that the checker finds no constraint
broken, no limit passed, nothing started twice; that work is accounted for; and, with estimates that nobody outlives,
that promises are kept which the discipline makes, as `tests/set_ups/kept_promises.py` says. A failure is printed as the
command that repeats it; exit code 1.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "set_ups"))

from bound_jobs import KINDS, bound_jobs
from kept_promises import Listening, broken_by_conservative, broken_by_easy

from loadmaster.backfilling import BACKFILLINGS, Conservative, Easy
from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.errors import one_line
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY
from loadmaster.runs.setting import Setting, discipline_of, policy_of
from loadmaster.scheduling import AnyPolicy, Discipline, Scheduler, scheduler
from loadmaster.scheduling.meta_rules import META_RULES
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.reference import replay

POLICIES = ("first-fit", "worse-fit-cores", "random", *META_RULES)
"""One that packs, one that spreads, one that draws, and every meta-rule."""
KEEP_PROMISES = {"features", "begin", "array", "hosts", "wide", "speed"}
"""Constraints under which a promise is more than a lower bound: limits, dependencies and failures may postpone it."""
INTERVALS_S = (0.0, 7.0)


class Combination(NamedTuple):
    """One cell of the product."""

    discipline: str
    policy: str
    kinds: tuple[str, ...]
    seed: int

    def command(self, most_jobs: int) -> str:
        """What runs it again."""
        kinds = "+".join(self.kinds) or "none"
        return (
            f"python tools/contract_product.py --disciplines '{self.discipline}' --policies '{self.policy}' "
            f"--kinds {kinds} --seeds {self.seed} --most-jobs {most_jobs}"
        )


def main() -> int:
    """Run the part requested; exit code 1 if a contract is broken."""
    asked = _arguments()
    cells = list(_cells(asked))
    Random(asked.shuffle).shuffle(cells)
    part, parts = asked.slice
    scheduler.WORTHWHILE = 1  # the compiled scheduling pass decides from the first row on
    mine = cells[part - 1 :: parts]
    console, until = Console(stderr=True), time.monotonic() + 60.0 * asked.minutes
    broken = done = 0
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("contracts", total=len(mine))
        for cell in mine:
            if time.monotonic() > until:
                break
            for fault in faults(cell, asked.most_jobs, plain_only=asked.plain):
                broken += 1
                print(f"{fault}\n    {cell.command(asked.most_jobs)}", flush=True)
            done += 1
            progress.advance(bar)
    print(f"{done:,} of {len(mine):,} combinations, {broken} broken contracts")
    return 1 if broken else 0


def faults(cell: Combination, most_jobs: int, *, plain_only: bool = False) -> list[str]:
    """Every contract that one combination breaks, in words; `plain_only`: nothing is compiled, nor compared with it."""
    workload, cluster = bound_jobs(cell.seed, *cell.kinds, most_jobs=most_jobs)
    setting = Setting(cell.policy, cell.discipline)
    policy, discipline = policy_of(setting, {}), discipline_of(setting)
    interval_s = INTERVALS_S[cell.seed % len(INTERVALS_S)]
    try:
        plain = replay(workload, cluster, Scheduler(policy, discipline), interval_s=interval_s, seed=5)
        quick = plain
        if not plain_only:
            quick = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5)
    except Exception as error:  # the tool goes on, whatever is wrong
        return [f"fails: {type(error).__name__}: {one_line(str(error))}"]
    found = [f"compiled and plain differ: {name}" for name in _differences(plain, quick)]
    found += [f"broken: {fault}" for fault in violations(workload, cluster, quick)]
    found += _unaccounted(workload, quick)
    return found + _late(cell, workload, cluster, policy, discipline, interval_s)


def _differences(plain: Schedule, quick: Schedule) -> Iterator[str]:
    """What is not equal to the bit."""
    columns: list[tuple[str, Any, Any]] = [
        (name, getattr(plain.cycles, name), getattr(quick.cycles, name))
        for name in ("time_s", "queue_length", "started", "winners")
    ]
    columns += [(name, getattr(plain, name), getattr(quick, name)) for name in ("start_s", "host", "end_s", "status")]
    if plain.segments is not None and quick.segments is not None:
        columns += [(name, value, getattr(quick.segments, name)) for name, value in vars(plain.segments).items()]
    elif plain.segments is not quick.segments:
        yield "segments"
    if plain.cycles.choices is not None and quick.cycles.choices is not None:
        columns.append(("chosen", plain.cycles.choices.chosen, quick.cycles.choices.chosen))
    for name, one, other in columns:
        if one is None or other is None:
            same = one is other
        else:
            same = np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        if not same:
            yield name


def _unaccounted(workload: Workload, schedule: Schedule) -> list[str]:
    """Who started, was stopped by nobody for good, and yet did not do its work; work at other speeds aside."""
    if schedule.end_s is None:
        return []
    host_time_s = schedule.ran_s(workload)
    whole = schedule.started & (np.full(workload.jobs, True) if schedule.status is None else schedule.status < 0)
    short = whole & (host_time_s < workload.runtime_s / 2.0 - 1e-6)  # the fastest host of `bound_jobs` has speed 2
    return [f"unaccounted: job {job} ran {host_time_s[job]:g} s of its work" for job in np.flatnonzero(short)[:1]]


def _late(
    cell: Combination,
    workload: Workload,
    cluster: Cluster,
    policy: AnyPolicy,
    discipline: Discipline,
    interval_s: float,
) -> list[str]:
    """Promises that are broken though nobody outlives its estimate."""
    backfilling = discipline.backfilling
    by_head = backfilling == Easy()
    stands = type(backfilling) is Conservative and backfilling.early_end != "replan"
    if not KEEP_PROMISES.issuperset(cell.kinds) or not (by_head or stands):
        return []
    exact = replace(workload, estimate_s=workload.runtime_s)
    listening = Listening(policy, discipline)
    replay(exact, cluster, listening, interval_s=interval_s, seed=5)
    broken = broken_by_easy if by_head else broken_by_conservative
    return [f"late: {fault}" for fault in broken(listening.passes, interval_s)][:1]


def _cells(asked: argparse.Namespace) -> Iterator[Combination]:
    yield from (Combination(*each) for each in product(asked.disciplines, asked.policies, asked.kinds, asked.seeds))


def _arguments() -> argparse.Namespace:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--disciplines", type=_specs, help="ORDER+BACKFILLING,...; every pair of all that is registered"
    )
    parser.add_argument("--policies", type=_specs, default=list(POLICIES), help="placement policies and meta-rules")
    parser.add_argument("--kinds", help="sets of constraints, such as none,partition,limits+depends")
    parser.add_argument("--together", type=int, default=2, help="sets of up to so many of all kinds (2)")
    parser.add_argument("--seeds", type=_seeds, default=[0], help="a seed, or FROM:TO (0)")
    parser.add_argument("--most-jobs", type=int, default=13, help="a log has 4 to so many jobs (13)")
    parser.add_argument("--slice", type=_slice, default=(1, 1), help="PART/PARTS (1/1)")
    parser.add_argument("--shuffle", type=int, default=0, help="seed of the order in which they are gone through (0)")
    parser.add_argument("--plain", action="store_true", help="the plain engine alone: nothing is compiled")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    asked = parser.parse_args()
    orders = [*ORDERS, *ORDERS_WITH_MEMORY]
    asked.disciplines = asked.disciplines or [f"{order}+{rule}" for order in orders for rule in BACKFILLINGS]
    if asked.kinds is None:
        asked.kinds = [each for many in range(asked.together + 1) for each in combinations(KINDS, many)]
    else:
        asked.kinds = [() if each == "none" else tuple(each.split("+")) for each in asked.kinds.split(",")]
    unknown = {kind for kinds in asked.kinds for kind in kinds} - set(KINDS)
    if unknown:
        parser.error(f"no such kind of constraint: {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    return asked


def _specs(text: str) -> Sequence[str]:
    from loadmaster.rules.part import split_specs

    return split_specs(text)


def _seeds(text: str) -> list[int]:
    first, colon, end = text.partition(":")
    return list(range(int(first), int(end))) if colon else [int(first)]


def _slice(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not 1 <= int(part) <= int(parts):
        raise argparse.ArgumentTypeError("PART/PARTS, such as 2/8")
    return int(part), int(parts)


if __name__ == "__main__":
    sys.exit(main())
