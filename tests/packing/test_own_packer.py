"""A packer of the user's own: a function of the instance alone."""

import pytest

import loadmaster as lm
from loadmaster.model import InputError

FOUR = lm.generate.virtual_clusters(hosts=4, tasks=4, seed=1)


def one_each(instance):
    return list(range(instance.tasks))


def all_on_one(instance):
    return [0] * instance.tasks


def leaves_the_last(instance):
    return [*range(instance.tasks - 1), -1]


def too_few(instance):
    return [0]


def fails(instance):
    return 1 / 0


def test_what_it_places_is_judged_as_any_placement():
    made = lm.pack(FOUR, method=one_each)
    assert made.placed
    assert made.frame["host"].to_list() == ["0", "1", "2", "3"]
    assert made.figures["solver"] == "@one_each"


def test_a_task_that_it_leaves_out_is_a_result():
    made = lm.pack(FOUR, method=leaves_the_last)
    assert not made.placed
    assert "does not place every task" in made.answer


@pytest.mark.parametrize(
    ("packer", "says"),
    [
        (all_on_one, "it puts .* of memory on host 0"),
        (too_few, "for each of the 4 tasks"),
        (fails, "ZeroDivisionError"),
    ],
)
def test_a_packer_that_cannot_be_believed_is_told_in_one_line(packer, says):
    many = lm.generate.virtual_clusters(hosts=2, tasks=4, slack=0.05, seed=1)
    with pytest.raises(InputError, match=says):
        lm.pack(many, method=packer)
