"""What is written is read back: CSV and Parquet keep everything, SWF what it has fields for."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Workload
from loadmaster.traces import ReadOptions, demo, read_trace, write_trace
from loadmaster.traces.writer import job_frame

OPTIONAL = ("tasks", "estimate_s", "project", "user", "job_id")


@st.composite
def workloads(draw, resources, fractions):
    jobs = draw(st.integers(1, 12))

    def column(values):
        return draw(st.lists(values, min_size=jobs, max_size=jobs))

    seconds = st.floats(0, 1e7, allow_subnormal=False) if fractions else st.integers(0, 10**7)
    submit = np.sort(np.array(column(seconds), float))
    positive = st.floats(0.001, 1e6) if fractions else st.integers(1, 10**6)
    cores = st.integers(1, 64).map(lambda n: n / 8) if fractions else st.integers(1, 64)
    amounts = {"cores": column(cores)}
    for name in resources:
        amounts[name] = column(st.integers(0, 2**40))
    extra = {
        "tasks": st.integers(1, 9),
        "estimate_s": positive,
        "project": st.integers(0, 5),
        "user": st.integers(0, 99),
        "job_id": st.integers(0, 2**40),
    }
    chosen = {name: column(values) for name, values in extra.items() if draw(st.booleans())}
    return Workload.of(submit_s=submit - submit[0], runtime_s=column(positive), **amounts, **chosen)


def same(again, work, names):
    for name in names:
        ours, theirs = getattr(work, name), getattr(again, name)
        if name == "tasks":
            ours, theirs = work.task_count, again.task_count
        assert (ours is None) == (theirs is None), name
        assert ours is None or np.array_equal(ours, theirs), name


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
@given(workloads(("memory", "gpus", "bandwidth"), fractions=True))
def test_tables_keep_everything(tmp_path_factory, ending, work):
    path = tmp_path_factory.mktemp("tables") / f"log{ending}"
    write_trace(work, path)
    trace = read_trace(path, ReadOptions(strict=True))
    assert trace.workload.resources == work.resources
    assert trace.skipped.total == 0
    same(trace.workload, work, ("submit_s", "runtime_s", "demand", "tasks", "estimate_s", "project", "user"))
    assert [trace.workload.id_of(k) for k in range(work.jobs)] == [work.id_of(k) for k in range(work.jobs)]


@pytest.mark.parametrize("ending", [".swf", ".swf.gz"])
@given(workloads(("memory",), fractions=False))
def test_swf_keeps_whole_jobs_and_memory_to_the_byte_of_a_processor(tmp_path_factory, ending, work):
    path = tmp_path_factory.mktemp("swf") / f"log{ending}"
    write_trace(work, path)
    again = read_trace(path, ReadOptions(strict=True)).workload
    same(again, work, ("submit_s", "runtime_s", "estimate_s", "project", "user"))
    before, after = work.on_single_host().demand, again.on_single_host().demand
    assert np.array_equal(after[:, 0], before[:, 0])
    kept = after[:, 1] if after.shape[1] > 1 else np.zeros(work.jobs)
    lost = before[:, 1] - kept
    assert np.all((lost >= 0) & (lost < before[:, 0]))


def test_further_columns_go_along(tmp_path):
    work = Workload.of(submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1], memory=[1024, 2048])
    extra = {"queue": np.array([1, 2], np.int32), "used_memory": np.array([1024.0, -1])}
    for ending in (".swf", ".csv", ".parquet"):
        write_trace(work, tmp_path / f"log{ending}", extra)
        again = read_trace(tmp_path / f"log{ending}", ReadOptions(all_fields=True)).extra
        for name, column in extra.items():
            assert again[name].tolist() == column.tolist()
        assert read_trace(tmp_path / f"log{ending}").extra == {}


@pytest.mark.parametrize("ending", [".swf", ".swf.gz", ".csv", ".parquet"])
def test_synthetic_logs_stay_synthetic(tmp_path, ending):
    work = demo().workload.take(slice(0, 50))
    write_trace(work, tmp_path / f"log{ending}")
    again = read_trace(tmp_path / f"log{ending}").workload
    assert again.synthetic
    assert work.source in again.source


@pytest.mark.parametrize("ending", [".swf", ".swf.gz", ".csv", ".parquet"])
def test_what_jobs_really_waited_goes_along_whatever_else_is_read(tmp_path, ending):
    work = Workload.of(submit_s=[0, 1, 2], runtime_s=[5, 5, 5], cores=[1, 1, 1], recorded_wait_s=[3, np.nan, 0])
    write_trace(work, tmp_path / f"log{ending}")
    for options in (ReadOptions(), ReadOptions(all_fields=True)):
        again = read_trace(tmp_path / f"log{ending}", options).workload
        assert np.array_equal(again.recorded_wait_s, [3, np.nan, 0], equal_nan=True)


@pytest.mark.parametrize("ending", [".swf", ".csv", ".parquet"])
def test_a_log_that_knows_no_wait_is_written_and_read_without_one(tmp_path, ending):
    write_trace(Workload.of(submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1]), tmp_path / f"log{ending}")
    assert read_trace(tmp_path / f"log{ending}").workload.recorded_wait_s is None


TEXTS = st.one_of(
    st.text("'=+-@\"a7,#|.é", min_size=1, max_size=5).filter(lambda text: text != "-"),
    st.sampled_from(["=1", "'=1", "''@7"]),
)
"""Without blanks around them and words for nothing, which no reader takes for a name; some that a spreadsheet runs."""
NAME_COLUMNS = ("user", "project", "name", "partition", "qos", "reservation", "ran_on")


@settings(max_examples=20)
@given(st.lists(st.fixed_dictionaries(dict.fromkeys(NAME_COLUMNS, TEXTS)), min_size=1, max_size=4), st.booleans())
def test_names_are_the_same_after_any_number_of_round_trips(tmp_path_factory, jobs, packed):
    """A cell that a spreadsheet would run gets an apostrophe; users, projects and hosts grew one more on each trip."""
    folder = tmp_path_factory.mktemp("trips")
    frame = pl.DataFrame([{"submit_s": k, "runtime_s": 60, "cores": 1} | job for k, job in enumerate(jobs)])
    frame.write_parquet(folder / "0.parquet")
    path, read = folder / "0.parquet", []
    for trip in range(1, 4):
        trace = read_trace(path)
        read.append(names_in(trace.workload))
        path = folder / f"{trip}.{'parquet' if packed else 'csv'}"
        write_trace(trace.workload, path)
    assert read[0] == read[1] == read[2]
    assert read[0]["name"] == [job["name"] for job in jobs]


def names_in(workload):
    frame = job_frame(workload)
    return {name: frame[name].to_list() if name in frame.columns else None for name in NAME_COLUMNS}
