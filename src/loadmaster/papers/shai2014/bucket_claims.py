"""The claims on the bucket experiment beside our numbers (Shai 2014, sections 3.3 and 4.2), judged over streams."""

from collections.abc import Mapping, Sequence

from loadmaster.papers.claim import Claim, Verdict, all_of, exceeds, meets
from loadmaster.papers.estimate import Estimate, mean_of
from loadmaster.papers.shai2014.buckets import Matches
from loadmaster.papers.shai2014.published import HEURISTICS, MIX, NAMES, NOT_WON, SINGLE
from loadmaster.papers.shai2014.setup import READINGS, PoolShape
from loadmaster.report.page import Table

WFC = "worse-fit-cores"
ALIKE = 0.05
"""Shares of wins closer than this count as similar."""
LITTLE = 0.10
"""Shares of wins closer than this differ little."""
_OTHER_JOBS = (
    "ours is of other jobs and, as the hosts are not published, of other hosts: the table of shapes shows how far "
    "they move it; the thesis is right about its logs"
)
_FIG_3_5, _FIG_4_4 = "Figure 3.5", "Figure 4.4"
_ABOVE = "the interval of the paired difference lies above 0"


def bucket_claims(found: Mapping[str, Sequence[Matches]], source: str) -> list[Claim]:
    """All claims on each reading of the hosts; `source` says what the buckets are."""
    return [claim for k in range(len(READINGS)) for claim in _on_shape({p: s[k] for p, s in found.items()}, source)]


def _on_shape(main: Mapping[str, Matches], source: str) -> list[Claim]:
    shape = next(iter(main.values())).shape
    n = sum(matches.buckets for matches in main.values())
    leads = {pool: _lead(matches, WFC, SINGLE) for pool, matches in main.items()}
    claims = [
        Claim(
            _at(_FIG_3_5, shape),
            f"pool {pool}: Worse-Fit-Cores wins most buckets of the four single-resource heuristics",
            "most",
            f"{_share(main[pool], WFC, SINGLE)}, {lead.percent()} more than {NAMES[second]}",
            exceeds(lead),
            _ABOVE,
            main[pool].buckets,
            source,
        )
        for pool, (lead, second) in leads.items()
    ]
    single = {pool: lead for pool, (lead, _) in leads.items()}
    return [
        *claims,
        *_margins(shape, single, main, n),
        *_others(shape, main, n),
        *_not_won(shape, main),
        *_with_mix(shape, main),
        _first_fit(shape, main, n),
    ]


def _at(figure: str, shape: PoolShape) -> str:
    return f"{figure}, {shape.name}"


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
    return mean_of(matches.wins(heuristics)[:, heuristics.index(name)]).percent()


def _lead(matches: Matches, name: str, heuristics: tuple[str, ...]) -> tuple[Estimate, str]:
    """By how much the share of wins of `name` exceeds that of the best other, and which that is."""
    wins = matches.wins(heuristics)
    others = [other for other in heuristics if other != name]
    means = [wins[:, heuristics.index(other)].mean() for other in others]
    second = others[means.index(max(means))]
    return mean_of(wins[:, heuristics.index(name)] - wins[:, heuristics.index(second)]), second


def _margins(shape: PoolShape, leads: Mapping[str, Estimate], main: Mapping[str, Matches], n: int) -> list[Claim]:
    if len(leads) < 4:
        return []
    ahead = [pool for pool, lead in leads.items() if exceeds(lead) == "holds"]
    wins = {pool: matches.wins(SINGLE) for pool, matches in main.items()}
    margin = {pool: rows[:, 2] - rows[:, [0, 1, 3]].mean(axis=0).max() for pool, rows in wins.items()}
    wider = [mean_of(margin["A"] - margin[pool]) for pool in "BCD"]
    verdict = all_of([exceeds(one) for one in wider])
    return [
        Claim(
            _at(_FIG_3_5, shape),
            "Worse-Fit-Cores is the best of the four in all pools",
            "A, B, C, D",
            ", ".join(ahead) or "none",
            all_of([exceeds(lead) for lead in leads.values()]),
            f"in each pool {_ABOVE}",
            n,
        ),
        Claim(
            _at(_FIG_3_5, shape),
            "its margin is large in pool A and small in the others",
            "A largest",
            ", ".join(f"{pool} {lead.percent()}" for pool, lead in leads.items()),
            verdict,
            "A's less each other's: the intervals lie above 0",
            n,
            ""
            if verdict == "holds"
            else "the margin depends on how bursts of cores and memory meet in a bucket, which the generator assumes",
        ),
    ]


