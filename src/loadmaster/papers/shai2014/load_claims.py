"""The claims on the load experiment beside our numbers (Shai 2014, section 6, Figures 6.1 to 6.3)."""

from collections.abc import Mapping

import numpy as np

from loadmaster.papers.claim import Claim, Verdict
from loadmaster.papers.shai2014.interval import Estimate, estimate, reduction
from loadmaster.papers.shai2014.loads import METRICS, Curves, compared
from loadmaster.papers.shai2014.published import (
    HEURISTICS,
    MAX,
    MAX_JOBS_REDUCTION,
    MIX,
    NAMES,
    POLICIES,
    REDUCTIONS,
    SINGLE,
)
from loadmaster.report.page import Table

FIGURES = dict(zip(METRICS, ("Figure 6.1", "Figure 6.2", "Figure 6.3"), strict=True))
NEAR = 1.05
"""Max-Jobs may wait so many times as long as the best single heuristic (rule Q10)."""
_OTHER_LOG = "published for Intel's log of this pool; ours is a synthetic one with assumed memory and hosts"


def load_claims(pools: Mapping[str, Curves], logs: Mapping[str, Curves]) -> list[Claim]:
    """All claims: on the pools, and on real logs where there are any."""
    everything = {**pools, **logs}
    claims = []
    for curves in everything.values():
        claims += _mix_fit(curves)
    claims.append(_near_best(everything))
    claims += [_strictly_better(pools["B"]), _up_to(everything)] if "B" in pools else [_up_to(everything)]
    claims += [_order(curves) for curves in everything.values()]
    claims += [_first_fit(curves) for curves in everything.values()]
    claims += [_unloaded(pools)] if pools else []
    return [*claims, *_little(everything)]


def _mix_fit(curves: Curves) -> list[Claim]:
    """By how much Mix-Fit lowers each metric at the highest load; gated for pool A only."""
    claims = []
    gated = curves.name == "A"
    for metric in METRICS:
        name, best, mean = compared(curves, 0, metric)
        ours = curves.of(MIX, metric)[:, 0]
        against_mean, against_best = reduction(ours, mean), reduction(ours, best)
        verdict: Verdict = against_mean.above if gated else "report only"
        claims.append(
            Claim(
                FIGURES[metric],
                f"{curves.label}, highest load: Mix-Fit lowers mean {metric} against the single-resource heuristics",
                f"{REDUCTIONS[metric]:.0%}" if gated else "",
                f"by {against_mean.percent()} against their mean, {against_best.percent()} against {NAMES[name]}, "
                "the best of them",
                verdict,
                "the reduction against their mean is positive and its interval excludes 0" if gated else "",
                len(ours),
                _OTHER_LOG + "; believe the published one for that log" if verdict == "differs" else "",
            )
        )  # fmt: skip
    return claims


def _near_best(everything: Mapping[str, Curves]) -> Claim:
    """Max-Jobs against the best single heuristic (Mix-Fit included) in every pool at every load."""
    worst, where, low, high = 0.0, "", 0.0, 0.0
    beyond = []
    cells = 0
    for curves in everything.values():
        for level, load in enumerate(curves.loads):
            waits = [curves.of(name)[:, level] for name in HEURISTICS]
            best = min(waits, key=lambda values: float(values.mean()))
            less = reduction(curves.of(MAX)[:, level], best)
            ratio = 1.0 - less.mean
            cells += 1
            if ratio > NEAR:
                beyond.append(f"{curves.label} at {load:.2f}: {ratio:.3f} [{1 - less.high:.3f}, {1 - less.low:.3f}]")
            if ratio > worst:
                worst, where, low, high = ratio, f"{curves.label}, load {load:.2f}", 1 - less.high, 1 - less.low
    note = "" if not beyond else (
        "beyond: " + "; ".join(beyond) + ". Starting the most jobs now is greedy: it prefers small jobs and can leave "
        "hosts worse filled for the next cycle, as the thesis itself says of pool A"
    )  # fmt: skip
    return Claim(
        FIGURES["wait"], "Max-Jobs is the best or near the best in all pools at all loads", "best or slightly worse",
        f"at worst {worst:.3f} [{low:.3f}, {high:.3f}] times the best heuristic's mean wait ({where}); "
        f"within {NEAR} in {cells - len(beyond)} of {cells}",
        "differs" if beyond else "holds", f"at most {NEAR} times the best of the five, everywhere", cells, note,
    )  # fmt: skip


def _strictly_better(curves: Curves) -> Claim:
    waits = {name: curves.of(name)[:, 0] for name in HEURISTICS}
    best = min(waits, key=lambda name: float(waits[name].mean()))
    less = reduction(curves.of(MAX)[:, 0], waits[best])
    return Claim(
        FIGURES["wait"], "pool B: Max-Jobs is better than each heuristic that it employs", "better",
        f"mean wait {less.percent()} below {NAMES[best]} at the highest load", less.above,
        "the reduction is positive and its interval excludes 0", curves.of(MAX).shape[0],
        "" if less.low > 0 else _OTHER_LOG,
    )  # fmt: skip


