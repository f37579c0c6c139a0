"""The paper's claims, with the bands they are held to."""

from dataclasses import replace

import numpy as np

from loadmaster.papers.claim import Claim, Verdict
from loadmaster.papers.silva2008.study import AGGRESSIVE, CONSERVATIVE, Cells, Paired
from loadmaster.sim.bag import repeat
from loadmaster.size import FixedHosts
from loadmaster.size.silva import periodic_average, periodic_average_as_printed


def figure_1() -> list[Claim]:
    """300 tasks of 5 minutes, charged by the hour."""
    bag = np.full((1, 300), 300.0)
    found = {n: repeat(bag, FixedHosts(n)) for n in (25, 300)}
    rows = []
    for hosts, cost, speedup in ((25, 25.0, 25.0), (300, 300.0, 300.0)):
        ours = (float(found[hosts].cost[0]), float(found[hosts].speedup[0]))
        claim = f"{hosts} machines for 300 tasks of 5 min: hours charged, speedup"
        rows.append(
            Claim(
                "Figure 1",
                claim,
                f"{cost:g}, {speedup:g}",
                f"{ours[0]:g}, {ours[1]:g}",
                _held(np.allclose(ours, (cost, speedup), rtol=1e-9, atol=0.0)),
                "exact",
                1,
            )
        )
    return rows


def optimum(name: str, cells: Cells, gated: bool) -> Claim:
    """How far from the best number of machines."""
    runs = cells[CONSERVATIVE]
    ratio = runs.hosts / (runs.work_s / 3600)
    ours = f"{100 * (ratio.mean() - 1):+.1f} % of work/hour, mean {runs.hosts.mean():.2f} machines"
    verdict: Verdict = _held(ratio.mean() <= 1.17) if gated else "report only"
    return Claim(
        f"Figures 5, 6 ({name})", "machines at most 12 % from the best number, with suitable ratios", "12 %", ours,
        verdict, "mean within +17 % of work/hour" if gated else "", len(ratio),
        "The best whole number is the next above work/hour, so 12 % of it is 16 % of work/hour.",
    )  # fmt: skip


def full_creation(name: str, cells: Cells, note: str) -> Claim:
    """With c = 1 the numbers vary widely."""
    whole, damped = cells[1.0, 0.0], cells[CONSERVATIVE]  # a ratio of 1 cannot increase
    wide, narrow = whole.hosts.std(), damped.hosts.std()
    return Claim(
        f"Figures 5, 6 ({name})", "creation ratio 1: machines and span deviate much", "much",
        f"machines sd {wide:.2f} against {narrow:.2f} at (0.5, 0.5), most {whole.hosts.max()}; "
        f"span sd {whole.span_s.std() / 60:.1f} against {damped.span_s.std() / 60:.1f} min",
        _held(wide >= 2 * narrow), "sd of machines at least twice", len(damped.hosts), note,
    )  # fmt: skip


def increase_ratio(name: str, cells: Cells) -> Claim:
    """With c = 0, a higher increase ratio shortens the span and rents more."""
    low, high = cells[0.0, 0.0], cells[0.0, 0.75]
    holds = (
        high.span_s.mean() < low.span_s.mean()
        and high.hosts.mean() > low.hosts.mean()
        and high.hosts.std() > low.hosts.std()
    )
    ours = (
        f"span {low.span_s.mean() / 60:.1f} to {high.span_s.mean() / 60:.1f} min, machines {low.hosts.mean():.2f} to "
        f"{high.hosts.mean():.2f}, sd {low.hosts.std():.2f} to {high.hosts.std():.2f}"
    )
    return Claim(
        f"Figures 5, 6 ({name})", "creation ratio 0, increase ratio up: shorter span, more machines, more deviation",
        "all three", ours, _held(holds), "order of means and sd, increase ratio 0 and 0.75", len(low.hosts),
        "With an increase ratio of 1 the creation ratio becomes 1 at once and the extra machine goes.",
    )  # fmt: skip


def other_reading(name: str, cells: Cells) -> Claim:
    """The same on cells whose creation ratio grew after every result, as the prose has it and the pseudo-code not."""
    found = increase_ratio(name, cells)
    shows = "shows" if found.verdict == "holds" else "does not show"
    return replace(
        found, claim=f"{found.claim}; read with the prose, the ratio growing after every result",
        verdict="report only", gate="",
        note=f"This reading {shows} all three. Elsewhere it grows with new machines only, as in the pseudo-code.",
    )  # fmt: skip


