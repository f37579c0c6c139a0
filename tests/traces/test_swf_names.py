"""Names, states and dependencies on the way into SWF and back, and what SWF has no field for."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadmaster as lm
from loadmaster.model import Constraints, Dependencies, InputError, Named, Workload
from loadmaster.model.constraints import STATUSES
from loadmaster.traces import ReadOptions, read_trace, write_trace
from traces.logs import swf_line, write

NAME = st.text(st.characters(blacklist_categories=("C", "Z")), min_size=1, max_size=6) | st.sampled_from(
    ["7", "07", "-1", "@eve", "'@eve", "=1+1", "a,b", 'a"b', "a b", "a|b", "#x"]
)
KEPT = ("ok", "failed", "cancelled", "partial")
"""Ends that SWF has a state for."""


@st.composite
def named_logs(draw):
    """Jobs with names of all kinds, each column now and then without any."""
    jobs = draw(st.integers(2, 8))

    def names(most):
        few = draw(st.lists(NAME, min_size=1, max_size=most, unique=True))
        return Named.of(draw(st.lists(st.sampled_from(few), min_size=jobs, max_size=jobs)))

    def some(most):
        few = st.sampled_from([None, *draw(st.lists(NAME, min_size=1, max_size=most, unique=True))])
        column = Named.of(draw(st.lists(few, min_size=jobs, max_size=jobs)))
        return column if column.names else None

    users, groups = names(3), names(3)
    states = draw(st.lists(st.sampled_from(KEPT), min_size=jobs - 2, max_size=jobs - 2))
    bound = Constraints(
        qos=some(3),
        partition=some(3),
        name=some(8),
        user_names=users.names,
        account_names=groups.names,
        status=np.array([STATUSES.index(word) for word in ("ok", "failed", *states)], np.int32),
    )
    work = Workload.of(
        submit_s=np.arange(jobs),
        runtime_s=np.arange(1, jobs + 1),
        cores=np.ones(jobs),
        user=users.code,
        project=groups.code,
        job_id=np.arange(10, 10 + jobs),
    )
    return replace(work, constraints=bound)


def words_of(work):
    """What every job is called in each column."""
    bound = work.constraints
    columns = [bound.qos, bound.partition, bound.name]
    return {
        "user": [bound.user_names[code] for code in work.user],
        "group": [bound.account_names[code] for code in work.project],
        "named": [None if column is None else column.words() for column in columns],
        "status": [STATUSES[code] for code in bound.status],
    }


@given(named_logs())
def test_names_and_states_are_the_same_after_any_number_of_ways_through_swf(tmp_path_factory, work):
    folder = tmp_path_factory.mktemp("swf")
    again = work
    for name in ("a.swf", "b.swf.gz", "c.swf"):
        assert write_trace(again, folder / name) == ()
        trace = read_trace(folder / name, ReadOptions(strict=True, all_fields=True))
        again = trace.workload
        assert words_of(again) == words_of(work)


def test_names_stand_in_a_table_that_the_header_names(tmp_path):
    bound = Constraints(qos=Named.of(["high", None]), user_names=("eve", "bob"))
    work = Workload.of(submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1], user=[1, 0], constraints=bound)
    write_trace(work, tmp_path / "log.swf.gz")
    table = (tmp_path / "log.names.csv").read_text().splitlines()
    assert table == ["field,number,name", "user,1,eve", "user,2,bob", "queue,1,high"]
    again = read_trace(tmp_path / "log.swf.gz").workload
    assert [again.constraints.user_names[code] for code in again.user] == ["bob", "eve"]
    assert again.constraints.qos.words() == ["high", None]


def test_without_its_table_a_log_has_numbers_and_that_is_told(tmp_path):
    bound = Constraints(partition=Named.of(["long", "short"]))
    write_trace(Workload.of(submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1], constraints=bound), tmp_path / "log.swf")
    (tmp_path / "log.names.csv").unlink()
    trace = read_trace(tmp_path / "log.swf")
    assert trace.workload.constraints.partition.words() == ["1", "2"]
    assert any("log.names.csv" in note and "numbers stand for them" in note for note in trace.notes)


def test_a_table_that_no_header_names_is_passed_over(tmp_path):
    write(tmp_path, "log.names.csv", "field,number,name\nuser,1,eve\n")
    trace = read_trace(write(tmp_path, "log.swf", swf_line(user=1) + swf_line(user=2)))
    assert (trace.workload.constraints, trace.workload.user.tolist()) == (None, [1, 2])


@pytest.mark.parametrize(
    ("table", "parts"),
    [
        ("field,number,name\nuser,1,eve\n", "user 2"), ("a,b\n1,2\n", "field, number, name"),
        ("field,number,name\nuser,x,eve\n", "log.names.csv:2"), ("field,number,name\nhost,1,eve\n", "log.names.csv:2"),
        ("field,number,name\nuser,\uff11,eve\n", "log.names.csv:2"),
    ],
)  # fmt: skip
def test_a_table_of_names_that_does_not_fit_the_log_is_refused_in_one_line(tmp_path, table, parts):
    write(tmp_path, "log.names.csv", table)
    log = write(tmp_path, "log.swf", "; Names: ../elsewhere/log.names.csv\n" + swf_line(user=1) + swf_line(user=2))
    with pytest.raises(InputError, match=parts) as error:
        read_trace(log)
    assert "\n" not in str(error.value)


def fields(path):
    return [line.split() for line in path.read_text().splitlines() if not line.startswith(";")]


def test_the_end_of_one_job_of_the_log_is_the_job_before(tmp_path):
    depends = Dependencies.of(["", "afterany:10", "afterok:11", "afterany:10:11", "after:10", "afterany:99"])
    work = Workload.of(
        submit_s=np.arange(6),
        runtime_s=np.ones(6),
        cores=np.ones(6),
        job_id=np.arange(10, 16),
        constraints=Constraints(depends=depends),
    )
    lost = write_trace(work, tmp_path / "log.swf")
    assert [line[16] for line in fields(tmp_path / "log.swf")] == ["-1", "10", "11", "-1", "-1", "-1"]
    assert lost == (
        "SWF has no field for afterok, which is written as afterany (1 job).",
        "SWF has no field for dependencies other than on the end of one job of the log (3 jobs).",
    )


def test_what_swf_has_no_field_for_is_said_with_how_many_jobs_it_concerns(tmp_path):
    bound = Constraints(
        priority=np.array([1.0, 0, 2]),
        features=Named.of(["intel", None, None]),
        exclusive=np.array([0, 2, 0]),
        status=np.array([STATUSES.index(word) for word in ("timeout", "ok", "cancelled")]),
        limit_s=np.array([100.0, np.inf, 50]),
        eligible_s=np.array([0.0, 5, 2]),
    )
    work = Workload.of(
        submit_s=[0, 1, 2],
        runtime_s=[5, 5, 5],
        estimate_s=[90, 90, 50],
        cores=[1, 4, 4],
        gpus=[0, 1, 2],
        bandwidth=[1, 0, 0],
        tasks=[2, 1, 2],
        constraints=bound,
    )
    assert {*write_trace(work, tmp_path / "log.swf")} == {
        f"SWF has no field for {what}."
        for what in (
            "GPUs (2 jobs)",
            "bandwidth (1 job)",
            "how many cores of a job lie on one host (2 jobs)",
            "timeouts, preemptions and host failures, which are written as failed (1 job)",
            "priorities (2 jobs)",
            "features of hosts (1 job)",
            "whole hosts (1 job)",
            "begin times (1 job)",
            "time limits beside estimates (1 job)",
        )
    }
    assert [line[10] for line in fields(tmp_path / "log.swf")] == ["0", "1", "5"]


def test_tables_lose_nothing(tmp_path):
    work = Workload.of(submit_s=[0], runtime_s=[5], cores=[4], gpus=[1])
    assert write_trace(work, tmp_path / "log.csv") == write_trace(work, tmp_path / "log.parquet") == ()


def test_convert_tells_what_is_lost_and_keeps_what_slurm_said(tmp_path):
    times = "2024-01-01T00:00:00|2024-01-01T00:01:00|00:30:00"
    rows = [f"1|eve|bio|gpu|high|a|{times}|FAILED|4|cpu=4,gres/gpu=2", f"2|bob|bio|gpu|low|b|{times}|COMPLETED|2|cpu=2"]
    header = "JobID|User|Account|Partition|QOS|JobName|Submit|Start|Elapsed|State|ReqCPUS|ReqTRES"
    log = write(tmp_path, "log.sacct", "\n".join([header, *rows, ""]))
    notes = lm.convert(log, tmp_path / "log.swf").notes
    assert "SWF has no field for GPUs (1 job)." in notes
    again = read_trace(tmp_path / "log.swf", ReadOptions(all_fields=True)).workload
    assert words_of(again) == {
        "user": ["eve", "bob"],
        "group": ["bio", "bio"],
        "named": [["high", "low"], ["gpu", "gpu"], ["a", "b"]],
        "status": ["failed", "ok"],
    }