def _up_to(everything: Mapping[str, Curves]) -> Claim:
    """The largest reduction of Max-Jobs against the mean of the single-resource heuristics, and against the worst."""
    found = []
    for curves in everything.values():
        for level, load in enumerate(curves.loads):
            ours, (_, _, mean) = curves.of(MAX)[:, level], compared(curves, level)
            if mean.mean() < 30.0:
                continue  # waits of less than a cycle say nothing
            singles = [curves.of(name)[:, level] for name in SINGLE]
            worst = max(singles, key=lambda values: float(values.mean()))
            found.append((reduction(ours, mean), reduction(ours, worst), f"{curves.label}, load {load:.2f}"))
    if not found:
        return Claim("abstract", "Max-Jobs lowers the mean wait", f"up to {MAX_JOBS_REDUCTION:.0%}", "", "not measured")
    most = max(found, key=lambda row: row[0].mean)
    return Claim(
        "abstract", "Max-Jobs lowers the mean wait against the single-resource heuristics",
        f"up to {MAX_JOBS_REDUCTION:.0%}",
        f"up to {most[0].percent()} against their mean, {most[1].percent()} against the worst ({most[2]})",
        "report only", n=len(found), note="against which heuristic the thesis measured is not said",
    )  # fmt: skip


def _order(curves: Curves) -> Claim:
    """Who is ahead at the highest load and in the middle; published words beside it."""
    published = {
        "A": "Mix-Fit, then Best-Fit-Memory; Worse-Fit-Cores poor", "C": "all essentially the same",
        "B": "Best-Fit-Memory slightly before Mix-Fit at middle loads; Worse-Fit-Cores poor",
        "D": "Mix-Fit as Worse-Fit-Cores; Best-Fit-Memory poor",
    }  # fmt: skip
    parts = []
    for level in sorted({0, len(curves.loads) // 2}):
        means = curves.values["wait"][:, level].mean(axis=0)
        order = np.argsort(means)
        shown = ", ".join(f"{NAMES[POLICIES[p]]} {means[p]:,.0f} s" for p in order)
        parts.append(f"load {curves.loads[level]:.2f}: {shown}")
    return Claim(
        FIGURES["wait"], f"{curves.label}: order of the policies by mean wait", published.get(curves.name, ""),
        "; ".join(parts), "report only", n=curves.of(MIX).shape[0],
    )  # fmt: skip


def _first_fit(curves: Curves) -> Claim:
    name, best, _ = compared(curves)
    ours = curves.first_fit["wait"]
    less = reduction(ours, best)
    more = Estimate(-less.mean, -less.high, -less.low)
    return Claim(
        "section 3", f"{curves.label}, highest load: First-Fit performs poorly", "poor",
        f"mean wait {more.percent()} above {NAMES[name]}, "
        "the best single-resource heuristic", "report only", n=len(ours),
    )  # fmt: skip


def _unloaded(pools: Mapping[str, Curves]) -> Claim:
    """At the log's own arrivals all heuristics do the same."""
    spreads = {}
    for pool, curves in pools.items():
        means = curves.values["wait"][:, -1].mean(axis=0)
        spreads[pool] = float(means.max() / means.min() - 1.0)
    shown = ", ".join(f"{pool} {spread:.1%}" for pool, spread in spreads.items())
    load = next(iter(pools.values())).loads[-1]
    same = max(spreads.values()) <= 0.05
    return Claim(
        "section 6", "with the arrivals of the logs themselves all heuristics perform the same", "the same",
        f"largest mean wait over smallest, at load {load:.2f}: {shown}", "holds" if same else "differs",
        "within 5 % in every pool", len(pools),
        "" if same else "our lowest load is a guess: the loads of the logs are not published",
    )  # fmt: skip


def _little(everything: Mapping[str, Curves]) -> list[Claim]:
    """The same reduction of wait and of queue, and Little's law on every run."""
    apart = 0.0
    for curves in everything.values():
        _, _, wait = compared(curves, 0, "wait")
        _, _, queue = compared(curves, 0, "queue")
        a = reduction(curves.of(MIX, "wait")[:, 0], wait)
        b = reduction(curves.of(MIX, "queue")[:, 0], queue)
        apart = max(apart, abs(a.mean - b.mean))
    worst = max(curves.little for curves in everything.values())
    runs = sum(curves.values["wait"].size + len(curves.first_fit["wait"]) for curves in everything.values())
    return [
        Claim(
            "Figures 6.1 and 6.3", "Mix-Fit's reductions of wait and of queue are equal", "22 % and 22 %",
            f"at most {100 * apart:.2f} points apart", "holds" if apart <= 0.01 else "differs", "within 1 point",
            len(everything), "" if apart <= 0.01 else
            "mean queue = rate x mean wait; the rate is over the time until the last job ends, which policies shift",
        ),
        Claim(
            "Figures 6.1 and 6.3", "Little's law: the queue as counted is arrival rate x mean wait", "",
            f"largest relative difference {worst:.1e}", "holds" if worst <= 0.01 else "differs", "at most 1 %", runs,
        ),
    ]  # fmt: skip


def richer_table(main: Mapping[str, Curves], richer: Mapping[str, Curves], gib: float) -> Table:
    """Mean wait at the highest load with the hosts' memory as assumed and with more."""
    rows = []
    for pool in richer:
        for memory, curves in ((4.0, main[pool]), (gib, richer[pool])):
            less = reduction(curves.of(MIX)[:, 0], compared(curves)[2])
            waits = [estimate(curves.of(name)[:, 0]) for name in POLICIES]
            cells = [f"{wait.mean:,.0f} [{wait.low:,.0f}, {wait.high:,.0f}]" for wait in waits]
            rows.append((f"{pool}, {memory:g} GiB a core", f"{curves.core_loads[0]:.2f}", *cells, less.percent()))
    columns = ("synthetic pool", "load on cores", *(NAMES[name] for name in POLICIES), "Mix-Fit below the four")
    return Table(columns, rows, "Mean wait in seconds at the highest load, with 95 % intervals over streams")
