"""The claims of Casanova et al. 2008 on the MCB variants, the small instances, and the examples of the text."""

import numpy as np

from loadmaster.move.rotation import best_rotation, mean_yields
from loadmaster.packing import Instance, pack
from loadmaster.papers.casanova2008.number_claims import ahead, count, falls, ordering, over
from loadmaster.papers.casanova2008.outcome import StudyPart, degradations
from loadmaster.papers.casanova2008.published import FIGURE_7, TABLE_1, Degradation
from loadmaster.papers.claim import Claim, Verdict, all_of, equals, meets
from loadmaster.papers.estimate import mean_of, resampled

FULL_SMALL = 1440
FASTEST_MS = 5.0
"""MCB8 takes no longer on a small instance."""


def tables(outcomes: dict[str, StudyPart]) -> list[Claim]:
    """Table 1 and Figure 7."""
    return [
        *degradation_table("Table 1", outcomes["small"], TABLE_1),
        largest_degradation(outcomes["small"]),
        *degradation_table("Fig. 7", outcomes["large"], FIGURE_7),
        descending("Figs 2, 4", outcomes["small"]),
    ]


def degradation_table(where: str, outcome: StudyPart, published: dict[str, Degradation]) -> list[Claim]:
    """Mean and largest percent degradation from the best of the eight, a row an algorithm."""
    claims = []
    for name, value in published.items():
        loss, largest = degradations(outcome, name)
        mean = mean_of(loss)
        claims.append(
            Claim(
                where,
                f"{name.upper()}: mean degradation from the best MCB, % (largest)",
                f"{value.mean} ({value.largest})",
                f"{mean.show()} ({largest:.2f})",
                meets(mean, value.mean - value.band, value.mean + value.band),
                f"interval of the mean meets {value.mean} +- {value.band}; largest reported only",
                mean.n,
                "a failure counts as 100 % in the mean and not in the largest",
            )
        )
    return claims


def largest_degradation(outcome: StudyPart) -> Claim:
    """Whatever key an MCB sorts by, on no small instance that it solves does it lose more than 60 percent."""
    largest = {name: degradations(outcome, name)[1] for name in TABLE_1}
    worst = max(largest, key=lambda name: largest[name])
    printed = max(TABLE_1, key=lambda name: TABLE_1[name].largest)
    few: Verdict = "report only" if outcome.n < FULL_SMALL else "holds"
    return Claim(
        "Table 1",
        "largest degradation of any MCB on any instance it solves, %",
        f"{TABLE_1[printed].largest} ({printed.upper()})",
        f"{largest[worst]:.2f} ({worst.upper()})",
        "differs" if largest[worst] > 60 else few,
        f"at most 60 on all {FULL_SMALL:,} instances",
        outcome.n,
        "a single instance decides, so that it has no interval; MCB8's rank among the maxima is reported only",
    )


def descending(where: str, outcome: StudyPart) -> Claim:
    """The four descending keys beat the four ascending ones, in yield and in failures."""
    level = np.stack([outcome.level[f"mcb{k}"] for k in range(1, 9)], axis=1)
    means = np.nanmean(level, axis=0)
    fails = np.isnan(level).sum(axis=0)
    better = resampled(lambda a: np.nanmean(a[:, 4:], axis=0).min() - np.nanmean(a[:, :4], axis=0).max(), level)
    safer = resampled(lambda a: np.isnan(a[:, :4]).mean(axis=0).min() - np.isnan(a[:, 4:]).mean(axis=0).max(), level)
    return ordering(
        where,
        "MCB5 to 8 beat MCB1 to 4 (mean minimum yield; failures)",
        [better, safer],
        f"{means[4:].min():.3f} or more against {means[:4].max():.3f} or less, by {better.show(3)}; "
        f"{fails[4:].max()} or fewer failures against {fails[:4].min()} or more",
    )


