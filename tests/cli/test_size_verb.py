"""`loadmaster size` says what to rent, or that nothing fits."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model.errors import InputError
from loadmaster.sim.bags.repetitions import BagOutcomes
from loadmaster.sizing.prices import SAMPLE, read_prices


def size(*arguments):
    return CliRunner().invoke(app, ["size", *arguments, "--repetitions", "5", "--json"])


def test_the_fastest_point_near_the_least_cost_is_recommended(tmp_path):
    (tmp_path / "bag.txt").write_text("300\n" * 300)
    result = size(str(tmp_path / "bag.txt"), "-o", str(tmp_path / "out"))
    assert json.loads(result.stdout)["recommended"]["label"] == "25"
    assert json.loads(result.stdout)["synthetic"] is False
    for name in ("size.png", "report.html", "size.json"):
        assert (tmp_path / "out" / name).stat().st_size > 0


def test_a_budget_and_a_deadline_are_kept_or_called_infeasible():
    ten = json.loads(size("constant(300)x300", "--budget", "50").stdout)["recommended"]
    assert ten["cost_sure"] <= 50
    assert ten["span_s"] == 1800.0
    late = json.loads(size("constant(300)x300", "--deadline", "2h").stdout)["recommended"]
    assert late["span_sure_s"] <= 7200
    assert size("constant(300)x300", "--budget", "10").exit_code == 1


def test_prices_of_several_types_are_compared():
    found = json.loads(size("constant(600)x50", "--prices", str(SAMPLE), "--deadline", "30min").stdout)
    assert {p["type"] for p in found["curve"]} == {"standard", "fast", "spot", "hourly"}
    assert found["recommended"]["type"] == "spot"


def test_a_type_that_never_lasts_through_a_task_is_left_out_and_named(tmp_path):
    (tmp_path / "bag.csv").write_text("duration_s\n10\n2147483648\n?\n300\n45\n")
    (tmp_path / "p.csv").write_text(
        "name,price_per_h,boot_s,unit_s,interruptions_per_h,limit\nstandard,0.1,45,1,0,100\nspot,0.03,60,1,0.05,100\n"
    )
    found = json.loads(size(str(tmp_path / "bag.csv"), "--prices", str(tmp_path / "p.csv")).stdout)
    assert {p["type"] for p in found["curve"]} == {"standard"}
    assert [note.split(":")[0] for note in found["notes"]] == ["spot is left out"]


def test_looks_at_the_running_tasks_are_as_rare_as_the_tasks_are_long(tmp_path, monkeypatch):
    ways = []

    def run_no_way(durations, given, *_):
        ways.extend(given)
        return [BagOutcomes(*np.ones((4, len(durations)))) for _ in given]

    monkeypatch.setattr("loadmaster.sim.bags.curve.run_ways_until", run_no_way)
    (tmp_path / "bag.csv").write_text("duration_s\n" + "20\n" * 49 + "1e6\n")
    assert size(str(tmp_path / "bag.csv")).exit_code == 0
    assert {way.sizer.name: way.sizer.tick_s for way in ways if way.sizer.tick_s < math.inf} == pytest.approx(
        {"silva": 200.196, "planner": 200.196}
    )


@pytest.mark.parametrize(
    ("line", "words"), [("x,abc", "must be a number"), ("x,0", "more than zero"), (",1", "is missing")]
)
def test_a_wrong_price_is_named_with_its_line(tmp_path, line, words):
    (tmp_path / "p.csv").write_text(f"name,price_per_h\n{line}\n")
    with pytest.raises(InputError, match=rf"p.csv:2.*{words}"):
        read_prices(tmp_path / "p.csv")


def test_prices_may_be_yaml(tmp_path):
    (tmp_path / "p.yaml").write_text("- {name: a, price_per_h: 0.5, unit_s: 60}\n")
    assert read_prices(tmp_path / "p.yaml")[0].unit_price == pytest.approx(0.5 / 60)


def test_a_limit_ends_the_search_with_the_best_of_what_was_run_and_says_what_was_not(tmp_path):
    result = size("constant(600)x50", "--prices", str(SAMPLE), "--time-limit", "0.000001", "-o", str(tmp_path))
    made = json.loads(result.stdout)
    assert len(made["curve"]) == 1
    assert made["sizers"] == []
    assert "of machines of one type, 0 mixes and 0 of 2 sizers were run." in made["notes"][-1]
    assert "the best found, as the search ended at its limit of 1e-06 s." in (tmp_path / "report.html").read_text()
    assert isinstance(size("constant(600)x50", "--time-limit", "soon").exception, InputError)
    assert "more time may find one" in size_words("constant(600)x50", "--budget", "0.01", "--time-limit", "0.000001")


def size_words(*arguments):
    return CliRunner().invoke(app, ["size", *arguments, "--repetitions", "5"]).stdout
