"""The claims on what Max-Jobs chose beside our numbers (Shai 2014, section 6, Figure 6.4)."""

from collections.abc import Mapping

import numpy as np

from loadmaster.papers.claim import Claim, all_of, exceeds
from loadmaster.papers.estimate import Estimate, mean_of
from loadmaster.papers.shai2014.loads import Curves
from loadmaster.papers.shai2014.published import HEURISTICS, LEAST_MIX_SHARE, MIX, NAMES

_FIGURE = "Figure 6.4"


def choice_claims(pools: Mapping[str, Curves], logs: Mapping[str, Curves]) -> list[Claim]:
    """Shares of the cycles in which each member won or tied, over all loads."""
    everything = {**pools, **logs}
    lowest = min(everything, key=lambda name: _shares(everything[name])[MIX])
    claims = [
        _most_often(pools or logs),
        Claim(
            _FIGURE,
            "the lowest share of Mix-Fit",
            f"{LEAST_MIX_SHARE:.0%}, in pool A",
            f"{_shares(everything[lowest])[MIX]:.1%}, in {everything[lowest].label}",
            "report only",
            n=len(everything),
            note="it falls with the jobs a cycle, so it depends on the scale of the pools",
        ),
    ]
    for pool in ("A", "D"):
        if pool in pools:
            chosen = pools[pool].chosen.mean(axis=1)
            lead = mean_of(
                chosen[:, HEURISTICS.index("best-fit-memory")] - chosen[:, HEURISTICS.index("worse-fit-cores")]
            )
            claims.append(
                Claim(
                    _FIGURE,
                    f"pool {pool}: Best-Fit-Memory is chosen markedly more often than Worse-Fit-Cores",
                    "markedly",
                    f"by {lead.percent()} of the cycles",
                    "report only",
                    n=len(chosen),
                )
            )
    total = min(float(curves.chosen.sum(axis=2).mean()) for curves in everything.values())
    claims.append(
        Claim(
            _FIGURE,
            "the shares sum to more than 100 %: often several heuristics do equally well",
            "more than 100 %",
            f"at least {total:.0%}",
            "report only",
            n=len(everything),
            note="so by construction: a cycle in which one job waits is a tie of all",
        )
    )
    return claims


def _most_often(curves: Mapping[str, Curves]) -> Claim:
    leads = {name: _lead(one) for name, one in curves.items()}
    parts = "; ".join(
        f"{one.label}: {leads[name].percent()} more than any other ("
        + ", ".join(f"{NAMES[member]} {share:.1%}" for member, share in _shares(one).items())
        + ")"
        for name, one in curves.items()
    )
    return Claim(
        _FIGURE,
        "Max-Jobs chose Mix-Fit most often",
        "all pools",
        parts,
        all_of([exceeds(lead) for lead in leads.values()]),
        "in each the interval of its lead lies above 0",
        min(len(one.chosen) for one in curves.values()),
        "shares differ by few points, as most cycles end in a tie of all or of many",
    )


def _lead(curves: Curves) -> Estimate:
    """By how much Mix-Fit's share is above the largest of the others'."""
    chosen = curves.chosen.mean(axis=1)
    others = [m for m, member in enumerate(HEURISTICS) if member != MIX]
    second = others[int(np.argmax(chosen[:, others].mean(axis=0)))]
    return mean_of(chosen[:, HEURISTICS.index(MIX)] - chosen[:, second])


def _shares(curves: Curves) -> dict[str, float]:
    means = curves.chosen.mean(axis=(0, 1))
    return {member: float(means[m]) for m, member in enumerate(HEURISTICS)}
