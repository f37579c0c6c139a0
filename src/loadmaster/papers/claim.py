"""A published claim beside our number, how it is judged, and a paper as a list of claims.

Every verdict comes from one of the judges below, and each of them can say no: a verdict that could not change,
whatever the code did, is a remark and stands as `report only`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from loadmaster.papers.estimate import Estimate
from loadmaster.report.page import Block

Verdict = Literal["holds", "ordering holds, size differs", "differs", "report only", "not measured"]
SIZE = 0.2
"""The band around a published size, as a part of it, where the paper gives no interval."""


@dataclass(frozen=True)
class Claim:
    """One number or ordering of a paper.

    Attributes:
        where: table, figure or page.
        claim: what is claimed, in our own words.
        published: the paper's value, as text; empty where the paper gives none.
        ours: our value, as text, with its 95 % interval.
        verdict: by a judge of this module `holds`, `differs`, or `ordering holds, size differs` where ours lies on the
            side that the paper says and not near its number; `report only` where the paper under-specifies, where too
            little was run to tell, and for remarks; `not measured` where there is no number.
        gate: the band or ordering tested.
        n: how many runs or instances stand behind our value.
        note: why ours differs and which of the two we believe.
    """

    where: str
    claim: str
    published: str
    ours: str
    verdict: Verdict
    gate: str = ""
    n: int = 0
    note: str = ""


@dataclass(frozen=True)
class Reproduction:
    """A paper re-run.

    Attributes:
        paper: its name here, author and year.
        title: the paper's own.
        claims: what it says, each beside what came out here.
        blocks: the page's, figures with captions, that show them.
        notes: facts that a reader must know beside the claims, one sentence each.
    """

    paper: str
    title: str
    claims: Sequence[Claim]
    blocks: Sequence[Block] = ()
    notes: Sequence[str] = field(default=())


def meets(found: Estimate, low: float, high: float) -> Verdict:
    """Judge a published number: our interval and the band around it overlap.

    An interval wider than the band would meet almost any number, so it tells nothing: `report only`.

    Example:
        >>> meets(Estimate(11.6, 11.4, 11.8, 200), 11, 12), meets(Estimate(14.0, 13.8, 14.2, 200), 11, 12)
        ('holds', 'differs')
    """
    if not found.measured:
        return "not measured"
    if found.n < 2:
        return "report only"
    if found.high < low or found.low > high:
        return "differs"
    return "report only" if found.high - found.low > high - low else "holds"


def exceeds(found: Estimate, least: float = 0.0) -> Verdict:
    """Judge an ordering: the interval of the paired difference (or ratio) lies above `least` as a whole.

    Example:
        >>> exceeds(Estimate(0.3, 0.1, 0.5, 20)), exceeds(Estimate(0.3, -0.1, 0.7, 20))
        ('holds', 'differs')
    """
    if not found.measured:
        return "not measured"
    if found.n < 2:
        return "report only"
    return "holds" if found.low > least else "differs"


def exceeds_by(found: Estimate, published: float) -> Verdict:
    """Judge an ordering whose size is printed: `found` must lie above 0, and within `SIZE` of what is published.

    Example:
        >>> exceeds_by(Estimate(0.21, 0.20, 0.23, 20), 0.22), exceeds_by(Estimate(0.069, 0.031, 0.106, 20), 0.22)
        ('holds', 'ordering holds, size differs')
    """
    ordering, size = exceeds(found), meets(found, published * (1 - SIZE), published * (1 + SIZE))
    return "ordering holds, size differs" if (ordering, size) == ("holds", "differs") else all_of([ordering, size])


def equals(ours: float, published: float, within: float = 1e-9) -> Verdict:
    """Judge a number that chance has no part in."""
    if not math.isfinite(ours):
        return "not measured"
    return "holds" if abs(ours - published) <= within else "differs"


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Judge a claim made of several: it differs if one does, and holds only if each does."""
    worst_first: tuple[Verdict, ...] = (
        "differs",
        "ordering holds, size differs",
        "not measured",
        "report only",
        "holds",
    )
    return next((verdict for verdict in worst_first if verdict in verdicts), "not measured")
