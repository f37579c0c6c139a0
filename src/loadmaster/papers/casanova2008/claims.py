"""The claims of Casanova et al. 2008 beside our numbers."""

import numpy as np

from loadmaster.measure.interval import show_interval
from loadmaster.model.arrays import Bools, Floats
from loadmaster.move.rotation import best_rotation, mean_yields
from loadmaster.pack import Instance, pack
from loadmaster.papers.casanova2008.outcome import Outcome, degradations, percent_below, percent_over
from loadmaster.papers.casanova2008.published import FIGURE_7, TABLE_1, Degradation
from loadmaster.papers.claim import Claim, Verdict

FULL_SMALL, FULL_LARGE = 1440, 10_800
PAIRED = "In brackets: both averaged over the same instances. The paper averages each algorithm over what it solved."


def judge(value: float, low: float, high: float, enough: bool = True) -> Verdict:
    """`holds` if value lies in [low, high]; `report only` on too small a sample."""
    if not enough:
        return "report only"
    return "holds" if low <= value <= high else "differs"


def degradation_table(where: str, outcome: Outcome, published: dict[str, Degradation], full: int) -> list[Claim]:
    """Mean and largest percent degradation from the best of the eight, a row an algorithm."""
    claims, enough = [], outcome.n >= full
    for name, value in published.items():
        loss, largest = degradations(outcome, name)
        mean = float(loss.mean())
        verdict = judge(mean, value.mean - value.band, value.mean + value.band, enough)
        claims.append(
            Claim(
                where,
                f"{name.upper()}: mean degradation from the best MCB, % (largest)",
                f"{value.mean} ({value.largest})",
                f"{show_interval(loss)} ({largest:.2f})",
                verdict,
                f"mean within {value.band}; largest reported only",
                len(loss),
                "a failure counts as 100 % in the mean and not in the largest",
            )
        )
    return claims


def largest_degradation(outcome: Outcome) -> Claim:
    """Whatever key an MCB sorts by, on no small instance that it solves does it lose more than 60 percent."""
    largest = {name: degradations(outcome, name)[1] for name in TABLE_1}
    worst = max(largest, key=lambda name: largest[name])
    printed = max(TABLE_1, key=lambda name: TABLE_1[name].largest)
    return Claim(
        "Table 1", "largest degradation of any MCB on any instance it solves, %",
        f"{TABLE_1[printed].largest} ({printed.upper()})", f"{largest[worst]:.2f} ({worst.upper()})",
        judge(largest[worst], 0, 60, outcome.n >= FULL_SMALL), "at most 60", outcome.n,
        "a single instance decides; MCB8's rank among the maxima is reported only",
    )  # fmt: skip


def small(outcome: Outcome) -> list[Claim]:
    """Section 4.2.2: 1,440 instances on 4 hosts, all solved exactly."""
    n, enough = outcome.n, outcome.n >= FULL_SMALL
    feasible = outcome.solved("milp")
    one = [
        count("p. 15", "infeasible instances", 60, int((~feasible).sum()), 40, 80, n, FULL_SMALL),
    ]
    loss, _ = degradations(outcome, "mcb8")
    solved = loss[loss < 100]
    for percent, published, low, high in ((3, 155, 120, 190), (10, 19, 7, 31)):
        text, lost = f"instances where MCB8 loses more than {percent} %", int((solved > percent).sum())
        one.append(count("p. 12", text, published, lost, low, high, n, FULL_SMALL))
    for name, published, low, high in (("gb", 0, 0, 0), ("sgb", 0, 0, 0), ("mcb8", 1, 0, 6), ("sg", 15, 5, 25)):
        failed = int((feasible & ~outcome.solved(name)).sum())
        one.append(
            count("p. 15", f"feasible instances that {name.upper()} fails", published, failed, low, high, n, FULL_SMALL)
        )
    fails = {name: int((~outcome.solved(name)).sum()) for name in ("rrnd", "gr", "rrnz")}
    order = fails["rrnd"] > fails["gr"] > fails["rrnz"]
    one.append(
        Claim("Fig. 13", "RRND fails most, then GR, then RRNZ", "RRND > GR > RRNZ",
              ", ".join(f"{k.upper()} {v}" for k, v in fails.items()), "holds" if order else "differs", "order", n,
              "RRND and RRNZ depend on the vertex the LP solver returns")
    )  # fmt: skip
    bound = np.where(feasible, outcome.bound, np.nan)
    best = outcome.level["milp"]
    one.append(ratio("LP bound above the optimum, %", "about 4", bound, best, (2, 6), enough))
    one.append(ratio("optimum above MCB8, %", "about 2", best, outcome.level["mcb8"], (1, 4), enough))
    for name in ("gr", "sg", "gb", "sgb"):
        one.append(ratio(f"optimum above {name.upper()}, %", "11 to 13", best, outcome.level[name], (9, 15), enough))
    return [*one, *_rounding(outcome), _run_times(outcome)]


