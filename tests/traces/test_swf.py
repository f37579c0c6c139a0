"""Reading SWF: what each field becomes, what is left out, and what is said about it."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.traces import ReadOptions, read_swf, read_trace
from loadmaster.traces import swf as swf_module
from loadmaster.traces.files import blocks
from traces.logs import SWF_HEADER, swf_line, write

KB, GB = 1024, 2**30


def read(tmp_path, text, name="log.swf", **options):
    return read_swf(write(tmp_path, name, text), ReadOptions(**options))


def test_fields_become_columns_with_memory_in_bytes_a_processor(tmp_path):
    text = swf_line(job=7, submit=5, run=60, used=3, asked=4, estimate=90, memory=2048, user=11, group=3)
    work = read(tmp_path, text).workload
    assert work.resources == ("cores", "memory")
    assert work.demand.tolist() == [[1.0, 2048 * KB]]
    assert (work.tasks.tolist(), work.estimate_s.tolist(), work.user.tolist()) == ([4], [90.0], [11])
    assert (work.project.tolist(), work.job_id.tolist(), work.runtime_s.tolist()) == ([3], [7], [60.0])


def test_what_was_used_stands_in_for_what_was_not_asked(tmp_path):
    trace = read(tmp_path, swf_line(used=6, asked=-1, used_memory=100) + swf_line(job=2, asked=2, memory=50))
    assert trace.workload.tasks.tolist() == [6, 2]
    assert trace.workload.demand[:, 1].tolist() == [100 * KB, 50 * KB]
    assert any("1 job requested no memory (field 10)" in note for note in trace.notes)


def test_a_log_without_memory_has_cores_alone_and_says_so(tmp_path):
    trace = read(tmp_path, swf_line())
    assert trace.workload.resources == ("cores",)
    assert trace.notes == ("This log has no memory: fields 7 and 10 are empty.",)


@pytest.mark.parametrize(
    ("options", "bytes_a_task"),
    [
        ({}, 1000 * KB),
        ({"memory_unit": "B"}, 1000),
        ({"memory_unit": "MB"}, 1000 * KB * KB),
        ({"swf_memory": "job-total"}, 250 * KB),
        ({"swf_memory": "job-total", "memory_unit": "B"}, 250),
    ],
)
def test_memory_is_read_as_the_user_says(tmp_path, options, bytes_a_task):
    work = read(tmp_path, swf_line(asked=4, memory=1000), **options).workload
    assert work.demand[0, 1] == bytes_a_task


def test_memory_of_a_job_is_shared_in_whole_bytes(tmp_path):
    work = read(tmp_path, swf_line(asked=3, memory=1000), swf_memory="job-total", memory_unit="B").workload
    assert work.demand[0, 1] == 333


@pytest.mark.parametrize(
    ("memory", "tasks", "said"),
    [
        (64 * GB, 1, "64 TiB a processor"),
        (5, 1, "5 KiB a processor"),
        (900 * GB // KB, 4, "3.516 TiB in all"),
    ],
)
def test_implausible_memory_is_told_with_the_option_that_may_mend_it(tmp_path, memory, tasks, said):
    notes = " ".join(read(tmp_path, "".join(swf_line(job=k, asked=tasks, memory=memory) for k in range(9))).notes)
    assert "Memory looks wrong" in notes
    assert said in notes
    assert "--memory-unit" in notes or "--swf-memory" in notes


def test_plausible_memory_is_not_doubted(tmp_path):
    assert read(tmp_path, "".join(swf_line(job=k, asked=4, memory=4 * GB // KB) for k in range(9))).notes == ()


def test_memory_that_fits_no_host_is_doubted_beside_the_machines(tmp_path):
    path = write(tmp_path, "log.swf", "".join(swf_line(job=k, asked=8, memory=8 * GB // KB) for k in range(9)))
    assert not any("wrong" in note for note in read_trace(path).notes)
    notes = read_trace(path, ReadOptions(hosts="4x8c32g")).notes
    assert any("100 % of the jobs request more than the largest host has" in note for note in notes)


def test_jobs_that_never_ran_are_counted_and_are_no_bad_lines(tmp_path):
    text = "; note\n" + swf_line(run=-1) + swf_line(run=0) + swf_line(asked=-1, used=0) + swf_line(job=9)
    trace = read(tmp_path, text, strict=True)
    assert trace.workload.job_id.tolist() == [9]
    assert list(trace.skipped.counts.values()) == [2, 1]
    assert list(trace.skipped.lines.values()) == [[2, 3], [4]]
    assert trace.skipped.malformed == 0


BAD = {
    "1 2 3": "18 fields",
    swf_line().replace("10", "ten", 1): "a field is not a number",
    swf_line(submit=-7): "submit time is negative",
    swf_line(run=-60): "runtime is negative",
    swf_line(asked=2.5): "not whole",
    swf_line(submit="1e300"): "out of range",
    swf_line(asked="9999999999"): "out of range",
    swf_line(user="nan"): "a field is not a number",
}


@pytest.mark.parametrize(("line", "rule"), BAD.items())
def test_bad_lines_are_counted_with_their_numbers_and_strict_makes_them_errors(tmp_path, line, rule):
    text = SWF_HEADER + swf_line() + line.strip() + "\n" + swf_line(job=2)
    trace = read(tmp_path, text)
    assert trace.workload.jobs == 2
    (reason,) = trace.skipped.counts
    assert rule in reason
    assert (trace.skipped.lines[reason], trace.skipped.malformed) == ([7], 1)
    with pytest.raises(InputError, match=r"log\.swf:7: .*" + rule):
        read(tmp_path, text, strict=True)


def test_strict_names_the_first_bad_line_of_any_kind(tmp_path):
    text = swf_line() + swf_line(run=-60) + "1 2\n" + swf_line(submit=-7)
    with pytest.raises(InputError, match=r"log\.swf:2: .*runtime is negative"):
        read(tmp_path, text, strict=True)


def test_a_log_whose_every_line_is_bad_is_an_error_that_shows_the_first(tmp_path):
    with pytest.raises(InputError, match=r"log\.swf:2: .1 2 3.: .*18 fields.*none of its 2 lines"):
        read(tmp_path, "; header\n1 2 3\nnor this\n")


def test_the_header_is_kept_and_names_the_machines(tmp_path):
    trace = read(tmp_path, SWF_HEADER + "; Note: a\n; Note: b\n" + swf_line())
    assert trace.about["Computer"] == "a small one"
    assert trace.about["Note"] == "a\nb"
    assert trace.cluster.capacity.tolist() == [[4.0], [4.0]]


def test_a_header_without_memory_names_no_machines_for_a_log_with_memory(tmp_path):
    assert read(tmp_path, SWF_HEADER + swf_line(memory=1024)).cluster is None
    with_memory = read(tmp_path, SWF_HEADER + "; MaxMemory: 2048\n" + swf_line(memory=1024))
    assert with_memory.cluster.capacity.tolist() == [[4.0, 2048.0 * KB]] * 2


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_line_ends_and_packing_change_nothing(tmp_path, ending, name):
    text = (SWF_HEADER + swf_line() + swf_line(job=2, submit=3)).replace("\n", ending or "\n")
    trace = read(tmp_path, text if ending else text.rstrip("\n"), name)
    assert trace.workload.submit_s.tolist() == [0.0, 3.0]


def test_jobs_are_sorted_by_arrival_stably_and_the_first_arrives_at_zero(tmp_path):
    submits = [50, 10, 50, 10, 30]
    text = "".join(swf_line(job=k, submit=s, wait=k) for k, s in enumerate(submits))
    trace = read(tmp_path, text, all_fields=True)
    assert trace.workload.job_id.tolist() == [1, 3, 4, 0, 2]
    assert trace.workload.submit_s.tolist() == [0, 0, 20, 40, 40]
    assert trace.workload.recorded_wait_s.tolist() == [1, 3, 4, 0, 2]


def test_all_eighteen_fields_are_kept_when_asked_for(tmp_path):
    text = swf_line(
        wait=1, cpu=2.5, used=3, used_memory=4, status=5, executable=6, queue=7, partition=8, preceding=9, think=10
    )
    extra = read(tmp_path, text, all_fields=True).extra
    assert {name: column.tolist() for name, column in extra.items()} == {
        "used_processors": [3],
        "cpu_time_s": [2.5],
        "used_memory": [4 * KB],
        "status": [5],
        "executable": [6],
        "queue": [7],
        "partition": [8],
        "preceding_job": [9],
        "think_time_s": [10],
    }
    assert read(tmp_path, text).extra == {}


def test_a_limit_reads_the_first_jobs_only(tmp_path):
    text = swf_line(run=-1) + "".join(swf_line(job=k, submit=k) for k in range(20))
    assert read(tmp_path, text, limit=3).workload.job_id.tolist() == [0, 1, 2]


def test_unknown_groups_become_one_project_of_their_own(tmp_path):
    text = swf_line(group=-1) + swf_line(group=4) + swf_line(group=0)
    assert read(tmp_path, text).workload.project.tolist() == [5, 4, 0]
    assert read(tmp_path, swf_line(group=-1)).workload.project is None


@given(
    st.lists(st.tuples(st.integers(0, 99999), st.integers(-1, 9), st.integers(1, 64)), min_size=1), st.integers(1, 99)
)
def test_the_size_of_blocks_changes_nothing(tmp_path_factory, jobs, size):
    lines = [swf_line(job=k, submit=s, run=r, asked=p, memory=p * 7) for k, (s, r, p) in enumerate(jobs)]
    path = write(
        tmp_path_factory.mktemp("blocks"), "log.swf", SWF_HEADER + "".join(lines) + "1 2 3\n" + swf_line(job=99)
    )
    whole = read_swf(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swf_module, "blocks", functools.partial(blocks, size=size))
        pieces = read_swf(path)
    assert pieces.skipped == whole.skipped
    assert np.array_equal(pieces.workload.demand, whole.workload.demand)
    assert np.array_equal(pieces.workload.submit_s, whole.workload.submit_s)
    assert np.array_equal(pieces.workload.job_id, whole.workload.job_id)
    assert np.array_equal(pieces.workload.tasks, whole.workload.tasks) or pieces.workload.tasks is whole.workload.tasks


@pytest.mark.parametrize("header", ["MaxMemory: " + "9" * 400, "MaxNodes: 99999999999", "MaxProcs: " + "8" * 300])
def test_machines_of_a_header_whose_numbers_cannot_be_true_are_not_known(tmp_path, header):
    about = {"MaxNodes": "1", "MaxProcs": "8", "MaxMemory": "1024"} | dict([header.split(": ")])
    lines = "".join(f"; {name}: {value}\n" for name, value in about.items())
    assert read(tmp_path, lines + swf_line(memory=2048)).cluster is None
