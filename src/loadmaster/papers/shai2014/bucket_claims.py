"""The claims on the bucket experiment beside our numbers (Shai 2014, sections 3.3 and 4.2)."""

from collections.abc import Mapping, Sequence

from loadmaster.papers.claim import Claim, Verdict
from loadmaster.papers.shai2014.buckets import Matches
from loadmaster.papers.shai2014.interval import Estimate, estimate
from loadmaster.papers.shai2014.published import HEURISTICS, MIX, NAMES, NOT_WON, SINGLE
from loadmaster.report.page import Table

WFC = "worse-fit-cores"
ALIKE = 0.05
"""Shares of wins closer than this count as similar."""
_OTHER_JOBS = (
    "ours is of other jobs and, as the hosts are not published, of other hosts: the table of shapes shows how far "
    "they move it; the thesis is right about its logs"
)
_FIG_3_5, _FIG_4_4 = "Figure 3.5", "Figure 4.4"


def bucket_claims(found: Mapping[str, Sequence[Matches]], source: str) -> list[Claim]:
    """All claims, judged on the first shape; `source` says what the buckets are."""
    main = {pool: shapes[0] for pool, shapes in found.items()}
    n = sum(matches.buckets for matches in main.values())
    leads = {pool: _lead(matches, WFC, SINGLE) for pool, matches in main.items()}
    claims = [
        Claim(
            _FIG_3_5, f"pool {pool}: Worse-Fit-Cores wins most buckets of the four single-resource heuristics", "most",
            f"{_share(main[pool], WFC, SINGLE)}, {lead.percent()} more than {NAMES[second]}", lead.above,
            "the paired difference is positive and its interval excludes 0", main[pool].buckets, source,
        )
        for pool, (lead, second) in leads.items()
    ]  # fmt: skip
    claims += [*_margins(leads, n), *_others(main, n), *_not_won(main), *_with_mix(main), _first_fit(main, n)]
    return claims


def shape_table(found: Mapping[str, Sequence[Matches]]) -> Table:
    """Shares of wins with Mix-Fit for every shape of the small pool."""
    rows: list[tuple[str, ...]] = []
    best, bands = set(), {}
    for pool, shapes in found.items():
        bands[len(rows)] = f"pool {pool}"
        for matches in shapes:
            shares = matches.wins(HEURISTICS).mean(axis=0)
            best.add((len(rows), 1 + int(shares.argmax())))
            cells = [f"{share:.1%}" for share in shares]
            rows.append((matches.shape.name, *cells, f"{matches.tied(HEURISTICS):.1%}", f"{matches.buckets:,}"))
    columns = ("hosts", *(NAMES[name] for name in HEURISTICS), "all five tie", "buckets")
    caption = "Buckets in which each heuristic matched most jobs, alone or tied; the thesis does not give the hosts."
    return Table(columns, rows, caption, frozenset(best), bands)


def _share(matches: Matches, name: str, heuristics: tuple[str, ...]) -> str:
    return estimate(matches.wins(heuristics)[:, heuristics.index(name)]).percent()


def _lead(matches: Matches, name: str, heuristics: tuple[str, ...]) -> tuple[Estimate, str]:
    """By how much the share of wins of `name` exceeds that of the best other, and which that is."""
    wins = matches.wins(heuristics)
    others = [other for other in heuristics if other != name]
    means = [wins[:, heuristics.index(other)].mean() for other in others]
    second = others[means.index(max(means))]
    return estimate(wins[:, heuristics.index(name)] - wins[:, heuristics.index(second)]), second


def _margins(leads: Mapping[str, tuple[Estimate, str]], n: int) -> list[Claim]:
    ahead = [pool for pool, (lead, _) in leads.items() if lead.low > 0]
    shown = ", ".join(f"{pool} {lead.percent()}" for pool, (lead, _) in leads.items())
    if len(leads) < 4:
        return []
    widest = max(leads, key=lambda pool: leads[pool][0].mean)
    return [
        Claim(
            _FIG_3_5, "Worse-Fit-Cores is the best of the four in all pools", "A, B, C, D",
            ", ".join(ahead) or "none", "holds" if len(ahead) >= 3 else "differs", "in at least three pools", n,
        ),
        Claim(
            _FIG_3_5, "its margin is large in pool A and small in the others", "A largest", shown,
            "holds" if widest == "A" else "differs", "A has the largest margin", n,
            "" if widest == "A" else
            "the margin depends on how bursts of cores and memory meet within a bucket, which the generator assumes",
        ),
    ]  # fmt: skip


