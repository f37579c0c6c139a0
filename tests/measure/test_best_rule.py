"""A best is named only where it is better than every other rule beyond chance."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.measure.best_rule import holm, verdict_of_samples, weeks_to_tell
from loadmaster.measure.paired_comparison import over_resamples, over_seeds


def waits(*levels, samples=60, noise=0.02, seed=0):
    """A row a level; all share what a sample does to the queue."""
    rng = np.random.default_rng(seed)
    common = rng.normal(0, 1.5, samples)
    return np.exp(common + np.array(levels)[:, None] + rng.normal(0, noise, (len(levels), samples)))


TWELVE_WEEKS = partial(over_resamples, weeks=12)


def test_a_rule_that_is_better_than_every_other_in_each_sample_is_the_best_whatever_the_samples_do_to_all():
    verdict = verdict_of_samples(waits(0.0, -0.5, 0.3), range(3), TWELVE_WEEKS)
    assert (verdict.kind, verdict.best) == ("best", (1,))
    assert verdict.apart[0].change[0] == pytest.approx(np.exp(-0.5) - 1, abs=0.02)


def test_those_that_cannot_be_told_from_the_leader_are_tied_with_it():
    verdict = verdict_of_samples(waits(0.0, -0.5, -0.49), range(3), TWELVE_WEEKS)
    assert verdict.kind == "tied"
    assert set(verdict.best) == {1, 2}


def test_two_rules_equal_to_the_bit_are_tied():
    table = waits(0.0, -0.5)
    verdict = verdict_of_samples(np.vstack((table, table[1])), range(3), TWELVE_WEEKS)
    assert (verdict.kind, set(verdict.best)) == ("tied", {1, 2})


@pytest.mark.parametrize("samples", [20, 60])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_tied_in_all_weeks_of_a_log_needs_more_of_them_and_the_last_no_fewer_than_the_first(samples, seed):
    table = waits(0.0, -0.06, 0.02, -0.05, 0.01, 0.9, samples=samples, noise=0.04, seed=seed)
    verdict = verdict_of_samples(table, range(6), TWELVE_WEEKS)
    leader, *tied = verdict.best
    spread = {row: float(np.log(table[leader] / table[row]).std(ddof=1)) for row in verdict.apart}
    needed = weeks_to_tell(verdict, spread, 12)
    assert verdict.kind == "tied"
    assert all(needed[row] > 12 for row in tied)
    assert needed[5] < 12
    alone = verdict_of_samples(table[[leader, tied[0]]], range(2), TWELVE_WEEKS)
    assert weeks_to_tell(alone, {1: spread[tied[0]]}, 12)[1] <= needed[tied[0]]


def test_rows_that_may_not_be_judged_are_not_there():
    verdict = verdict_of_samples(waits(0.0, -0.5, 0.3), [0, 2], TWELVE_WEEKS)
    assert (verdict.kind, verdict.best) == ("best", (0,))


def test_one_rule_alone_has_no_verdict():
    assert verdict_of_samples(waits(0.0), [0], TWELVE_WEEKS).kind == "none"


def test_equal_rules_are_called_different_in_at_most_one_of_twenty_races():
    wrong = sum(
        verdict_of_samples(waits(0, 0, 0, samples=12, seed=s), range(3), over_seeds).kind == "best" for s in range(400)
    )
    assert wrong / 400 <= 0.05


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_keeps_their_order_and_stays_a_probability(p):
    adjusted = holm(p)
    assert all(raw <= new <= 1 for raw, new in zip(p, adjusted, strict=True))
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)
