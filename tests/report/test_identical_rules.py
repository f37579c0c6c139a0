from dataclasses import replace

from comparisons import comparison

from loadmaster.report.compare_page import compare_page
from loadmaster.report.identical_rules import identical_rules_notes, shown_as_one
from loadmaster.report.page import Table


def three(last_wait=20.0):
    waits = {("mix-fit", 0.9): 20.0, ("first-fit", 0.9): 20.0, ("best-fit-cores", 0.9): last_wait}
    return comparison(waits)


def named(same):
    """By policy, those that are shown as it."""
    return {rule[0]: [each.policy for each in rules if each.policy != rule[0]] for rule, rules in same.items()}


def test_of_policies_that_coincide_the_baseline_stays():
    shown, same = shown_as_one(three())
    assert named(same) == {"first-fit": ["mix-fit", "best-fit-cores"]}
    assert [outcome.setting.policy for outcome in shown.outcomes] == ["first-fit"]


def test_policies_that_differ_anywhere_stay_apart():
    shown, same = shown_as_one(three(last_wait=21.0))
    assert named(same) == {"first-fit": ["mix-fit"]}
    assert [outcome.setting.policy for outcome in shown.outcomes] == ["first-fit", "best-fit-cores"]


def test_policies_that_only_strand_otherwise_stay_apart():
    made = three()
    first, *others = made.outcomes
    apart = replace(made, outcomes=[replace(first, stranded={"cores": 0.5, "memory": 0.0}), *others])
    assert named(shown_as_one(apart)[1]) == {"first-fit": ["best-fit-cores"]}


def test_a_comparison_in_which_all_differ_is_shown_as_it_is():
    made = comparison({("first-fit", 0.9): 1.0, ("mix-fit", 0.9): 2.0})
    assert shown_as_one(made) == (made, {})
    assert identical_rules_notes(made, {}) == []


def test_the_page_has_one_row_for_them_and_says_whose_it_is():
    table = next(block for block in compare_page(three()).blocks if isinstance(block, Table))
    assert [row[0] for row in table.rows] == ["first-fit"]
    assert table.below == {0: "and mix-fit and best-fit-cores: the same"}


def test_rules_of_several_disciplines_coincide_one_by_one_and_the_page_says_which():
    """Under easy the policies differ; the walk is the same under both, and the same as fcfs."""
    waits = {("first-fit", 0.9, "netbatch"): 20.0, ("mix-fit", 0.9, "netbatch"): 20.0}
    waits |= {("first-fit", 0.9, "easy"): 9.0, ("mix-fit", 0.9, "easy"): 8.0, ("first-fit", 0.9, "fcfs"): 20.0}
    made = comparison(waits)
    shown, same = shown_as_one(made)
    assert [shown.rule_name(o.setting) for o in shown.outcomes] == [
        "first-fit under netbatch",
        "first-fit under easy",
        "mix-fit under easy",
    ]
    assert identical_rules_notes(made, same) == [
        "The runs of first-fit under netbatch, mix-fit under netbatch and first-fit under fcfs are the same in all that"
        " is measured: they are shown as one, first-fit under netbatch."
    ]
    table = next(block for block in compare_page(made).blocks if isinstance(block, Table))
    assert table.below == {0: "and mix-fit and first-fit under fcfs: the same"}
    assert [row[2] for row in table.rows] == ["baseline", "−55\N{NO-BREAK SPACE}%", "−60\N{NO-BREAK SPACE}%"]


def test_policies_that_coincide_under_all_disciplines_are_told_once():
    waits = {(policy, 0.9, way): len(way) * 1.0 for policy in ("first-fit", "mix-fit") for way in ("netbatch", "easy")}
    made = comparison(waits)
    assert identical_rules_notes(made, shown_as_one(made)[1]) == [
        "The runs of first-fit and mix-fit are the same in all that is measured: they are shown as one, first-fit."
    ]