def _rounding(outcome: Outcome) -> list[Claim]:
    mean = {
        name: [float(np.nanmean(outcome.level[name][np.isclose(outcome.slack, s)])) for s in (0.2, 0.5, 0.9)]
        for name in ("rrnd", "rrnz")
    }
    falls = all(values[0] > values[1] > values[2] for values in mean.values())
    shown = "; ".join(f"{k.upper()} " + ", ".join(f"{v:.2f}" for v in values) for k, values in mean.items())
    ahead = np.nanmean(outcome.level["rrnz"]) - np.nanmean(outcome.level["rrnd"])
    return [
        Claim("Fig. 11", "RRND and RRNZ get worse beyond slack 0.2 (mean minimum yield at 0.2, 0.5, 0.9)", "yes", shown,
              "holds" if falls else "differs", "order", outcome.n),
        Claim("Fig. 11", "RRNZ is slightly better than RRND in minimum yield", "yes", f"{ahead:+.3f}",
              "holds" if ahead > 0 else "differs", "order", outcome.n),
    ]  # fmt: skip


def _run_times(outcome: Outcome) -> Claim:
    exact = outcome.seconds["milp"]
    mcb8 = float(np.median(outcome.seconds["mcb8"])) * 1e3
    return Claim(
        "Fig. 14", "run times: exact mean and worst in s; MCB8 in ms", "28.7; 11,549.29; under 0.15",
        f"{exact.mean():.5f}; {exact.max():.3f}; median {mcb8:.2f}", judge(mcb8, 0, 5), "MCB8 at most 5 ms", outcome.n,
        "GLPK on a 3.2 GHz Xeon there; our branch and bound here, two threads at once",
    )  # fmt: skip


def large(outcome: Outcome) -> list[Claim]:
    """Section 4.2.3: 10,800 instances on 64 hosts."""
    slack = outcome.slack
    claims = []
    for rows, text, published, low, high in (
        (slack > 0.25, "0.3 or more", "extremely close", 0.0, 3.0),
        (np.isclose(slack, 0.2), "0.2", "8", 5.0, 11.0),
        (np.isclose(slack, 0.1), "0.1", "37", 33.0, 41.0),
    ):
        text = f"MCB8 below the bound at slack {text}, %"
        claims.append(below("Fig. 15", outcome, "mcb8", rows, text, published, (low, high)))
    for name in ("gr", "sg", "gb", "sgb"):
        text = f"{name.upper()} below the bound at slack above 0.2, %"
        claims.append(below("Fig. 15", outcome, name, slack > 0.25, text, "20", (16.0, 24.0)))
    fails = {name: int((~outcome.solved(name)).sum()) for name in ("gr", "gb", "sg", "sgb", "mcb8")}
    near = fails["gr"] - fails["gb"] <= 0.1 * fails["gr"] and fails["sg"] - fails["sgb"] <= 0.1 * max(fails["sg"], 1)
    shown = ", ".join(f"{k.upper()} {v}" for k, v in fails.items())
    claims.append(Claim("Fig. 17", "backtracking is useless: GB fails about as often as GR, SGB as SG", "yes", shown,
                        "holds" if near else "differs", "at most 10 % fewer failures", outcome.n))  # fmt: skip
    claims.append(fewer_failures(outcome))
    rows = slack > 0.35
    means = {name: float(np.nanmean(outcome.mean_yield[name][rows])) for name in ("sg", "mcb8")}
    claims.append(Claim("Fig. 16", "greedy's average yield is above MCB8's (slack 0.4 and more)", "yes",
                        f"SG {means['sg']:.3f}, MCB8 {means['mcb8']:.3f}",
                        "holds" if means["sg"] > means["mcb8"] else "differs", "order", int(rows.sum())))  # fmt: skip
    worst = float(np.median(outcome.seconds["mcb8"][outcome.tasks == 500]))
    claims.append(Claim("Fig. 18", "MCB8 on 500 tasks, s", "under 0.5", f"median {worst:.4f}", judge(worst, 0, 0.5),
                        "at most 0.5", int((outcome.tasks == 500).sum())))  # fmt: skip
    return [*claims, descending("Figs 6, 9", outcome)]