def thirteen(name: str, cells: Cells, gated: bool) -> Claim:
    """13 machines give a speedup of 11 to 12."""
    runs = cells[CONSERVATIVE]
    of = runs.speedup[runs.hosts == 13]
    shown = f"{of.mean():.2f} ({of.min():.1f} to {of.max():.1f}, {len(of)} runs)" if len(of) else "no run with 13"
    ratio = float((runs.speedup / runs.hosts).mean())
    return Claim(
        f"Figure 7 ({name})", "runs with 13 machines have speedups of 11 to 12", "11 to 12",
        f"{shown}; speedup per machine {ratio:.2f}", _held(ratio >= 0.85) if gated else "report only",
        "speedup per machine at least 0.85" if gated else "", len(runs.hosts),
    )  # fmt: skip


def behaviours(name: str, cells: Cells, render: bool) -> list[Claim]:
    """Conservative against aggressive."""
    calm, bold = cells[CONSERVATIVE], cells[AGGRESSIVE]
    ranges = f"[{calm.hosts.min()}, {calm.hosts.max()}] and [{bold.hosts.min()}, {bold.hosts.max()}]"
    wider = np.ptp(bold.hosts) > np.ptp(calm.hosts)
    rows = [
        Claim(
            f"Figure 7 ({name})", "machines, conservative and aggressive: the range is wider when aggressive" if render
            else "machines, conservative and aggressive: no noticeable difference",
            "", ranges, _held(bool(wider)) if render else _held(abs(calm.hosts.mean() - bold.hosts.mean()) < 0.5),
            "order of the ranges" if render else "means within 0.5", len(calm.hosts),
        ),
        Claim(
            f"Figure 7 ({name})", "the least number of machines, and speedup, is the same for both behaviours", "equal",
            f"{calm.hosts.min()} and {bold.hosts.min()}; speedup {calm.speedup.min():.2f} and {bold.speedup.min():.2f}",
            _held(max(abs(calm.hosts.min() - bold.hosts.min()), abs(calm.speedup.min() - bold.speedup.min())) <= 1),
            "each within 1", len(calm.hosts),
        ),
    ]  # fmt: skip
    if render:
        least = calm.work_s.mean() / 3600
        ours = f"{bold.hosts.max() / least:.2f} times work/hour"
        rows.append(
            Claim(f"Figure 7 ({name})", "aggressive: up to twice the least number", "about 2", ours, "report only")
        )
    return rows


def errata() -> list[Claim]:
    """What is wrong in print."""
    right, printed = periodic_average(1000, 10, 1000, 5), periodic_average_as_printed(1000, 10, 1000, 5)
    return [
        Claim(
            "Figure 3b, lines 8 and 9", "mean of 10 finished tasks of 100 s and 5 running for 200 s", f"{printed:g} s",
            f"{right:.1f} s", "differs", "", 1,
            "As printed, two means are added and divided by a count; the rule could then never rent. Ours is right.",
        )
    ]  # fmt: skip


def better(found: Paired) -> Claim:
    """The planner against the paper's rule."""
    cost, span = found.cost, tuple(second / 60 for second in found.span_s)
    ours = f"cost {cost[0]:+.2f} [{cost[1]:+.2f}, {cost[2]:+.2f}], "
    ours += f"span {span[0]:+.1f} [{span[1]:+.1f}, {span[2]:+.1f}] min, "
    both, low, high = (100 * np.expm1(value) for value in found.both)
    ours += f"cost x span {both:+.1f} % [{low:+.1f}, {high:+.1f}]"
    return Claim(
        f"beyond the paper ({found.workload})", "planner less the paper's rule, both not knowing the durations",
        f"{found.paper_cost:.2f} h, {found.paper_span_s / 60:.1f} min", f"{ours}: {found.verdict}", "report only", "",
        found.n, "Paired over the same bags, 95 % bootstrap intervals; below zero is better. "
        "Renting more machines makes a bag dearer and faster; cost x span shows what is won beyond that.",
    )  # fmt: skip


def _held(holds: bool | np.bool_) -> Verdict:
    return "holds" if holds else "differs"
