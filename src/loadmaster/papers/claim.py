"""A published claim beside our number, and a paper as a list of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from loadmaster.report.page import Block

Verdict = Literal["holds", "differs", "report only", "not measured"]


@dataclass(frozen=True)
class Claim:
    """One number or ordering of a paper.

    Attributes:
        where: table, figure or page.
        claim: what is claimed, in our own words.
        published: the paper's value, as text; empty where the paper gives none.
        ours: our value, as text, with its 95 % interval where it is a mean.
        verdict: `holds` or `differs` by the band stated in `gate`; `report only` where the paper under-specifies.
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
    """A paper re-run: claims, and the page's blocks (figures with captions) that show them."""

    paper: str
    title: str
    claims: Sequence[Claim]
    blocks: Sequence[Block] = ()
    notes: Sequence[str] = field(default=())
