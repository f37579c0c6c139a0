from dataclasses import replace

from comparisons import comparison

from loadmaster.report.coinciding import coinciding_words, shown_as_one
from loadmaster.report.compare_page import compare_page
from loadmaster.report.page import Table


def three(last_wait=20.0):
    waits = {("mix-fit", 0.9): 20.0, ("first-fit", 0.9): 20.0, ("best-fit-cores", 0.9): last_wait}
    return comparison(waits)


def test_of_policies_that_coincide_the_baseline_stays():
    shown, same = shown_as_one(three())
    assert same == {"first-fit": ["mix-fit", "best-fit-cores"]}
    assert shown.policies == ("first-fit",)


def test_policies_that_differ_anywhere_stay_apart():
    shown, same = shown_as_one(three(last_wait=21.0))
    assert same == {"first-fit": ["mix-fit"]}
    assert shown.policies == ("first-fit", "best-fit-cores")


def test_policies_that_only_strand_otherwise_stay_apart():
    made = three()
    first, *others = made.outcomes
    apart = replace(made, outcomes=[replace(first, stranded={"cores": 0.5, "memory": 0.0}), *others])
    assert shown_as_one(apart)[1] == {"first-fit": ["best-fit-cores"]}


def test_a_comparison_in_which_all_differ_is_shown_as_it_is():
    made = comparison({("first-fit", 0.9): 1.0, ("mix-fit", 0.9): 2.0})
    assert shown_as_one(made) == (made, {})
    assert coinciding_words({}) == []


def test_the_page_has_one_row_for_them_and_says_whose_it_is():
    table = next(block for block in compare_page(three()).blocks if isinstance(block, Table))
    assert [row[0] for row in table.rows] == ["first-fit"]
    assert table.below == {0: "and mix-fit and best-fit-cores: the same"}
