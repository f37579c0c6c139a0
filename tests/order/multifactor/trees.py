"""Trees of accounts for the tests, and their factors by name of user."""

import numpy as np

from loadmaster.order.multifactor.account_tree import AccountRow, tree_of
from loadmaster.order.multifactor.fair_share import fair_shares, room_for

THREE = [
    AccountRow("A", shares=50), AccountRow("B", shares=30), AccountRow("C", shares=20),
    AccountRow("A", "a1", shares=1), AccountRow("A", "a2", shares=3), AccountRow("B", "b1", shares=1),
    AccountRow("B", "b2", shares=1), AccountRow("C", "c1", shares=1),
]  # fmt: skip
"""Three accounts with five users."""
USED = {"a1": 300.0, "a2": 100.0, "b1": 500.0, "b2": 0.0, "c1": 100.0}


def factors(rows, used, *, classic=False, merged=True, damp=1.0):
    """The factor of every user, rounded to six places."""
    tree, node = tree_of(rows)
    usage = np.zeros(len(tree.parent))
    for (_, user), number in node.items():
        usage[number] = used.get(user, 0.0)
    room = room_for(len(usage))
    fair_shares(tree, usage, classic, merged, damp, room)
    return {user: round(float(room.factor[number]), 6) for (_, user), number in node.items() if user}
