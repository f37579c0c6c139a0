"""The limit of an array holds for its last task and for those that run, of which Slurm does not tell it."""

from loadmaster.live.slurm.array_limits import Throttles
from loadmaster.live.slurm.listing import COLUMNS, parse_listing


def listed(*jobs):
    """Rows of (tasks of array 7, state)."""
    usual = {"JobID": "7", "ArrayJobID": "7"}
    lines = []
    for tasks, state in jobs:
        cells = usual | {"JobArrayID": f"7_{tasks}", "ArrayTaskID": tasks, "State": state}
        lines.append("".join(cells.get(name, "(null)")[:wide].ljust(wide) for name, wide in COLUMNS.items()))
    return parse_listing("\n".join(lines))[0]


def most(found):
    return {row.id: row.throttle for row in found}


def test_tasks_that_run_and_the_last_that_waits_keep_the_limit_of_their_array():
    throttles = Throttles()
    assert most(throttles.with_limits(listed(("0-2%1", "PENDING")))) == {"7_0": 1, "7_1": 1, "7_2": 1}
    assert most(throttles.with_limits(listed(("1-2%1", "PENDING"), ("0", "RUNNING")))) == {"7_0": 1, "7_1": 1, "7_2": 1}
    assert most(throttles.with_limits(listed(("2", "PENDING"), ("1", "RUNNING")))) == {"7_1": 1, "7_2": 1}


def test_a_limit_that_is_changed_or_taken_away_is_so_for_all_tasks():
    throttles = Throttles()
    throttles.with_limits(listed(("0-3%1", "PENDING")))
    assert set(most(throttles.with_limits(listed(("1-3%2", "PENDING"), ("0", "RUNNING")))).values()) == {2}
    assert set(most(throttles.with_limits(listed(("1-3", "PENDING"), ("0", "RUNNING")))).values()) == {0}


def test_an_array_that_has_gone_is_forgotten():
    throttles = Throttles()
    throttles.with_limits(listed(("0-3%1", "PENDING")))
    throttles.with_limits([])
    assert most(throttles.with_limits(listed(("3", "PENDING")))) == {"7_3": 0}
