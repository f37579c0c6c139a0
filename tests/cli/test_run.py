"""What `run` says at its end."""

from pathlib import Path

import pytest

from loadmaster.cli.run import summary_lines
from loadmaster.live.terms import Report, Terms
from loadmaster.sizing import Planner


@pytest.mark.parametrize(
    ("cost", "says"),
    [(0.5, "the budget of 0.6 is spent (0.5)"), (0.0, "the budget of 0.6 does not pay for one machine")],
)
def test_a_budget_that_pays_for_nothing_is_not_called_spent(cost, says):
    report = Report({}, 1.0, 1.0, cost, 0.0, 1, 0, [], [1, 2], [])
    line = summary_lines(report, Terms(Path("bag.run"), Planner(budget=0.6)), 2)[-1]
    assert line == f"{says}, 2 commands are not done; a higher --budget goes on"