def _others(shape: PoolShape, main: Mapping[str, Matches], n: int) -> list[Claim]:
    """Worse-Fit-Memory against the two best-fits, and how far these three are apart."""
    leads = {}
    for pool, matches in main.items():
        wins = matches.wins(SINGLE)
        bfc, bfm, _, wfm = (wins[:, k] for k in range(4))
        leads[pool] = mean_of(wfm - (bfc if bfc.mean() >= bfm.mean() else bfm))
    shown = ", ".join(f"{pool} {lead.percent()}" for pool, lead in leads.items())
    little = all_of([meets(lead, -LITTLE, LITTLE) for lead in leads.values()])
    note = (
        "differs in our streams: both best-fits fill a host's cores before they open the next and leave memory behind, "
        "so they match fewer jobs of almost any mixed bucket; the figure's values are not printed"
    )
    return [
        Claim(
            _at(_FIG_3_5, shape),
            "Worse-Fit-Memory is consistently better than Best-Fit-Cores and Best-Fit-Memory",
            "all pools",
            shown,
            all_of([exceeds(lead) for lead in leads.values()]),
            f"in each pool {_ABOVE}",
            n,
        ),
        Claim(
            _at(_FIG_3_5, shape),
            "but only slightly: there is little difference among the three",
            "little",
            shown,
            little,
            f"each interval meets +-{LITTLE:.0%} of the buckets",
            n,
            note if little == "differs" else "",
        ),
    ]


def _not_won(shape: PoolShape, main: Mapping[str, Matches]) -> list[Claim]:
    low, high = NOT_WON
    claims = []
    for pool, matches in main.items():
        lost = mean_of(1.0 - matches.wins(SINGLE)[:, SINGLE.index(WFC)])
        claims.append(
            Claim(
                _at(_FIG_3_5, shape),
                f"pool {pool}: buckets that Worse-Fit-Cores does not win",
                f"{low:.0%} to {high:.0%}",
                lost.percent(),
                meets(lost, low, high),
                "the interval meets the published range",
                matches.buckets,
            )
        )
    return claims


def _with_mix(shape: PoolShape, main: Mapping[str, Matches]) -> list[Claim]:
    """Figure 4.4: Mix-Fit against Worse-Fit-Cores."""
    claims = []
    expected = {"A": "wins by a small margin", "B": "similar", "C": "slightly below", "D": "similar"}
    gates = {
        "wins by a small margin": "the interval lies above 0",
        "similar": f"the interval meets +-{ALIKE:.0%} of the buckets",
        "slightly below": "the interval lies below 0",
    }
    for pool, matches in main.items():
        wins = matches.wins(HEURISTICS)
        lead = mean_of(wins[:, HEURISTICS.index(MIX)] - wins[:, HEURISTICS.index(WFC)])
        claim = expected[pool]
        verdicts: dict[str, Verdict] = {
            "wins by a small margin": exceeds(lead),
            "similar": meets(lead, -ALIKE, ALIKE),
            "slightly below": exceeds(lead.times(-1.0)),
        }
        note = "" if verdicts[claim] == "holds" else _OTHER_JOBS
        claims.append(
            Claim(
                _at(_FIG_4_4, shape),
                f"pool {pool}: Mix-Fit's share of wins against Worse-Fit-Cores'",
                claim,
                lead.percent(),
                verdicts[claim],
                gates[claim],
                matches.buckets,
                note,
            )
        )
    return claims


def _first_fit(shape: PoolShape, main: Mapping[str, Matches], n: int) -> Claim:
    more = {pool: mean_of(matches.means(WFC) - matches.means("first-fit")) for pool, matches in main.items()}
    return Claim(
        f"section 3, {shape.name}",
        "First-Fit performs poorly",
        "poor",
        "jobs matched a bucket that Worse-Fit-Cores "
        "matches more: " + ", ".join(f"{pool} {less.show(1)}" for pool, less in more.items()),
        all_of([exceeds(less) for less in more.values()]),
        f"in every pool {_ABOVE}",
        n,
    )
