"""How well caps are kept, measured on real processes: CPU time is asserted, never seconds."""

import pytest

from loadmaster.live.cgroup.groups import why_not
from loadmaster.papers.casanova2008 import caps
from loadmaster.papers.casanova2008.cap_accuracy import Accuracy, CapMeasurement, measure

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "they can be made")


@pytest.fixture(scope="module")
def found():
    return measure(sets=((0.3,), (0.1, 0.2, 0.3)), span_s=1.0)


def test_no_program_has_more_than_its_cap(found):
    assert len(found.kept) == 4
    for each in found.kept:
        assert 0.0 < each.used <= each.cap + 0.03


def test_every_change_of_a_cap_is_answered(found):
    assert len(found.answers_s) == 6
    assert all(0.0 < answer < 5.0 for answer in found.answers_s)


def test_the_claims_stand_with_their_numbers(found):
    shown = caps.claims(found)
    assert [claim.where for claim in shown] == ["p. 28"] * 4
    assert all(claim.ours for claim in shown)
    assert caps.chart(found).chart.to_dict()["layer"]


def accuracy(error, answer, busy):
    kept = tuple(CapMeasurement(1, 0.5, 0.5 + error / 100, 0.5) for _ in range(30))
    return Accuracy(kept, 0.0, (answer,) * 6, 0, busy)


@pytest.mark.parametrize(
    ("error", "answer", "busy", "verdicts"),
    [
        (0.5, 0.1, 0.0, ("holds", "holds")), (5.0, 0.1, 0.0, ("differs", "holds")),
        (0.5, 2.0, 0.0, ("holds", "differs")), (0.5, 0.1, 0.5, ("report only", "report only")),
    ],
)  # fmt: skip
def test_a_verdict_can_say_no_and_a_busy_core_tells_nothing(error, answer, busy, verdicts):
    shown = caps.claims(accuracy(error, answer, busy))
    assert (shown[0].verdict, shown[2].verdict) == verdicts