def small(outcome: StudyPart) -> list[Claim]:
    """Section 4.2.2: 1,440 instances on 4 hosts, all solved exactly."""
    feasible = outcome.solved("milp")
    claims = [count("p. 15", "infeasible instances", 60, ~feasible, 40, 80, FULL_SMALL)]
    loss, _ = degradations(outcome, "mcb8")
    for percent, published, low, high in ((3, 155, 120, 190), (10, 19, 7, 31)):
        lost = np.zeros(outcome.n, bool)
        lost[: len(loss)] = (loss > percent) & (loss < 100)
        text = f"instances where MCB8 loses more than {percent} %"
        claims.append(count("p. 12", text, published, lost, low, high, FULL_SMALL))
    for name, published, low, high in (("gb", 0, 0, 4), ("sgb", 0, 0, 4), ("mcb8", 1, 0, 6), ("sg", 15, 5, 25)):
        failed = feasible & ~outcome.solved(name)
        text = f"feasible instances that {name.upper()} fails"
        claims.append(count("p. 15", text, published, failed, low, high, FULL_SMALL))
    fails = {name: (~outcome.solved(name)).astype(float) for name in ("rrnd", "gr", "rrnz")}
    claims.append(
        ordering(
            "Fig. 13",
            "RRND fails most, then GR, then RRNZ",
            [mean_of(fails["rrnd"] - fails["gr"]), mean_of(fails["gr"] - fails["rrnz"])],
            ", ".join(f"{name.upper()} {int(rows.sum())}" for name, rows in fails.items()),
            "RRND and RRNZ depend on the vertex the LP solver returns",
        )
    )
    bound, best = np.where(feasible, outcome.bound, np.nan), outcome.level["milp"]
    claims.append(over("Fig. 11", "LP bound above the optimum, %", "about 4", bound, best, (2, 6)))
    claims.append(over("Fig. 11", "optimum above MCB8, %", "about 2", best, outcome.level["mcb8"], (1, 4)))
    for name in ("gr", "sg", "gb", "sgb"):
        text = f"optimum above {name.upper()}, %"
        claims.append(over("Fig. 11", text, "11 to 13", best, outcome.level[name], (9, 15)))
    return [*claims, *_rounding(outcome), *_run_times(outcome)]


def _rounding(outcome: StudyPart) -> list[Claim]:
    worse, shown = [], []
    for name in ("rrnd", "rrnz"):
        drops = [falls(outcome.level[name], outcome.slack, *pair) for pair in ((0.2, 0.5), (0.5, 0.9))]
        worse += drops
        shown.append(f"{name.upper()} " + ", then ".join(drop.show(3) for drop in drops))
    zero = ahead(outcome.level["rrnz"], outcome.level["rrnd"])
    return [
        ordering(
            "Fig. 11",
            "RRND and RRNZ get worse beyond slack 0.2 (mean minimum yield lost from 0.2 to 0.5 to 0.9)",
            worse,
            "; ".join(shown),
        ),
        ordering("Fig. 11", "RRNZ is slightly better than RRND in minimum yield", [zero], f"by {zero.show(3)}"),
    ]


def _run_times(outcome: StudyPart) -> list[Claim]:
    exact = outcome.seconds["milp"]
    mcb8 = resampled(np.median, outcome.seconds["mcb8"]).times(1e3)
    what = "CPU time of one call, all of it compiled before: without reading, the second phase, or compiling"
    return [
        Claim(
            "Fig. 14",
            "run times of the exact solution: mean and worst, s",
            "28.7; 11,549.29",
            f"{exact.mean():.5f}; {exact.max():.3f}",
            "report only",
            n=outcome.n,
            note=f"GLPK on a 3.2 GHz Xeon there; our branch and bound here. {what}",
        ),
        Claim(
            "Fig. 14",
            "run time of MCB8, ms",
            "under 0.15",
            f"median {mcb8.show()}",
            meets(mcb8, 0, FASTEST_MS),
            f"interval of the median meets 0 to {FASTEST_MS:g}",
            mcb8.n,
            what,
        ),
    ]


def other() -> list[Claim]:
    """Section 2.3's schedule, and section 7."""
    three = Instance.of(2, cpu=[0.6] * 3, memory=[0.1] * 3)
    still = pack(three, "exact").level
    half, share = np.array([0.5, 0.5]), np.array([[0.45, 0.55, 0.6], [0.6, 0.55, 0.45]])
    printed = float(mean_yields(three, half, share).min())
    best = best_rotation(three, [np.array([0, 0, 1]), np.array([0, 1, 1])]).level
    return [
        Claim(
            "p. 6",
            "three tasks of 0.6 on two hosts: without migration; the paper's schedule",
            "0.83; 0.87",
            f"{still:.6f}; {printed:.6f}",
            all_of([equals(still, 5 / 6, 1e-6), equals(printed, 0.875, 1e-6)]),
            "exact",
            1,
            f"the paper truncates 0.875, and its schedule is not the best: {best:.6f} (8/9) is",
        ),
    ]
