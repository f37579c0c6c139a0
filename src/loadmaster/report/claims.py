"""The columns of a comparison that set runs beside something else: what really happened, what is possible."""

from loadmaster.report import possible_claims, record_claims
from loadmaster.report.comparison import Comparison
from loadmaster.runs import Outcome

_CLAIMS = ((record_claims.heading, record_claims.against_text), (possible_claims.heading, possible_claims.times_text))


def claim_headings(comparison: Comparison) -> list[str]:
    """Headings of those columns that may be shown."""
    return [heading(comparison) for heading, _ in _CLAIMS if heading(comparison)]


def claim_texts(comparison: Comparison, outcome: Outcome) -> list[str]:
    """The cells of a run in them."""
    return [text(comparison, outcome) for heading, text in _CLAIMS if heading(comparison)]
