"""A race that is looked at again and again is wrong no more often than one that is looked at once."""

import numpy as np
import pytest

from loadmaster.measure.sequential_test import judge_at_look, samples_at, unsure_at


def race(levels, noise, seed, looks=6):
    """Run until it stops; the last look, and its number."""
    rng = np.random.default_rng(seed)
    samples = samples_at(looks)
    table = np.exp(np.array(levels)[:, None] + rng.normal(0, noise, (len(levels), samples)))
    rows = tuple(range(len(levels)))
    for look in range(1, looks + 1):
        found = judge_at_look(table[:, : samples_at(look)], rows, look)
        if found.stop:
            return found, look
        rows = found.left
    return found, looks


def test_all_looks_together_spend_the_chance_to_be_wrong_once():
    assert sum(unsure_at(look) for look in range(1, 10_000)) == pytest.approx(0.05, rel=1e-3)


def test_two_equal_rules_looked_at_six_times_are_told_apart_in_at_most_one_of_twenty_races():
    wrong = sum(race([0, 0], 0.3, seed)[0].stop == "best" for seed in range(600))
    assert wrong / 600 <= 0.05


def test_a_clear_best_is_found_at_the_first_look_and_a_faint_one_later():
    clear, first = race([0, -1.0, 0.5], 0.2, 1)
    faint, later = race([0, -0.2], 0.4, 3)
    assert (clear.stop, clear.left, faint.stop, faint.left) == ("best", (1,), "best", (1,))
    assert first == 1 < later


def test_the_true_best_is_hardly_ever_lost_on_the_way():
    lost = sum(1 not in race([0, -0.05, 0.1, 0.3], 0.2, seed)[0].left for seed in range(300))
    assert lost / 300 <= 0.05


def test_who_is_surely_worse_is_not_raced_on():
    rng = np.random.default_rng(0)
    table = np.exp(np.array([0.0, 0.0, 2.0])[:, None] + rng.normal(0, 0.2, (3, 10)))
    assert set(judge_at_look(table, (0, 1, 2), 1).left) == {0, 1}


def test_rules_that_differ_by_less_than_a_hundredth_end_the_race_as_close():
    found, _ = race([0, 0], 0.005, 0)
    assert found.stop == "close"
    assert set(found.left) == {0, 1}
