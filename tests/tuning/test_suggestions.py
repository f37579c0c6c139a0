"""What is requested next depends on the trials before and the seed alone."""

import math

import pytest

from loadmaster.tuning.figures import Figures
from loadmaster.tuning.knobs import Knob, weight
from loadmaster.tuning.suggestions import BATCH, TriedRule, ask, distributions

KNOBS = (
    weight("order.length", "w"), Knob("order.patience-h", "p", 1.0, 300.0),
    Knob("backfilling.heads", "h", 1, 8, step=1), Knob("backfilling.fill", "f", words=("order", "shortest")),
)  # fmt: skip


def history(count, goals=1):
    made = []
    while len(made) < count:
        for values in ask(KNOBS, made, [0.0] * len(made), min(BATCH, count - len(made)), seed=3):
            value = abs(values["order.length"] - 0.5) + math.log(values["order.patience-h"]) / 10
            made.append(TriedRule(len(made), values, Figures((value,) * goals, 0.1)))
    return made


def test_the_same_trials_and_seed_ask_for_the_same_and_another_seed_for_others():
    before = history(12)
    first, again, other = (ask(KNOBS, before, [0.0] * 12, BATCH, seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_a_smaller_batch_is_the_beginning_of_a_larger_one():
    before = history(12)
    assert ask(KNOBS, before, [0.0] * 12, 2, 0) == ask(KNOBS, before, [0.0] * 12, BATCH, 0)[:2]


def test_what_is_asked_for_is_in_its_range_and_of_its_kind():
    for trial in history(24, goals=2):
        assert -1 <= trial.values["order.length"] <= 1
        assert trial.values["order.length"] == round(trial.values["order.length"], 2)
        assert 1 <= trial.values["order.patience-h"] <= 300
        assert isinstance(trial.values["order.patience-h"], int)
        assert trial.values["backfilling.heads"] in range(1, 9)
        assert trial.values["backfilling.fill"] in ("order", "shortest")


def test_the_search_comes_closer_to_what_is_best():
    values = [trial.figures.value for trial in history(40)]
    assert min(values[20:]) < min(values[:10])


def test_who_is_over_the_limit_is_not_followed():
    before = history(24)
    lean = [trial.values["order.length"] for trial in before]
    excess = [1.0 if value > 0 else 0.0 for value in lean]
    asked = ask(KNOBS, before, excess, 12, seed=0)
    assert sum(values["order.length"] <= 0 for values in asked) > 8


def test_what_a_search_begins_with_takes_the_place_of_draws_at_random():
    known = [
        TriedRule(
            k,
            {"order.length": value, "order.patience-h": 200, "backfilling.heads": 1, "backfilling.fill": "order"},
            Figures((value,), 0.0),
        )
        for k, value in enumerate((-0.8, -0.79, 0.0, 0.1, 0.3, 0.5, 0.7, 0.9))
    ]
    asked = ask(KNOBS, known, [0.0] * len(known), 12, seed=0)
    assert sum(values["order.length"] < 0 for values in asked) > 8


@pytest.mark.parametrize("knob", KNOBS)
def test_every_knob_has_a_range_that_optuna_knows(knob):
    assert list(distributions([knob])) == [knob.name]
