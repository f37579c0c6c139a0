"""The fair tree (rule O14), by hand."""

from hypothesis import given
from hypothesis import strategies as st
from trees import THREE, USED, factors

from loadmaster.order.multifactor.account_tree import Row

TIED = [Row("A"), Row("B"), Row("A", "a1"), Row("A", "a2"), Row("B", "b1"), Row("B", "b2")]
TIED_USE = {"a1": 20, "a2": 80, "b1": 10, "b2": 90}


def test_users_of_the_account_that_used_least_of_its_shares_come_first():
    assert factors(THREE, USED) == {"c1": 1.0, "a2": 0.8, "a1": 0.6, "b2": 0.4, "b1": 0.2}


def test_children_of_tied_accounts_are_sorted_together():
    assert factors(TIED, TIED_USE) == {"b1": 1.0, "a1": 0.75, "a2": 0.5, "b2": 0.25}


def test_listed_tied_accounts_follow_each_other_and_the_first_child_ties_with_the_user_before():
    assert factors(TIED, TIED_USE, merged=False) == {"a1": 1.0, "a2": 0.75, "b1": 0.75, "b2": 0.25}


def test_the_first_user_of_an_account_tied_with_a_user_ties_with_that_user():
    rows = [Row("root", "u"), Row("A"), Row("A", "a1"), Row("A", "a2")]
    assert factors(rows, {"u": 50, "a1": 10, "a2": 40}) == {"u": 1.0, "a1": 1.0, "a2": 0.333333}


def test_who_has_used_nothing_ties_with_all_who_have_not():
    rows = [Row("root", "u"), Row("root", "v"), Row("root", "w"), Row("root", "z", shares=0)]
    assert factors(rows, {"w": 5}) == {"u": 1.0, "v": 1.0, "w": 0.5, "z": 0.25}


def test_a_user_with_the_shares_of_the_parent_comes_first():
    rows = [Row("A"), Row("A", "a1", shares=None), Row("A", "a2", shares=9)]
    assert factors(rows, {"a1": 90, "a2": 10}) == {"a1": 1.0, "a2": 0.5}


def test_children_of_an_account_with_the_shares_of_its_parent_are_compared_above_it():
    above = [Row("A"), Row("A", "a"), Row("B", "b"), Row("B", "c")]
    hidden = [Row("A"), Row("B", shares=None), *above[1:]]
    flat = [Row("A"), Row("A", "a"), Row("root", "b"), Row("root", "c")]
    used = {"a": 30, "b": 20, "c": 50}
    assert factors(hidden, used) == factors(flat, used)


def test_accounts_without_users_change_nothing():
    assert factors([Row("E"), Row("E2", "", "E"), *THREE], USED) == factors(THREE, USED)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12), st.booleans()
)
def test_every_user_has_a_factor_and_the_best_has_the_whole(leaves, merged):
    accounts = [Row("A0"), Row("A1", "", "A0", 2), Row("A2", shares=0), Row("A3", "", "A1", None)]
    users = [Row(f"A{account}", f"u{n}", shares=shares) for n, (account, shares, _) in enumerate(leaves)]
    found = factors([*accounts, *users], {f"u{n}": used for n, (*_, used) in enumerate(leaves)}, merged=merged)
    assert max(found.values()) == 1.0
    assert min(found.values()) >= 1 / len(leaves) - 1e-6
