"""What `run` says at its end."""

from pathlib import Path

import pytest

from loadmaster.live.bag.config import BagConfig, BagReport
from loadmaster.sizing import Planner
from loadmaster.verbs.run import summary_lines, usual_sizer


@pytest.mark.parametrize(
    ("cost", "says"),
    [(0.5, "the budget of 0.6 is spent (0.5)"), (0.0, "the budget of 0.6 does not pay for one machine")],
)
def test_a_budget_that_pays_for_nothing_is_not_called_spent(cost, says):
    report = BagReport({}, 1.0, 1.0, cost, 0.0, 1, 0, [], [1, 2], [])
    line = summary_lines(report, BagConfig(Path("bag.run"), Planner(budget=0.6)), 2, "")[-1]
    assert line == f"{says}, 2 commands are not done; a higher --budget goes on"


@pytest.mark.parametrize(
    ("unit", "says"),
    [
        ("machine hours", "for 1 machine hour (charged by the hour)"),
        ("EUR", "for 1 EUR (hour, 1 EUR an hour)"),
        ("", "for 1 (hour, 1 an hour)"),
    ],
)
def test_what_it_cost_has_its_unit(unit, says):
    report = BagReport({}, 1.0, 1.0, 1.0, 0.0, 1, 0, [], [], [])
    assert says in summary_lines(report, BagConfig(Path("bag.run"), Planner(budget=2.0)), 2, unit)[0]


@pytest.mark.parametrize(
    ("on", "wishes", "sizer"),
    [("local", False, "6"), ("tls://host:8786", False, "6"), ("local", True, "planner"), ("slurm", False, "planner")],
)
def test_machines_that_are_there_are_all_used_unless_money_or_time_is_to_be_weighed(on, wishes, sizer):
    assert usual_sizer(on, 6, wishes=wishes) == sizer
