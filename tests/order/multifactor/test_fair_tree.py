"""The fair tree (rule O14), by hand."""

from hypothesis import given
from hypothesis import strategies as st
from trees import THREE, USED, factors

from loadmaster.order.multifactor.account_tree import AccountRow

TIED = [
    AccountRow("A"),
    AccountRow("B"),
    AccountRow("A", "a1"),
    AccountRow("A", "a2"),
    AccountRow("B", "b1"),
    AccountRow("B", "b2"),
]
TIED_USE = {"a1": 20, "a2": 80, "b1": 10, "b2": 90}


def test_users_of_the_account_that_used_least_of_its_shares_come_first():
    assert factors(THREE, USED) == {"c1": 1.0, "a2": 0.8, "a1": 0.6, "b2": 0.4, "b1": 0.2}


def test_children_of_tied_accounts_are_sorted_together():
    assert factors(TIED, TIED_USE) == {"b1": 1.0, "a1": 0.75, "a2": 0.5, "b2": 0.25}


def test_listed_tied_accounts_follow_each_other_and_the_first_child_ties_with_the_user_before():
    assert factors(TIED, TIED_USE, merged=False) == {"a1": 1.0, "a2": 0.75, "b1": 0.75, "b2": 0.25}


def test_the_first_user_of_an_account_tied_with_a_user_ties_with_that_user():
    rows = [AccountRow("root", "u"), AccountRow("A"), AccountRow("A", "a1"), AccountRow("A", "a2")]
    assert factors(rows, {"u": 50, "a1": 10, "a2": 40}) == {"u": 1.0, "a1": 1.0, "a2": 0.333333}


def test_who_has_used_nothing_ties_with_all_who_have_not():
    rows = [
        AccountRow("root", "u"),
        AccountRow("root", "v"),
        AccountRow("root", "w"),
        AccountRow("root", "z", shares=0),
    ]
    assert factors(rows, {"w": 5}) == {"u": 1.0, "v": 1.0, "w": 0.5, "z": 0.25}


def test_a_user_with_the_shares_of_the_parent_comes_first():
    rows = [AccountRow("A"), AccountRow("A", "a1", shares=None), AccountRow("A", "a2", shares=9)]
    assert factors(rows, {"a1": 90, "a2": 10}) == {"a1": 1.0, "a2": 0.5}


def test_children_of_an_account_with_the_shares_of_its_parent_are_compared_above_it():
    above = [AccountRow("A"), AccountRow("A", "a"), AccountRow("B", "b"), AccountRow("B", "c")]
    hidden = [AccountRow("A"), AccountRow("B", shares=None), *above[1:]]
    flat = [AccountRow("A"), AccountRow("A", "a"), AccountRow("root", "b"), AccountRow("root", "c")]
    used = {"a": 30, "b": 20, "c": 50}
    assert factors(hidden, used) == factors(flat, used)


def test_accounts_without_users_change_nothing():
    assert factors([AccountRow("E"), AccountRow("E2", "", "E"), *THREE], USED) == factors(THREE, USED)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12), st.booleans()
)
def test_every_user_has_a_factor_and_the_best_has_the_whole(leaves, merged):
    accounts = [
        AccountRow("A0"),
        AccountRow("A1", "", "A0", 2),
        AccountRow("A2", shares=0),
        AccountRow("A3", "", "A1", None),
    ]
    users = [AccountRow(f"A{account}", f"u{n}", shares=shares) for n, (account, shares, _) in enumerate(leaves)]
    found = factors([*accounts, *users], {f"u{n}": used for n, (*_, used) in enumerate(leaves)}, merged=merged)
    assert max(found.values()) == 1.0
    assert min(found.values()) >= 1 / len(leaves) - 1e-6
