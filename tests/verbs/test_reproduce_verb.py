"""`reproduce` as a user meets it."""

import pytest

from loadmaster.papers.claim import Claim, Reproduction
from loadmaster.verbs.reproduce import verdicts


@pytest.mark.parametrize(("found", "words"), [
    (["holds"], "1 holds"), (["holds", "differs", "holds"], "2 hold, 1 differs"),
    (["differs", "differs", "report only", "report only"], "2 differ, 2 report only"),
])  # fmt: skip
def test_how_many_claims_have_each_verdict_is_said_in_grammar(found, words):
    claims = [Claim("Table 1", "x", "1", "2", verdict) for verdict in found]
    assert verdicts(Reproduction("paper", "A paper", claims, [])) == words