def fewer_failures(outcome: Outcome) -> Claim:
    """SG, SGB and MCB8 fail less often than GR and GB, each against each."""
    fails = {name: int((~outcome.solved(name)).sum()) for name in ("sg", "sgb", "mcb8", "gr", "gb")}
    change = {
        f"{one} / {other}".upper(): 100.0 * (fails[one] / max(fails[other], 1) - 1.0)
        for one in ("sg", "sgb", "mcb8")
        for other in ("gr", "gb")
    }
    inside = [judge(value, -55, -25, outcome.n >= FULL_LARGE) for value in change.values()]
    return Claim(
        "Fig. 17", "failures of SG, SGB and MCB8 against those of GR and GB, %", "about -40",
        "; ".join(f"{pair} {value:.0f}" for pair, value in change.items()),
        "differs" if "differs" in inside else inside[0], "each -25 to -55", outcome.n,
        "failures: " + ", ".join(f"{name.upper()} {number}" for name, number in fails.items()),
    )  # fmt: skip


def descending(where: str, outcome: Outcome) -> Claim:
    """The four descending keys beat the four ascending ones, in yield and in failures."""
    level = [float(np.nanmean(outcome.level[f"mcb{k}"])) for k in range(1, 9)]
    fails = [int((~outcome.solved(f"mcb{k}")).sum()) for k in range(1, 9)]
    holds = min(level[4:]) > max(level[:4]) and max(fails[4:]) < min(fails[:4])
    return Claim(
        where, "MCB5 to 8 beat MCB1 to 4 (mean minimum yield; failures)", "yes",
        f"{min(level[4:]):.3f} or more against {max(level[:4]):.3f} or less; "
        f"{max(fails[4:])} or fewer against {min(fails[:4])} or more",
        "holds" if holds else "differs", "order", outcome.n,
    )  # fmt: skip


def sampled(outcome: Outcome, all_large: Outcome) -> list[Claim]:
    """RRND and RRNZ on large instances: a sample, for the linear program is slow; MCB8 on the sample and on all."""
    where = "Fig. 17, sample"
    if not outcome.n:
        return [Claim(where, "RRND and RRNZ on 64 hosts", "RRND solves none below slack 0.4", "", "not measured")]
    low, solved = outcome.slack < 0.35, outcome.solved("rrnd")
    profile = [float(np.nanmean(outcome.level["rrnz"][np.isclose(outcome.slack, s)])) for s in (0.4, 0.9)]
    rrnd = failure_rates(outcome, "rrnd")
    mcb8 = {tasks: rate for tasks, rate in failure_rates(all_large, "mcb8").items() if tasks in rrnd}
    times = sum(rrnd.values()) / max(sum(mcb8.values()), 1e-9)
    by_tasks = "; ".join(f"{tasks} tasks {100 * rrnd[tasks]:.0f} / {100 * mcb8[tasks]:.1f}" for tasks in mcb8)
    raw = {name: int((~outcome.solved(name)).sum()) for name in ("rrnd", "mcb8")}
    vertex = "the vertex of our LP solver, not GLPK's"
    rrnz, fewer = failure_rates(outcome, "rrnz"), {}
    for name in ("sg", "sgb", "mcb8"):
        rates = failure_rates(all_large, name)
        fewer[name] = 100.0 * (sum(rates[n] for n in rrnz if n in rates) / max(sum(rrnz.values()), 1e-9) - 1.0)
    return [
        Claim(where, "instances with slack below 0.4 that RRND solves", "0",
              f"{int(solved[low].sum())} of {int(low.sum())}",
              "holds" if not solved[low].any() else "differs", "none", int(low.sum()), vertex),
        Claim(where, "RRND's failures over MCB8's, each number of tasks counting alike", "more than 14",
              f"{times:.1f} (failures in %: {by_tasks})", "holds" if times > 14 else "differs", "more than 14 times",
              outcome.n, f"RRND on the sample, MCB8 on all large instances; on the sample alone, which has "
              f"mostly small numbers of tasks, {raw['rrnd']} / {raw['mcb8']}; {vertex}"),
        Claim(where, "failures of SG, SGB and MCB8 against those of RRNZ, each number of tasks counting alike, %",
              "about -40", "; ".join(f"{name.upper()} / RRNZ {value:.0f}" for name, value in fewer.items()),
              "holds" if max(fewer.values()) < 0 else "differs", "fewer", outcome.n,
              f"RRNZ on the sample, the others on all large instances; {vertex}"),
        Claim("Fig. 15, sample", "RRNZ's minimum yield drops as slack grows (0.4 and 0.9)", "yes",
              f"{profile[0]:.2f}, {profile[1]:.2f}", "holds" if profile[0] > profile[1] else "differs", "order",
              outcome.n, vertex),
    ]  # fmt: skip


def failure_rates(outcome: Outcome, name: str) -> dict[int, float]:
    """The fraction of instances that an algorithm fails, by number of tasks."""
    return {int(n): float((~outcome.solved(name))[outcome.tasks == n].mean()) for n in np.unique(outcome.tasks)}


