"""`tune` on logs of four weeks: nothing to find, and two targets at once."""

from dataclasses import replace

import numpy as np
import pytest
from weekly_log import FEW, WEEK_S, weekly_log

import loadmaster as lm
from loadmaster.place import POLICIES
from loadmaster.runs import Setting
from loadmaster.tuning.space import FILE


@pytest.fixture(scope="module", autouse=True)
def few_built_in_orders():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loadmaster.tuning.baselines.ORDERS", FEW)
        yield


def test_nothing_is_found_where_no_rule_is_lower_than_first_come_first_served():
    idle = weekly_log(weeks=4, jobs_a_week=10)
    idle = replace(idle, submit_s=np.arange(idle.jobs) * WEEK_S * 4 / (idle.jobs - 1))  # no job waits
    made = lm.tune(idle, hosts="1x8c", trials=6, runs=2, samples=5)
    assert made.tuning.selection.winner is None
    assert made.rule is None
    assert made.answer == (
        "Nothing was found: none of 6 candidates, and no built-in rule, was lower than fcfs+easy on further training "
        "logs with its longest wait within 1.5 times that of fcfs+easy on three of four."
    )


@pytest.mark.parametrize("form", ["placement", "tree"])
def test_placement_and_backfilling_are_searched_together_for_two_targets(monkeypatch, tmp_path, form):
    monkeypatch.setattr("loadmaster.tuning.baselines.POLICIES", {"best-fit-cores": POLICIES["best-fit-cores"]})
    made = lm.tune(
        weekly_log(weeks=4, jobs_a_week=25),
        hosts="2x8c",
        search=[form, "backfilling"],
        trials=4,
        runs=2,
        samples=5,
        target="p95_wait_s,mean_bounded_slowdown",
        longest_wait_limit=4.0,
        out=tmp_path,
    )
    winner = made.tuning.selection.winner.rule.setting
    assert isinstance(winner, Setting)
    assert winner.policy == f"{FILE}:score"
    assert winner.discipline.startswith("fcfs+easy(heads=")
    assert "No gain is claimed" in made.answer
    assert {"times_p95_wait_s", "times_mean_bounded_slowdown", "backfilling.fill"} <= set(made.frame.columns)
    front = {f"candidate-{number + 1}.py" for number in made.tuning.selection.front}
    assert {path.name for path in (tmp_path / "front").iterdir()} == front
    assert all("def score(" in (tmp_path / "front" / name).read_text() for name in front)
    assert "The Pareto front" in (tmp_path / "report.html").read_text()
