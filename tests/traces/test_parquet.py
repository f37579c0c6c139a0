"""A damaged Parquet file of any kind ends in one line, whatever the damage does to the library that reads it."""

import datetime
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from loadmaster.model import InputError
from loadmaster.traces import read_hosts, read_trace
from loadmaster.traces.parquet import parquet_table

HOSTS = {"name": [f"h{k}" for k in range(50)], "cores": [8] * 50, "memory_gb": [64.0] * 50}


def test_a_parquet_file_is_read_with_what_its_writer_noted(tmp_path):
    path = tmp_path / "h.parquet"
    pl.DataFrame(HOSTS).write_parquet(path, metadata={"synthetic": "made up"})
    frame, about = parquet_table(path)
    assert frame.to_dict(as_series=False) == HOSTS
    assert about == {"synthetic": "made up"}


@pytest.mark.parametrize("seed", range(6))
def test_hosts_cut_short_are_refused_in_one_line(tmp_path, seed, capfd):
    path = tmp_path / "h.parquet"
    pl.DataFrame(HOSTS).write_parquet(path)
    rng = np.random.default_rng(seed)
    content = bytearray(path.read_bytes())
    del content[int(rng.integers(4, len(content) - 8)) : len(content) - 8]
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="a damaged Parquet file; write it again"):
        read_hosts(str(path))
    assert capfd.readouterr().err == ""


def test_damage_that_ends_the_library_s_process_does_not_end_ours(tmp_path, monkeypatch):
    path = tmp_path / "h.parquet"
    pl.DataFrame(HOSTS).write_parquet(path)
    monkeypatch.setattr("loadmaster.traces.parquet._TRIAL", "import os; os.abort()")
    with pytest.raises(InputError, match="a damaged Parquet file"):
        parquet_table(path)


def test_a_trial_that_does_not_end_is_ended(tmp_path, monkeypatch):
    path = tmp_path / "h.parquet"
    pl.DataFrame(HOSTS).write_parquet(path)
    monkeypatch.setattr("loadmaster.traces.parquet._TRIAL", "import time; time.sleep(60)")
    monkeypatch.setattr("loadmaster.traces.parquet._PATIENCE_S", 0.2)
    with pytest.raises(InputError, match="a damaged Parquet file"):
        parquet_table(path)


def test_a_file_that_is_no_parquet_is_told_so(tmp_path):
    path = tmp_path / "h.parquet"
    path.write_text("cores\n8\n")
    with pytest.raises(InputError, match="not a Parquet file"):
        parquet_table(path)


def test_the_trial_reads_no_code_from_the_folder_it_is_started_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "polars.py").write_text("raise SystemExit(3)\n")
    pl.DataFrame(HOSTS).write_parquet("h.parquet")
    assert parquet_table(tmp_path / "h.parquet")[0].height == 50
    assert subprocess.run([sys.executable, "-I", "-c", "import polars"], check=False).returncode == 0


@pytest.mark.parametrize(
    "odd",
    [pl.Series("count", [[1, 2]] * 2), pl.Series("count", [{"a": 1}] * 2), pl.Series("count", [b"\xff"] * 2)],
    ids=["lists", "records", "bytes"],
)
def test_a_column_of_no_plain_values_is_named(tmp_path, odd):
    path = tmp_path / "h.parquet"
    pl.DataFrame({"cores": [4, 8]}).with_columns(odd).write_parquet(path)
    with pytest.raises(InputError, match=r"'count': this column holds (list|struct|binary) values"):
        read_hosts(str(path))


def test_categories_and_decimals_are_read_as_text_and_numbers(tmp_path):
    path = tmp_path / "h.parquet"
    cores = pl.Series("cores", ["4", "8"]).cast(pl.Categorical)
    pl.DataFrame([cores, pl.Series("count", [2, 1]).cast(pl.Decimal(10, 2))]).write_parquet(path)
    assert read_hosts(str(path)).capacity[:, 0].tolist() == [4.0, 4.0, 8.0]


@pytest.mark.parametrize("unit", ["us", "ms", "ns"])
@pytest.mark.parametrize("column", ["submit_s", "runtime_s"])
def test_a_column_of_seconds_may_hold_durations(tmp_path, column, unit):
    minute = pl.Series([60]).cast(pl.Int64) * {"ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    others = {"submit_s": [0.0], "runtime_s": [60.0], "cores": [1]}
    pl.DataFrame(others).with_columns(minute.cast(pl.Duration(unit)).alias(column)).write_parquet(
        tmp_path / "l.parquet"
    )
    work = read_trace(tmp_path / "l.parquet").workload
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0], [60.0])


@pytest.mark.parametrize("column", ["user", "cores"])
def test_durations_in_any_other_column_are_named(tmp_path, column):
    others = {"submit_s": [0.0], "runtime_s": [60.0], "cores": [1], "user": ["a"]}
    pl.DataFrame({**others, column: [datetime.timedelta(hours=1)]}).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError, match=f"'{column}': this column holds durations"):
        read_trace(tmp_path / "log.parquet")


@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("us", "UTC"), pl.Duration("us"), pl.Time])
def test_a_time_is_no_number_of_cores(tmp_path, kind):
    path = tmp_path / "h.parquet"
    pl.DataFrame([pl.Series("cores", [4, 8]).cast(kind)]).write_parquet(path)
    with pytest.raises(InputError, match="cores"):
        read_hosts(str(path))
