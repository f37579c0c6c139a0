"""The claims of Casanova et al. 2008 on 64 hosts: large instances, the sample with the LP, parallel jobs."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.papers.casanova2008.claims import descending
from loadmaster.papers.casanova2008.number_claims import ahead, below, falls, fewer, ordering, paired_percent
from loadmaster.papers.casanova2008.outcome import StudyPart
from loadmaster.papers.claim import Claim, all_of, exceeds, meets
from loadmaster.papers.estimate import Estimate, mean_of, part_of, resampled

FEWER = (-55.0, -25.0)
"""The band around the published `about 40 % fewer`, in percent."""
_EACH = f"each interval meets {FEWER[0]:g} to {FEWER[1]:g}"
SAMPLE = "Fig. 17, sample"
VERTEX = "the vertex of our LP solver, not GLPK's"


def large(outcome: StudyPart) -> list[Claim]:
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
    return [
        *claims,
        _backtracking(outcome),
        fewer_failures(outcome),
        _mean_yield(outcome),
        _fast(outcome),
        descending("Figs 6, 9", outcome),
    ]


def _backtracking(outcome: StudyPart) -> Claim:
    pairs = {
        "GB / GR": fewer(~outcome.solved("gb"), ~outcome.solved("gr")),
        "SGB / SG": fewer(~outcome.solved("sgb"), ~outcome.solved("sg")),
    }
    return Claim(
        "Fig. 17",
        "backtracking is useless: GB fails about as often as GR, SGB as SG, %",
        "as often",
        "; ".join(f"{pair} {change.show(1)}" for pair, change in pairs.items()),
        all_of([meets(change, -10.0, 10.0) for change in pairs.values()]),
        "each interval meets +-10 %",
        outcome.n,
    )


def fewer_failures(outcome: StudyPart) -> Claim:
    """SG, SGB and MCB8 fail less often than GR and GB, each against each."""
    failed = {name: ~outcome.solved(name) for name in ("sg", "sgb", "mcb8", "gr", "gb")}
    change = {
        f"{one} / {other}".upper(): fewer(failed[one], failed[other])
        for one in ("sg", "sgb", "mcb8")
        for other in ("gr", "gb")
    }
    return Claim(
        "Fig. 17",
        "failures of SG, SGB and MCB8 against those of GR and GB, %",
        "about -40",
        "; ".join(f"{pair} {value.show(0)}" for pair, value in change.items()),
        all_of([meets(value, *FEWER) for value in change.values()]),
        _EACH,
        outcome.n,
        "failures: " + ", ".join(f"{name.upper()} {int(fails.sum())}" for name, fails in failed.items()),
    )


def _mean_yield(outcome: StudyPart) -> Claim:
    rows = outcome.slack > 0.35
    means = {name: outcome.mean_yield[name][rows] for name in ("sg", "mcb8")}
    found = ahead(means["sg"], means["mcb8"])
    text = "greedy's average yield is above MCB8's (slack 0.4 and more)"
    return ordering("Fig. 16", text, [found], f"SG by {found.show(3)}")


def _fast(outcome: StudyPart) -> Claim:
    found = resampled(np.median, outcome.seconds["mcb8"][outcome.tasks == 500])
    return Claim(
        "Fig. 18",
        "MCB8 on 500 tasks, s",
        "under 0.5",
        f"median {found.show(4)}",
        meets(found, 0.0, 0.5),
        "interval of the median meets 0 to 0.5",
        found.n,
    )


def sampled(outcome: StudyPart, all_large: StudyPart) -> list[Claim]:
    """RRND and RRNZ on large instances: a sample, for the linear program is slow; MCB8 on the sample and on all."""
    if not outcome.n:
        return [Claim(SAMPLE, "RRND and RRNZ on 64 hosts", "RRND solves none below slack 0.4", "", "not measured")]
    low, solved = outcome.slack < 0.35, outcome.solved("rrnd")
    some = part_of(solved[low])
    drop = falls(outcome.level["rrnz"], outcome.slack, 0.4, 0.9)
    text = "RRNZ's minimum yield drops as slack grows (from 0.4 to 0.9)"
    return [
        Claim(
            SAMPLE,
            "instances with slack below 0.4 that RRND solves",
            "none",
            f"{int(solved[low].sum())} of {some.n}: {some.percent()}",
            meets(some, 0.0, 0.05),
            "interval meets 0 to 5 %",
            some.n,
            VERTEX,
        ),
        _often(outcome, all_large),
        _than_rrnz(outcome, all_large),
        ordering("Fig. 15, sample", text, [drop], f"by {drop.show()}", VERTEX),
    ]


def _often(outcome: StudyPart, all_large: StudyPart) -> Claim:
    times = _rates_over(outcome, "rrnd", failure_rates(all_large, "mcb8"))
    raw = {name: int((~outcome.solved(name)).sum()) for name in ("rrnd", "mcb8")}
    return Claim(
        SAMPLE,
        "RRND's failures over MCB8's, each number of tasks counting equally",
        "more than 14",
        times.show(1),
        meets(times, 14.0, float("inf")),
        "interval meets 14 or more",
        times.n,
        f"RRND on the sample, MCB8 on all large instances; on the sample alone, which has mostly small numbers of "
        f"tasks, {raw['rrnd']} / {raw['mcb8']}; {VERTEX}",
    )


def _than_rrnz(outcome: StudyPart, all_large: StudyPart) -> Claim:
    change = {}
    for name in ("sg", "sgb", "mcb8"):
        times = _rates_over(outcome, "rrnz", failure_rates(all_large, name))
        change[name] = Estimate(_less(times.value), _less(times.high), _less(times.low), times.n)
    return Claim(
        SAMPLE,
        "failures of SG, SGB and MCB8 against those of RRNZ, each number of tasks counting equally, %",
        "about -40",
        "; ".join(f"{name.upper()} / RRNZ {value.show(0)}" for name, value in change.items()),
        all_of([meets(value, *FEWER) for value in change.values()]),
        _EACH,
        outcome.n,
        f"RRNZ on the sample, the others on all large instances; {VERTEX}",
    )


def _less(times: float) -> float:
    """In percent, what is `times` times less often than something else, against it."""
    return 100.0 / times - 100.0 if times > 0 else float("nan")


def _rates_over(outcome: StudyPart, name: str, others: dict[int, float]) -> Estimate:
    """The failure rates of `name`, summed over the numbers of tasks, over those of another algorithm."""
    numbers = [tasks for tasks in np.unique(outcome.tasks) if int(tasks) in others]
    whole = sum(others[int(tasks)] for tasks in numbers)

    def over(failed: Floats, tasks: Floats) -> float:
        here = [failed[tasks == number] for number in numbers]
        return sum(part.mean() if len(part) else np.nan for part in here) / whole if whole > 0 else float("nan")

    return resampled(over, (~outcome.solved(name)).astype(float), outcome.tasks)


def failure_rates(outcome: StudyPart, name: str) -> dict[int, float]:
    """The fraction of instances that an algorithm fails, by number of tasks."""
    return {int(n): float((~outcome.solved(name))[outcome.tasks == n].mean()) for n in np.unique(outcome.tasks)}


def parallel(outcome: StudyPart) -> list[Claim]:
    """Section 5.2: jobs of several tasks."""
    text = "parallel: MCB8 below the bound at slack above 0.3, %"
    above = resampled(paired_percent, outcome.level["mcb8"], outcome.level["sg"])
    failed = {name: (~outcome.solved(name)).astype(float) for name in ("mcb8", "sg")}
    apart = mean_of(100.0 * (failed["sg"] - failed["mcb8"]))
    rows = outcome.tasks == 500
    seconds = {name: float(np.median(outcome.seconds[name][rows])) for name in ("mcb8", "sg")}
    return [
        below("Fig. 19", outcome, "mcb8", outcome.slack > 0.35, text, "close", (0, 6)),
        Claim(
            "Fig. 19",
            "parallel: MCB8 above SG on the same instances, %",
            "significantly",
            above.show(1),
            exceeds(above, 5.0),
            "the interval lies above 5",
            above.n,
        ),
        Claim(
            "Fig. 21",
            "parallel: failure rates of SG less MCB8, points",
            "identical",
            f"{apart.show()}; SG {100 * failed['sg'].mean():.2f} %",
            meets(apart, -2.0, 2.0),
            "interval meets +-2",
            apart.n,
        ),
        Claim(
            "Fig. 22",
            "parallel: MCB8's run time over SG's, 500 tasks",
            "32",
            f"{seconds['mcb8'] / seconds['sg']:.1f}",
            "report only",
            "",
            int(rows.sum()),
            f"MCB8 {seconds['mcb8'] * 1e3:.2f} ms, SG {seconds['sg'] * 1e3:.2f} ms",
        ),
    ]
