"""The middle of candidates lies between them, on the steps of each knob."""

import pytest

from loadmaster.tuning.figures import Figures
from loadmaster.tuning.knobs import Knob, weight
from loadmaster.tuning.suggestions import TriedRule, ask, distributions, trial_average

WEIGHT, HOURS = weight("order.length", "w"), Knob("order.patience-h", "p", 1.0, 300.0)
HEADS, FILL = Knob("backfilling.heads", "h", 1, 8, step=1), Knob("backfilling.fill", "f", words=("order", "shortest"))


@pytest.mark.parametrize(
    ("knob", "values", "between"),
    [
        (WEIGHT, (-0.25, 0.5, 0.11), 0.12), (WEIGHT, (-0.01, 0.01), 0.0), (HOURS, (2, 200), 20), (HOURS, (5,), 5),
        (HEADS, (1, 8, 1), 3), (FILL, ("order", "shortest", "shortest"), "shortest"),
        (FILL, ("order", "shortest"), "order"),
    ],
)  # fmt: skip
def test_it_lies_between_them_and_is_of_their_kind(knob, values, between):
    made = trial_average([knob], [{knob.name: value} for value in values])[knob.name]
    assert made == between
    assert type(made) is type(values[0])
    assert distributions([knob])[knob.name]._contains(distributions([knob])[knob.name].to_internal_repr(made))


def test_what_is_asked_for_begins_with_the_middle_of_the_best_quarter_that_keeps_the_limit():
    values = [{"order.length": k / 10, "order.patience-h": 10} for k in range(-8, 8)]
    history = [TriedRule(k, each, Figures((abs(k - 6.6),), 0.0)) for k, each in enumerate(values)]
    excess = [1.0 if k in (6, 7) else 0.0 for k in range(16)]  # of the rest the best are 8, 5, 9 and 4
    asked = ask([WEIGHT, HOURS], history, excess, 4, seed=0)
    assert asked[0] == {"order.length": -0.15, "order.patience-h": 10}
    assert len(asked) == 4
    assert asked[0] not in asked[1:]


def test_without_several_that_keep_the_limit_nothing_lies_between():
    history = [TriedRule(k, {"order.length": 0.5, "order.patience-h": 10}, Figures((0.0,), 0.0)) for k in range(8)]
    one = ask([WEIGHT, HOURS], history, [0.0] + [1.0] * 7, 2, seed=0)
    none = ask([WEIGHT, HOURS], history, [1.0] * 8, 2, seed=0)
    assert {"order.length": 0.5, "order.patience-h": 10} not in (*one, *none)
