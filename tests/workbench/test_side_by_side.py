import json

import polars as pl
import pytest
from benches import bench_over, compared, simulated

from loadmaster.workbench.refusal import Refused
from loadmaster.workbench.side_by_side import FigurePair, side_by_side


def joined(folder):
    bench = bench_over(folder)
    return side_by_side(bench.found("0/a"), bench.found("0/b"), bench.places)


def test_rows_are_joined_by_their_names_and_the_rest_is_listed(tmp_path):
    compared(tmp_path / "a", {"first-fit": 100.0, "mix-fit": 60.0, "only-a": 1.0, "zero": 0.0, "close": 1000.0})
    compared(
        tmp_path / "b", {"mix-fit": 90.0, "first-fit": 50.0, "only-b": 1.0, "zero": 5.0, "close": 1001.0}, load=0.9
    )
    made = joined(tmp_path)
    assert made.alone == (["only-a, easy"], ["only-b, easy"])
    assert [figure.title for figure in made.figures] == ["mean wait", "offered load", "jobs"]
    assert made.figures[0].pairs == [
        FigurePair("first-fit, easy", "1.67 min", "50 s", "-50 s", "−50 %", "good"),
        FigurePair("mix-fit, easy", "1 min", "1.5 min", "+30 s", "+50 %", "bad"),
        FigurePair("zero, easy", "0 s", "5 s", "+5 s", "", "bad"),
        FigurePair("close, easy", "16.7 min", "16.7 min", "+1 s", "+0.1 %", ""),
    ]
    assert made.figures[2].pairs[0] == FigurePair("first-fit, easy", "10", "10", "the same", "", "")


def test_the_load_names_a_row_only_where_it_takes_that(tmp_path):
    for name in "ab":
        rows = [{"policy": "x", "discipline": "easy", "load": load, "mean_wait_s": 1.0} for load in (0.8, 0.9)]
        compared(tmp_path / name, {"x": 1.0})
        pl.DataFrame(rows).write_parquet(tmp_path / name / "summary.parquet")
    assert [pair.row for pair in joined(tmp_path).figures[0].pairs] == ["x, easy, load 0.8", "x, easy, load 0.9"]


def test_two_single_runs_are_compared_whatever_their_rules_are_called(tmp_path):
    simulated(tmp_path / "a", "first-fit", 60.0)
    simulated(tmp_path / "b", "mix-fit", 30.0)
    made = joined(tmp_path)
    assert made.figures[0].pairs == [FigurePair("the run", "1 min", "30 s", "-30 s", "−50 %", "good")]
    assert "cores used" in [figure.title for figure in made.figures]


def test_what_is_not_a_number_is_left_out(tmp_path):
    compared(tmp_path / "a", {"x": float("nan"), "y": 1.0, "z": float("inf")})
    compared(tmp_path / "b", {"x": 1.0, "y": 1.0, "z": 1.0})
    assert [pair.row for pair in joined(tmp_path).figures[0].pairs] == ["y, easy"]


@pytest.mark.parametrize("text", ["", "{}", '{"result": 3}', '{"result": {"policy": "x"}}'])
def test_a_table_that_is_damaged_or_has_nothing_in_common_is_refused(tmp_path, text):
    simulated(tmp_path / "a")
    simulated(tmp_path / "b")
    (tmp_path / "b" / "run.json").write_text(text)
    with pytest.raises(Refused) as refused:
        joined(tmp_path)
    assert refused.value.status == 422


def test_results_of_share_are_compared_by_their_methods(tmp_path):
    for name, stretch in (("a", 2.0), ("b", 1.0)):
        (tmp_path / name).mkdir()
        rows = [{"method": "pvm", "policy": "", "mean_stretch": stretch}, {"method": "easy", "policy": "x"}]
        (tmp_path / name / "sharing.json").write_text(json.dumps({"rows": rows}))
    assert joined(tmp_path).figures[0].pairs == [FigurePair("pvm", "2", "1", "-1", "−50 %", "good")]
