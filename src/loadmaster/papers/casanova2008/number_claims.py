"""The kinds of number that Casanova et al. print, each from our instances with its interval, as a claim."""

from collections.abc import Sequence

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.papers.casanova2008.outcome import StudyPart, percent_below, percent_over
from loadmaster.papers.claim import Claim, all_of, exceeds, meets
from loadmaster.papers.estimate import Estimate, part_of, resampled

PAIRED = "In brackets: both averaged over the same instances. The paper averages each algorithm over what it solved."
ORDER = "the interval of the difference lies above 0"


def count(where: str, claim: str, published: int, instances: Bools, low: int, high: int, full: int) -> Claim:
    """In how many of `full` instances something is so, from those that were run, against a band."""
    found = part_of(instances).times(full)
    return Claim(
        where,
        f"{claim}, of {full:,}",
        str(published),
        found.show(0),
        meets(found, low, high),
        f"interval meets {low} to {high}",
        found.n,
        "" if found.n == full else f"{int(instances.sum())} of the {found.n:,} instances that were run",
    )


def over(where: str, claim: str, published: str, one: Floats, other: Floats, band: tuple[int, int]) -> Claim:
    """Percent by which one mean is above another over the same instances; the paper's way beside it."""
    found = resampled(paired_percent, one, other)
    alone = percent_over(one, other)[0]
    return Claim(
        where,
        claim,
        published,
        f"{alone:.1f}; paired {found.show(1)}",
        meets(found, *band),
        f"interval of the paired one meets {band[0]} to {band[1]}",
        found.n,
        PAIRED,
    )


def below(
    where: str, outcome: StudyPart, name: str, rows: Bools, claim: str, published: str, band: tuple[float, float]
) -> Claim:
    """Percent below the bound, in the paper's way, with the same instances in brackets."""
    found = resampled(_below, outcome.level[name][rows], outcome.bound[rows])
    same = percent_below(outcome, name, rows)[1]
    return Claim(
        where,
        claim,
        published,
        f"{found.show(1)}; over the same {same:.1f}",
        meets(found, *band),
        f"interval meets {band[0]:g} to {band[1]:g}",
        found.n,
        "The paper's way: yield over solved instances, the bound over all; beside it both over the same, solved ones.",
    )


def ordering(where: str, claim: str, found: Sequence[Estimate], shown: str, note: str = "") -> Claim:
    """One or several differences that must each lie above 0."""
    return Claim(
        where, claim, "yes", shown, all_of([exceeds(one) for one in found]), ORDER, min(one.n for one in found), note
    )


def fewer(one: Bools, other: Bools) -> Estimate:
    """By how many percent `one` is so more often than `other`, over the same instances; fewer is below 0."""
    return resampled(_change, one, other)


def ahead(one: Floats, other: Floats) -> Estimate:
    """By how much the mean of `one` over what it solved is above that of `other`."""
    return resampled(_difference, one, other)


def falls(level: Floats, at: Floats, first: float, then: float) -> Estimate:
    """By how much the mean level of solved instances is lower where `at` is `then` than where it is `first`."""
    high, low = np.isclose(at, first), np.isclose(at, then)

    def drop(values: Floats, here: Bools, there: Bools) -> float:
        return _difference(values[here], values[there])

    return resampled(drop, level, high, low)


def paired_percent(one: Floats, other: Floats) -> float:
    """By how many percent `one` is above `other` on the instances that both solved."""
    both = ~np.isnan(one) & ~np.isnan(other)
    return float(100.0 * (one[both].mean() / other[both].mean() - 1.0)) if both.any() else float("nan")


def _below(own: Floats, bound: Floats) -> float:
    solved = own[~np.isnan(own)]
    return float(100.0 * (1.0 - solved.mean() / bound.mean())) if len(solved) else float("nan")


def _difference(one: Floats, other: Floats) -> float:
    return float(np.nanmean(one) - np.nanmean(other)) if _some(one) and _some(other) else float("nan")


def _change(one: Bools, other: Bools) -> float:
    return float(100.0 * (one.sum() / other.sum() - 1.0)) if other.any() else float("nan")


def _some(values: Floats) -> bool:
    return bool((~np.isnan(values)).any())
