"""The claims on what Max-Jobs chose beside our numbers (Shai 2014, section 6, Figure 6.4)."""

from collections.abc import Mapping

from loadmaster.papers.claim import Claim
from loadmaster.papers.shai2014.interval import estimate
from loadmaster.papers.shai2014.loads import Curves
from loadmaster.papers.shai2014.published import HEURISTICS, LEAST_MIX_SHARE, MIX, NAMES

_FIGURE = "Figure 6.4"


def choice_claims(pools: Mapping[str, Curves], logs: Mapping[str, Curves]) -> list[Claim]:
    """Shares of the cycles in which each member won or tied, over all loads."""
    everything = {**pools, **logs}
    most, parts = [], []
    lowest = min(everything, key=lambda name: _shares(everything[name])[MIX])
    for name, curves in everything.items():
        shares = _shares(curves)
        first = max(shares, key=lambda member: shares[member])
        if shares[MIX] >= shares[first]:
            most.append(name)
        parts.append(f"{curves.label}: " + ", ".join(f"{NAMES[member]} {shares[member]:.1%}" for member in HEURISTICS))
    wanted = 3 if len(pools) == 4 else len(everything)
    claims = [
        Claim(
            _FIGURE, "Max-Jobs chose Mix-Fit most often", "all pools",
            f"in {', '.join(most) or 'none'}; " + "; ".join(parts),
            "holds" if len([name for name in most if name in pools or not pools]) >= wanted else "differs",
            f"highest share in at least {wanted} of {len(pools) or len(everything)} pools", len(everything),
            "" if len(most) >= wanted else "shares differ by few points, as most cycles end in a tie of all or of many",
        ),
        Claim(
            _FIGURE, "the lowest share of Mix-Fit", f"{LEAST_MIX_SHARE:.0%}, in pool A",
            f"{_shares(everything[lowest])[MIX]:.1%}, in {everything[lowest].label}", "report only", n=len(everything),
            note="it falls with the jobs a cycle, so it depends on the scale of the pools",
        ),
    ]  # fmt: skip
    for pool in ("A", "D"):
        if pool in pools:
            chosen = pools[pool].chosen.mean(axis=1)
            lead = estimate(
                chosen[:, HEURISTICS.index("best-fit-memory")] - chosen[:, HEURISTICS.index("worse-fit-cores")]
            )
            claims.append(
                Claim(
                    _FIGURE, f"pool {pool}: Best-Fit-Memory is chosen markedly more often than Worse-Fit-Cores",
                    "markedly", f"by {lead.percent()} of the cycles", "report only", n=len(chosen),
                )
            )  # fmt: skip
    total = min(float(curves.chosen.sum(axis=2).mean()) for curves in everything.values())
    claims.append(
        Claim(
            _FIGURE, "the shares sum to more than 100 %: often several heuristics do equally well", "more than 100 %",
            f"at least {total:.0%}", "holds" if total > 1.0 else "differs", "more than 100 % in every pool",
            len(everything),
        )
    )  # fmt: skip
    return claims


def _shares(curves: Curves) -> dict[str, float]:
    means = curves.chosen.mean(axis=(0, 1))
    return {member: float(means[m]) for m, member in enumerate(HEURISTICS)}
