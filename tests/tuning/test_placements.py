"""Placements as text: what each term weighs, whatever the resources are called."""

import numpy as np
import pytest

from loadmaster.tuning.placements import first_placements, placement_knobs, placement_text

NAMES = ("cores", "memory", "3d", "a b", "a-b")
DEMAND, FREE = np.array([1.0, 2.0, 0, 0, 0]), np.array([3.0, 4.0, 0, 0, 0])
CAPACITY, LARGEST = np.array([4.0, 8.0, 0, 0, 0]), np.array([8.0, 16.0, 0, 0, 0])
KNOBS = placement_knobs(NAMES)


def score_of(**terms):
    values = {knob.name: 0.0 for knob in KNOBS} | {f"placement.{name}": value for name, value in terms.items()}
    made = {}
    exec(placement_text(KNOBS, values, NAMES, LARGEST), made)
    return made["score"](DEMAND, FREE, CAPACITY)


@pytest.mark.parametrize(
    ("terms", "score"),
    [
        ({"cores-part": 1.0}, 0.5), ({"cores-left": -1.0}, -0.25), ({"memory-part": 1.0, "uneven": 2.0}, 0.75),
        ({"size": 1.0}, 0.5), ({"resource-2-part": 1.0}, 0.0), ({"resource-3-left": 1.0, "resource-4-left": 1.0}, 0.0),
        ({}, 0.0),
    ],
)  # fmt: skip
def test_each_term_is_what_the_rules_say(terms, score):
    assert score_of(**terms) == pytest.approx(score)


def test_one_resource_has_no_evenness_and_every_first_placement_has_one_term():
    knobs = placement_knobs(("cores",))
    assert [knob.term for knob in knobs] == ["cores-part", "cores-left", "size"]
    assert [sum(values.values()) for values in first_placements(knobs)] == [1.0, 1.0, 1.0]