def parallel(outcome: Outcome) -> list[Claim]:
    """Section 5.2: jobs of several tasks."""
    text = "parallel: MCB8 below the bound at slack above 0.3, %"
    claims = [below("Fig. 19", outcome, "mcb8", outcome.slack > 0.35, text, "close", (0, 6))]
    ahead = percent_over(outcome.level["mcb8"], outcome.level["sg"])[1]
    claims.append(Claim("Fig. 19", "parallel: MCB8 above SG on the same instances, %", "significantly", f"{ahead:.1f}",
                        "holds" if ahead > 5 else "differs", "more than 5", outcome.n))  # fmt: skip
    rates = {name: 100.0 * float((~outcome.solved(name)).mean()) for name in ("mcb8", "sg")}
    claims.append(Claim("Fig. 21", "parallel: failure rates of SG and MCB8, %", "identical",
                        f"SG {rates['sg']:.2f}, MCB8 {rates['mcb8']:.2f}",
                        judge(abs(rates["sg"] - rates["mcb8"]), 0, 2), "within 2 points", outcome.n))  # fmt: skip
    rows = outcome.tasks == 500
    seconds = {name: float(np.median(outcome.seconds[name][rows])) for name in ("mcb8", "sg")}
    claims.append(Claim("Fig. 22", "parallel: MCB8's run time over SG's, 500 tasks", "32",
                        f"{seconds['mcb8'] / seconds['sg']:.1f}", "report only", "", int(rows.sum()),
                        f"MCB8 {seconds['mcb8'] * 1e3:.2f} ms, SG {seconds['sg'] * 1e3:.2f} ms"))  # fmt: skip
    return claims


def other() -> list[Claim]:
    """Section 2.3's schedule, and section 7."""
    three = Instance.of(2, cpu=[0.6] * 3, memory=[0.1] * 3)
    still = pack(three, "exact").level
    half, share = np.array([0.5, 0.5]), np.array([[0.45, 0.55, 0.6], [0.6, 0.55, 0.45]])
    printed = float(mean_yields(three, half, share).min())
    best = best_rotation(three, [np.array([0, 0, 1]), np.array([0, 1, 1])]).level
    good = abs(still - 5 / 6) < 1e-6 and abs(printed - 0.875) < 1e-6
    return [
        Claim("p. 6", "three tasks of 0.6 on two hosts: without migration; the paper's schedule", "0.83; 0.87",
              f"{still:.6f}; {printed:.6f}", "holds" if good else "differs", "exact", 1,
              f"the paper truncates 0.875, and its schedule is not the best: {best:.6f} (8/9) is"),
        Claim("p. 28", "accuracy of Xen's CPU caps", "mean error 0.72 %, response under 1 s", "", "not measured",
              note="needs virtual machines"),
    ]  # fmt: skip


def count(where: str, claim: str, published: int, ours: int, low: int, high: int, n: int, full: int) -> Claim:
    """A number of instances out of `full`, against a band."""
    enough = n >= full
    return Claim(where, f"{claim}, of {n:,}", str(published), str(ours), judge(ours, low, high, enough),
                 f"{low} to {high} of {full:,}", n)  # fmt: skip


def ratio(claim: str, published: str, one: Floats, other: Floats, band: tuple[int, int], enough: bool) -> Claim:
    """Percent by which one mean is above another, in the paper's way, with the paired one in brackets."""
    alone, paired = percent_over(one, other)
    return Claim("Fig. 11", claim, published, f"{alone:.1f} [{paired:.1f}]", judge(paired, *band, enough),
                 f"paired {band[0]} to {band[1]}", len(one), PAIRED)  # fmt: skip


def below(
    where: str, outcome: Outcome, name: str, rows: Bools, claim: str, published: str, band: tuple[float, float]
) -> Claim:
    """Percent below the bound, in the paper's way, with the same instances in brackets."""
    mixed, same = percent_below(outcome, name, rows)
    enough = outcome.n >= FULL_LARGE
    note = "In brackets: yield and bound over the same, solved instances; the paper's bound is over all."
    return Claim(where, claim, published, f"{mixed:.1f} [{same:.1f}]", judge(mixed, *band, enough),
                 f"{band[0]:g} to {band[1]:g}", int(rows.sum()), note)  # fmt: skip


def tables(outcomes: dict[str, Outcome]) -> list[Claim]:
    """Table 1 and Figure 7."""
    return [
        *degradation_table("Table 1", outcomes["small"], TABLE_1, FULL_SMALL),
        largest_degradation(outcomes["small"]),
        *degradation_table("Fig. 7", outcomes["large"], FIGURE_7, FULL_LARGE),
        descending("Figs 2, 4", outcomes["small"]),
    ]
