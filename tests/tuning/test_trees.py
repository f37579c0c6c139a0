"""Trees as text: what is written is what was drawn, readable, and never anything but a number."""

import ast
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.tuning.trees import DEPTH, cut, expression, first_trees, tree_knobs, tree_text

NAMES = ("cores", "memory", "3d", "a b", "a-b")
DEMAND, FREE = np.array([1.0, 2.0, 0, 0, 0]), np.array([3.0, 4.0, 0, 0, 0])
CAPACITY, LARGEST = np.array([4.0, 8.0, 0, 0, 0]), np.array([8.0, 16.0, 0, 0, 0])
KNOBS = tree_knobs(NAMES)
EMPTY = {knob.name: knob.words[0] for knob in KNOBS}
DRAWN = st.fixed_dictionaries({knob.name: st.sampled_from(knob.words) for knob in KNOBS})


def tree(**places):
    return EMPTY | {f"tree.{place.strip('p')}": word for place, word in places.items()}


def score_of(values):
    made = {}
    exec(tree_text(values, NAMES, LARGEST), made)
    return made["score"](DEMAND, FREE, CAPACITY)


@pytest.mark.parametrize(
    ("values", "text", "score"),
    [
        (tree(p8="cores_part"), "cores_part", 0.5),
        (tree(p1="plus", p8="cores_left", p12="memory_asked"), "cores_left + memory_asked", 0.375),
        (tree(p1="minus", p8="size", p3="plus", p12="1.0", p14="cores_part"), "size - (1.0 + cores_part)", -1.0),
        (tree(p1="times", p2="minus", p8="2.0", p10="size", p12="0.5"), "(2.0 - size) * 0.5", 0.75),
        (tree(p1="over", p8="memory_part", p12="cores_part"), "over(memory_part, cores_part)", 0.5),
        (tree(p1="over", p8="memory_part", p12="resource_2_part"), "over(memory_part, resource_2_part)", 1.0),
        (tree(p1="smaller", p8="1.0", p3="larger", p12="2.0", p14="size"), "min(1.0, max(2.0, size))", 1.0),
    ],
)
def test_a_tree_is_written_as_python_and_scores_as_it_reads(values, text, score):
    assert expression(values) == text
    assert score_of(values) == pytest.approx(score)


@given(DRAWN)
def test_every_tree_is_a_finite_number_no_deeper_than_the_limit_with_nothing_unused(values):
    assert math.isfinite(score_of(values))
    body = ast.parse(tree_text(values, NAMES, LARGEST))
    function = next(each for each in body.body if isinstance(each, ast.FunctionDef) and each.name == "score")
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assert {line.targets[0].id for line in function.body if isinstance(line, ast.Assign)} <= read
    assert _height(function.body[-1].value) <= DEPTH


def _height(node):
    if isinstance(node, ast.BinOp):
        return 1 + max(_height(node.left), _height(node.right))
    if isinstance(node, ast.Call):
        return 1 + max(map(_height, node.args))
    return 0


@given(DRAWN)
def test_what_is_cut_is_shorter_and_said(values):
    for knob, less in cut(KNOBS, values):
        assert knob.meaning == f"leaves {expression(less)}"
        assert len(expression(less)) < len(expression(values))
    assert bool(cut(KNOBS, values)) == (_height(ast.parse(expression(values), mode="eval").body) > 0)


def test_first_trees_are_best_fits_a_product_and_the_distance_of_mix_fit():
    found = [expression(values) for values in first_trees(("cores", "memory"))]
    assert found == [
        "cores_part",
        "cores_left",
        "memory_part",
        "memory_left",
        "cores_part * memory_part",
        "max(cores_part - memory_part, memory_part - cores_part)",
    ]
    assert [expression(values) for values in first_trees(("cores",))] == ["cores_part", "cores_left"]
    knobs = {knob.name: knob.words for knob in tree_knobs(("cores", "memory"))}
    for values in first_trees(("cores", "memory")):
        assert all(values[name] in words for name, words in knobs.items())
