"""The claims of Amir et al. 2000 beside our numbers."""

import numpy as np

from loadmaster.measure.interval import bootstrap_interval, show_interval
from loadmaster.model.arrays import Floats
from loadmaster.papers.amir2000 import published as paper
from loadmaster.papers.amir2000.study import Outcome, Setup
from loadmaster.papers.claim import Claim, Verdict


def table_1(setup: Setup, outcome: Outcome) -> list[Claim]:
    """Average slowdowns, by job and by execution."""
    claims = []
    for m, name in enumerate(paper.METHODS):
        mean = outcome.by_execution[:, m]
        claims.append(
            Claim(
                "Table 1", f"average slowdown by execution, {paper.NAMES[name]}", f"{paper.BY_EXECUTION[name]:.2f}",
                show_interval(mean), "report only", n=len(mean),
                note=f"median over executions {np.median(mean):.2f}",
            )
        )  # fmt: skip
    for m, name in enumerate(paper.METHODS):
        claims.append(
            Claim(
                "Table 1", f"average slowdown by job, {paper.NAMES[name]}", f"{paper.BY_JOB[name]:.2f}",
                f"{outcome.by_job[m]:.2f}", "report only", n=int(outcome.jobs.sum()),
            )
        )  # fmt: skip
    return claims


def orderings(setup: Setup, outcome: Outcome) -> list[Claim]:
    """Who is better than whom: gates on the paired difference, and the part of the executions."""
    pvm, e_pvm, mosix, e_mosix = (outcome.by_execution[:, setup.methods.index(name)] for name in paper.METHODS)
    n = len(pvm)
    better = float((e_pvm < pvm).mean())
    never_worse = float((e_mosix < e_pvm).mean())
    slope = np.polyfit(mosix, mosix - e_mosix, 1)[0]
    order = np.random.default_rng(0).integers(0, n, (500, n))
    slopes = [np.polyfit(mosix[rows], (mosix - e_mosix)[rows], 1)[0] for rows in order]
    low, high = np.quantile(slopes, [0.025, 0.975])
    return [
        _ordinal("Table 1, Figure 1", "Enhanced PVM does much better than PVM", pvm - e_pvm, "14.33 > 9.79"),
        Claim(
            "Figure 1", "in almost every circumstance", "almost every", f"{better:.1%} of executions",
            "holds" if better >= 0.89 else "differs", "at least 89 % of executions", n,
        ),
        _ordinal("Table 1, Figure 3", "Enhanced PVM, which never moves, is behind Mosix", e_pvm - mosix, "9.79 > 8.56"),
        _ordinal("Table 1, Figure 4", "Enhanced Mosix does better than Enhanced PVM", e_pvm - e_mosix, "9.79 > 7.48"),
        Claim(
            "Figure 4", "Enhanced Mosix outperforms Enhanced PVM in all of the cases", "100 %", f"{never_worse:.1%}",
            "report only", n=n, note="not in all of ours: a cheap place now can be a bad place later",
        ),
        Claim(
            "Table 1, Figure 2", "Enhanced Mosix does better than Mosix", "8.56 > 7.48 (ratio 1.144)",
            f"difference {show_interval(mosix - e_mosix)}, ratio {mosix.mean() / e_mosix.mean():.3f}, "
            f"better in {float((e_mosix < mosix).mean()):.0%}",
            "report only", n=n,
            note="not robust: it hangs on the machines and on how strong the undocumented Mosix is; see the tables",
        ),
        Claim(
            "Figure 2", "the larger Mosix's slowdown, the larger Enhanced Mosix's gain", "positive slope",
            f"slope {slope:.3f} [{low:.3f}, {high:.3f}]", "report only", n=n,
        ),
    ]  # fmt: skip


def ratios(setup: Setup, outcome: Outcome) -> list[Claim]:
    """Table 3, from our Table 1; and the arithmetic of the published tables."""
    claims = []
    for printed, ours, how in (
        (paper.RATIOS_BY_JOB, outcome.by_job, "by job"),
        (paper.RATIOS_BY_EXECUTION, outcome.by_execution.mean(axis=0), "by execution"),
    ):
        for value, (a, b) in zip(printed, paper.RATIOS, strict=True):
            ratio = ours[setup.methods.index(a)] / ours[setup.methods.index(b)]
            claims.append(
                Claim(
                    "Table 3", f"{paper.NAMES[a]} over {paper.NAMES[b]}, {how}", f"{value:.4f}", f"{ratio:.4f}",
                    "report only", n=len(outcome.jobs),
                )
            )  # fmt: skip
    return claims


def errata() -> list[Claim]:
    """What the published tables say of each other; nothing simulated."""
    digit = paper.BY_JOB["e-pvm"] / paper.BY_JOB["mosix"]
    printed = paper.REAL_BY_JOB["pvm"] / paper.REAL_BY_JOB["mosix"]
    swapped = paper.REAL_BY_JOB["pvm"] / paper.REAL_BY_EXECUTION["mosix"]
    fits = abs(swapped - paper.REAL_RATIOS_BY_JOB[0]) < 1e-5
    return [
        Claim(
            "Table 3", "Enhanced PVM over Mosix by job, from Table 1", "1.13859", f"{digit:.6f}",
            "holds" if abs(digit - 1.13859) < 1e-5 else "differs", "equal to 5 digits", 1, "a digit was lost in print",
        ),
        Claim(
            "Table 2", "PVM over Mosix by job, from Table 2 as printed", f"{paper.REAL_RATIOS_BY_JOB[0]:.6f}",
            f"{printed:.6f}", "holds" if abs(printed - paper.REAL_RATIOS_BY_JOB[0]) < 1e-5 else "differs",
            "equal to 5 digits", 1,
            f"with the two entries of Mosix exchanged it is {swapped:.6f}" + (": they are swapped" if fits else ""),
        ),
        Claim(
            "Tables 2 and 3, Figures 5 and 6", "slowdowns on the real cluster", "19.8, 12.3, 8.5", "",
            "not measured", note="needs machines whose hosts share their CPU among the jobs of a live engine",
        ),
    ]  # fmt: skip


def unknown_needs(setup: Setup, outcome: Outcome) -> list[Claim]:
    """How much of Enhanced PVM's gain is left when memory needs are not told (D-PVM)."""
    pvm, e_pvm, d_pvm = (outcome.by_execution[:, setup.methods.index(name)] for name in ("pvm", "e-pvm", "d-pvm"))
    kept = float((pvm - d_pvm).mean() / (pvm - e_pvm).mean())
    return [
        Claim(
            "authors' later slides", "D-PVM, not told the needs, keeps most of Enhanced PVM's gain over PVM",
            "75 % (14.08, 10.7, 9.6)", f"{kept:.0%} ({pvm.mean():.2f}, {d_pvm.mean():.2f}, {e_pvm.mean():.2f})",
            "holds" if kept >= 0.5 else "differs", "at least 50 %", len(pvm),
        )
    ]  # fmt: skip


def _ordinal(where: str, claim: str, difference: Floats, published: str) -> Claim:
    low, _ = bootstrap_interval(difference)
    verdict: Verdict = "holds" if low > 0 else "differs"
    return Claim(
        where, claim, published, f"difference {show_interval(difference)}", verdict,
        "the paired difference is positive and its interval excludes 0", len(difference),
    )  # fmt: skip
