"""What binds jobs goes through CSV and Parquet and comes back; what was unknown stays unknown."""

from dataclasses import fields

import numpy as np
import polars as pl
import pytest

from loadmaster.model import Constraints, Dependencies, InputError, Named, Workload
from loadmaster.model.constraints import COLUMNS
from loadmaster.runs.record_constraints import constraint_columns, constraints_in, names_of
from loadmaster.traces import ReadOptions, read_trace, write_trace
from loadmaster.traces.constraint_columns import DEFAULTS, NAMED
from traces.logs import swf_line, write

ENDINGS = pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
BOUND = Constraints(
    eligible_s=np.array([3.0, np.inf, 9.5]),
    partition=Named.of(["a,b", None, "7"]),
    qos=Named.of([None, "high", "=x"]),
    gpu_kind=Named.of(["a100", None, "a100,v100"]),
    name=Named.of(["é", "b", None]),
    priority=np.array([1.5, 0.0, -2.0]),
    nice=np.array([0.0, 3.0, 0.0]),
    hold=np.array([0, 1, 2]),
    depends=Dependencies.of(["", "afterok:7,singleton", "after:7+5?afterany:8"]),
    follows=np.array([-1, -1, 7]),
    think_s=np.array([0.0, 0.0, 2.5]),
    array=np.array([-1, 5, 5]),
    array_task=np.array([-1, 0, 1]),
    throttle=np.array([0, 2, 2]),
    features=Named.of(["a&b|c", None, None]),
    licences=Named.of([None, "m:2,bb/s:5G", "m"]),
    exclusive=np.array([0, 2, 1]),
    reservation=Named.of([None, "r", None]),
    requeue=np.array([True, False, True]),
    restarts=np.array([0, 1, 2]),
    status=np.array([0, 1, 6]),
    limit_s=np.array([60.0, np.inf, 90.0]),
    min_hosts=np.array([0, 2, 1]),
    max_hosts=np.array([0, 4, 1]),
    user_names=("eve", "bob"),
    account_names=("phys", "chem"),
)
WORK = Workload.of(
    submit_s=[0, 5, 9],
    runtime_s=[1, 2, 3],
    cores=[1, 1, 1],
    memory=[0, 0, 0],
    user=[0, 1, 0],
    project=[1, 0, 1],
    job_id=[7, 8, 9],
    constraints=BOUND,
)


def test_every_column_of_the_model_is_in_this_file_listed_and_has_a_way_to_be_read():
    columns = {field.name for field in fields(Constraints)} - {"user_names", "account_names"}
    assert set(BOUND.given) == columns
    assert set(COLUMNS) == columns
    assert {*NAMED, *DEFAULTS, "depends", "eligible_s"} == columns


def test_a_record_keeps_every_column():
    again = constraints_in(pl.DataFrame(constraint_columns(BOUND)), names_of(BOUND))
    assert again.given == BOUND.given
    assert constraint_columns(again).keys() == constraint_columns(BOUND).keys()
    for name, column in constraint_columns(BOUND).items():
        assert list(constraint_columns(again)[name]) == list(column), name
    assert (again.user_names, again.account_names) == (BOUND.user_names, BOUND.account_names)


@ENDINGS
def test_every_column_comes_back(tmp_path, ending):
    path = tmp_path / f"log{ending}"
    write_trace(WORK, path)
    again = read_trace(path, ReadOptions(strict=True)).workload
    bound = again.constraints
    assert bound.given == BOUND.given
    for name, column in BOUND.columns():
        other = getattr(bound, name)
        if isinstance(column, Named):
            assert other.words() == column.words(), name
        elif isinstance(column, Dependencies):
            assert [other.text(job) for job in range(3)] == [column.text(job) for job in range(3)]
        else:
            assert np.array_equal(other, column), name
    assert [bound.user_names[code] for code in again.user] == ["eve", "bob", "eve"]
    assert [bound.account_names[code] for code in again.project] == ["chem", "phys", "chem"]


@ENDINGS
def test_what_swf_does_not_know_stays_unknown(tmp_path, ending):
    log = swf_line(job=1, estimate=90, user=4, group=2, wait=7, status=1, partition=3)
    log += swf_line(job=2, wait=-1, status=0, partition=5) + swf_line(job=-1, user=4, group=6, status=5, partition=3)
    first = read_trace(write(tmp_path, "log.swf", log), ReadOptions(all_fields=True))
    write_trace(first.workload, tmp_path / f"log{ending}", first.extra)
    second = read_trace(tmp_path / f"log{ending}", ReadOptions(all_fields=True, strict=True))
    write_trace(second.workload, tmp_path / "again.swf", second.extra)
    lines = [line for line in (tmp_path / "again.swf").read_text().splitlines() if line[0] != ";"]
    assert [line.split() for line in lines] == [line.split() for line in log.splitlines()]
    assert second.workload.constraints.status.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("column", "cell", "rule"),
    [("hold", "perhaps", "hold is not none, user, admin"), ("priority", "high", "priority is not higher"),
     ("throttle", "-2", "throttle is not"), ("requeue", "often", "requeue is not"), ("restarts", "inf", "restarts is")],
)  # fmt: skip
def test_a_cell_that_is_none_is_counted(tmp_path, column, cell, rule):
    path = write(tmp_path, "a.csv", f"submit_s,runtime_s,cores,{column}\n0,1,1,\n1,1,1,{cell}\n")
    assert read_trace(path).skipped.malformed == 1
    with pytest.raises(InputError, match=rule):
        read_trace(path, ReadOptions(strict=True))


def test_states_of_slurm_are_known_too(tmp_path):
    path = write(tmp_path, "a.csv", "submit_s,runtime_s,cores,status\n0,1,1,COMPLETED\n1,1,1,OUT_OF_MEMORY\n")
    assert read_trace(path).workload.constraints.status.tolist() == [0, 1]


def test_unknown_is_an_empty_cell(tmp_path):
    log = write(tmp_path, "log.swf", swf_line(wait=3, group=1) + swf_line(job=2, estimate=5))
    first = read_trace(log, ReadOptions(all_fields=True))
    write_trace(first.workload, tmp_path / "log.csv", first.extra)
    frame = pl.read_csv(tmp_path / "log.csv")
    assert frame["wait_s"].to_list() == [3, None]
    assert (frame["project"].to_list(), frame["estimate_s"].to_list()) == ([1, None], [None, 5])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("submit_s,runtime_s,cores,limit_s\n0,100,1,50\n0,100,1,70\n", True),
        ("submit_s,runtime_s,cores,limit_s,estimate_s\n0,100,1,50,30\n0,100,1,70,20\n", True),
        ("submit_s,runtime_s,cores,limit_s,estimate_s\n0,100,1,50,50\n0,100,1,70,70\n", False),
    ],
)
def test_limits_of_all_jobs_are_kept_unless_the_estimates_say_the_same(tmp_path, text, kept):
    bound = read_trace(write(tmp_path, "log.csv", text)).workload.constraints
    assert (bound and bound.limit_s.tolist()) == ([50.0, 70.0] if kept else None)