def _others(main: Mapping[str, Matches], n: int) -> list[Claim]:
    """Worse-Fit-Memory against the two best-fits, and how far these three are apart."""
    above, shown, spread = [], [], 0.0
    for pool, matches in main.items():
        wins = matches.wins(SINGLE)
        bfc, bfm, _, wfm = (wins[:, k] for k in range(4))
        better = bfc if bfc.mean() >= bfm.mean() else bfm
        lead = estimate(wfm - better)
        spread = max(spread, abs(lead.mean))
        shown.append(f"{pool} {lead.percent()}")
        above.append(lead.low > 0)
    note = (
        "differs in our streams: both best-fits fill a host's cores before they open the next and leave memory behind, "
        "so they match fewer jobs of almost any mixed bucket; the figure's values are not printed"
    )
    return [
        Claim(
            _FIG_3_5, "Worse-Fit-Memory is consistently better than Best-Fit-Cores and Best-Fit-Memory", "all pools",
            ", ".join(shown), "holds" if all(above) else "differs",
            "in each pool the difference is positive and its interval excludes 0", n,
        ),
        Claim(
            _FIG_3_5, "but only slightly: there is little difference among the three", "little",
            f"up to {spread:.0%} of the buckets", "holds" if spread <= 0.1 else "differs",
            "at most 10 % of the buckets", n, "" if spread <= 0.1 else note,
        ),
    ]  # fmt: skip


def _not_won(main: Mapping[str, Matches]) -> list[Claim]:
    low, high = NOT_WON
    claims = []
    for pool, matches in main.items():
        lost = estimate(1.0 - matches.wins(SINGLE)[:, SINGLE.index(WFC)])
        inside = low <= lost.mean <= high
        claims.append(
            Claim(
                _FIG_3_5, f"pool {pool}: buckets that Worse-Fit-Cores does not win", f"{low:.0%} to {high:.0%}",
                lost.percent(), "holds" if inside else "differs", "inside the published range", matches.buckets,
            )
        )  # fmt: skip
    return claims


def _with_mix(main: Mapping[str, Matches]) -> list[Claim]:
    """Figure 4.4: Mix-Fit against Worse-Fit-Cores."""
    claims = []
    expected = {"A": "wins by a small margin", "B": "similar", "C": "slightly below", "D": "similar"}
    gates = {
        "wins by a small margin": "positive, the interval excludes 0",
        "similar": f"within {ALIKE:.0%} of the buckets",
        "slightly below": "negative, the interval excludes 0",
    }
    for pool, matches in main.items():
        wins = matches.wins(HEURISTICS)
        lead = estimate(wins[:, HEURISTICS.index(MIX)] - wins[:, HEURISTICS.index(WFC)])
        said = expected[pool]
        verdicts: dict[str, Verdict] = {
            "wins by a small margin": lead.above,
            "similar": "holds" if abs(lead.mean) <= ALIKE else "differs",
            "slightly below": lead.below,
        }
        note = "" if verdicts[said] == "holds" else _OTHER_JOBS
        claims.append(
            Claim(
                _FIG_4_4, f"pool {pool}: Mix-Fit's share of wins against Worse-Fit-Cores'", said, lead.percent(),
                verdicts[said], gates[said], matches.buckets, note,
            )
        )  # fmt: skip
    return claims


def _first_fit(main: Mapping[str, Matches], n: int) -> Claim:
    shown = [f"{pool} {m.mean('first-fit'):.0f} of {m.mean(WFC):.0f}" for pool, m in main.items()]
    fewer = all(m.mean("first-fit") < m.mean(WFC) for m in main.values())
    return Claim(
        "section 3", "First-Fit performs poorly", "poor", "jobs matched a bucket against Worse-Fit-Cores: "
        + ", ".join(shown), "holds" if fewer else "differs", "fewer jobs than Worse-Fit-Cores in every pool", n,
    )  # fmt: skip
