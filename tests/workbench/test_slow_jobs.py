import polars as pl

from loadmaster.workbench.get_answers import Slow, slow_jobs


def test_those_that_waited_longest_come_first_and_who_never_started_is_left_out(tmp_path):
    path = tmp_path / "jobs.parquet"
    rows = {"id": [1, 2, 3, 4], "wait_s": [5.0, 3600.0, float("nan"), 60.0], "submit_s": [0.0, 1.0, 2.0, 3.0]}
    pl.DataFrame(rows).write_parquet(path)
    assert slow_jobs(path, 2) == [Slow(2, "1 h", "1 s"), Slow(4, "1 min", "3 s")]


def test_a_table_that_is_damaged_lists_nobody(tmp_path):
    path = tmp_path / "jobs.parquet"
    assert slow_jobs(path) == []
    path.write_text("x")
    assert slow_jobs(path) == []
    pl.DataFrame({"id": [1]}).write_parquet(path)
    assert slow_jobs(path) == []
