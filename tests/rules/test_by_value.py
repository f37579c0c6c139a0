"""Rules given in Python bear names, under which everything finds them."""

import pytest

from loadmaster.model import InputError
from loadmaster.place.load import policy_named
from loadmaster.rules.by_value import naming
from loadmaster.rules.find import Reference, sources
from loadmaster.scheduling.notation import discipline_named, files_of


def mine(demand, free, capacity):
    return free[0]


def rank(job, now):
    return job.cores


class Walk:
    """Nobody is served."""

    def serve(self, this_pass):
        """Start nobody."""


def other(number):
    def mine(demand, free, capacity):
        return number * free[0]

    return mine


def test_a_function_is_found_under_its_name_and_its_text_goes_along():
    with naming() as name:
        assert name("mix-fit") == "mix-fit"
        assert name(mine) == "@mine"
        assert str(Reference.of("@mine")) == "@mine"
        assert policy_named("@mine").score is not mine
        assert policy_named("@mine").score([1], [2], [3]) == 2
        assert sources("@mine", "mix-fit").keys() == {"@mine"}


def test_two_functions_of_one_name_are_told_apart_and_the_same_one_is_one():
    with naming() as name:
        assert [name(each) for each in (mine, other(2), mine, other(3), other(2))] == [
            "@mine",
            "@mine.2",
            "@mine",
            "@mine.3",
            "@mine.2",
        ]
        assert policy_named("@mine.3").score([1], [2], [3]) == 6


def test_lambdas_are_told_apart_by_number_where_rules_may_be_called_in_this_process():
    fewest, most = lambda demand, free, capacity: free[0], lambda demand, free, capacity: -free[0]
    with naming(in_process=True) as name:
        assert [name(each) for each in (fewest, most, fewest)] == ["@lambda", "@lambda.2", "@lambda"]
        assert policy_named("@lambda.2").score([1], [2], [3]) == -2
    with naming() as name, pytest.raises(InputError, match="it is a lambda"):
        name(fewest)


def test_a_function_defined_anew_takes_the_place_of_the_old_unless_that_is_at_work():
    with naming() as name:
        assert name(other(2)) == "@mine"
        with naming() as beside:
            assert beside(other(3)) == "@mine.2"
    with naming() as name:
        assert name(other(4)) == "@mine"
        assert policy_named("@mine").score([1], [2], [3]) == 8


def test_orders_and_backfillings_stand_in_the_one_notation():
    with naming() as name:
        spec = f"{name(rank)}+{name(Walk)}"
        assert spec == "@rank+@Walk"
        assert files_of(spec) == ["@rank", "@Walk"]
        assert discipline_named(spec).name == spec
        assert discipline_named(f"{name(rank)}+easy(heads=2)").backfilling.heads == 2
        assert type(discipline_named(name(Walk)).backfilling).__name__ == "Walk"


def test_a_name_that_was_not_given_is_refused():
    with pytest.raises(InputError, match="no function of that name was given in Python"):
        policy_named("@nobody")
