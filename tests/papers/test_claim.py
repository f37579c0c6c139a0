"""The judges of claims: every one of them can say yes, no, and that there is nothing to judge."""

import math

from loadmaster.papers.claim import all_of, equals, exceeds, exceeds_by, meets
from loadmaster.papers.estimate import Estimate

NOTHING = Estimate(math.nan, math.nan, math.nan, 0)


def test_a_number_holds_if_its_interval_meets_the_band_and_differs_on_either_side():
    assert meets(Estimate(5.0, 4.9, 5.1, 9), 4, 6) == "holds"
    assert meets(Estimate(6.2, 5.9, 6.5, 9), 4, 6) == "holds"
    assert meets(Estimate(6.2, 6.1, 6.3, 9), 4, 6) == "differs"
    assert meets(Estimate(3.8, 3.7, 3.9, 9), 4, 6) == "differs"


def test_an_interval_too_wide_to_tell_does_not_hold_but_can_differ():
    assert meets(Estimate(5.0, 1.0, 9.0, 3), 4, 6) == "report only"
    assert meets(Estimate(20.0, 10.0, 30.0, 3), 4, 6) == "differs"


def test_an_ordering_holds_only_if_the_whole_interval_is_above():
    assert exceeds(Estimate(0.2, 0.1, 0.3, 9)) == "holds"
    assert exceeds(Estimate(0.2, -0.1, 0.5, 9)) == "differs"
    assert exceeds(Estimate(0.0, 0.0, 0.0, 9)) == "differs"
    assert exceeds(Estimate(1.2, 1.1, 1.3, 9), 1.15) == "differs"


def test_one_run_judges_nothing():
    assert meets(Estimate(5.0, 5.0, 5.0, 1), 4, 6) == "report only"
    assert exceeds(Estimate(5.0, 5.0, 5.0, 1)) == "report only"


def test_nothing_measured_is_neither_held_nor_different():
    assert meets(NOTHING, 0, 1) == exceeds(NOTHING) == equals(math.nan, 1.0) == all_of([]) == "not measured"


def test_numbers_without_chance_are_equal_or_not():
    assert equals(2.0 + 1e-12, 2.0) == "holds"
    assert equals(2.1, 2.0) == "differs"
    assert equals(2.1, 2.0, within=0.2) == "holds"


def test_a_claim_made_of_several_is_as_good_as_its_worst():
    assert all_of(["holds", "holds"]) == "holds"
    assert all_of(["holds", "report only"]) == "report only"
    assert all_of(["holds", "not measured"]) == "not measured"
    assert all_of(["not measured", "differs", "holds"]) == "differs"
    assert all_of(["holds", "ordering holds, size differs"]) == "ordering holds, size differs"


def test_an_ordering_with_a_printed_size_holds_only_near_that_size():
    assert exceeds_by(Estimate(0.22, 0.21, 0.24, 9), 0.22) == "holds"
    assert exceeds_by(Estimate(0.07, 0.03, 0.11, 9), 0.22) == "ordering holds, size differs"
    assert exceeds_by(Estimate(0.40, 0.30, 0.50, 9), 0.22) == "ordering holds, size differs"
    assert exceeds_by(Estimate(0.05, -0.01, 0.11, 9), 0.22) == "differs"
    assert exceeds_by(Estimate(0.22, 0.05, 0.39, 9), 0.22) == "report only"
    assert exceeds_by(NOTHING, 0.22) == "not measured"
