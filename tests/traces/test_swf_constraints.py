"""What binds the jobs of SWF: fields 11 and 14 to 16, and the words behind the 18th."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Constraints, InputError
from loadmaster.traces import ReadOptions, read_swf, read_trace, write_trace
from traces.logs import swf_line, write

WORDS = (" {9,9} long 2:ppn=2:x86_64:brno#excl\n", " {9} short 1:ppn=1\n", " long 1:ppn=4:^bad\n")


def read(tmp_path, text, **options):
    return read_swf(write(tmp_path, "log.swf", text), ReadOptions(**options))


def lines(**columns):
    """A line for each row of the columns."""
    rows = zip(*columns.values(), strict=True)
    return "".join(swf_line(job=k, **dict(zip(columns, row, strict=True))) for k, row in enumerate(rows))


def with_words(words=WORDS):
    return "".join(swf_line(job=k, asked=4 if k != 1 else 1).strip() + end for k, end in enumerate(words))


def test_queue_and_partition_are_names_and_minus_one_is_none(tmp_path):
    bound = read(tmp_path, lines(queue=[2, -1, 2], partition=[1, 1, 7])).workload.constraints
    assert (bound.qos.words(), bound.partition.words()) == (["2", None, "2"], ["1", "1", "7"])


def test_a_field_that_is_the_same_in_all_lines_is_unknown(tmp_path):
    assert read(tmp_path, lines(queue=[3, 3], partition=[1, 1])).workload.constraints is None


def test_field_15_is_the_partition_where_the_user_says_so(tmp_path):
    bound = read(tmp_path, lines(queue=[2, 4], partition=[1, 7]), swf_partition="15").workload.constraints
    assert (bound.given, bound.partition.words()) == (("partition",), ["2", "4"])


def test_state_and_executable_come_with_all_fields(tmp_path):
    text = lines(status=[1, 0, 5, 3], executable=[8, 9, 8, -1])
    assert read(tmp_path, text).workload.constraints is None
    bound = read(tmp_path, text, all_fields=True).workload.constraints
    assert (bound.status.tolist(), bound.name.words()) == ([0, 1, 3, 6], ["8", "9", "8", None])


def test_closed_jobs_follow_others_where_both_fields_tell_and_the_other_comes_before(tmp_path):
    text = lines(submit=[0, 5, 5, 9, 9], preceding=[3, 0, 1, 77, 2], think=[4, 4, 2.5, 1, -1])
    trace = read(tmp_path, text, swf_feedback="closed")
    bound = trace.workload.constraints
    assert (bound.follows.tolist(), bound.think_s.tolist()) == ([-1, -1, 1, -1, -1], [0, 0, 2.5, 0, 0])
    assert any("4 jobs were" in note and "1 of them" in note and "3 as recorded" in note for note in trace.notes)


@pytest.mark.parametrize("preceding", [[-1, -1], [1, 1]])
def test_closed_is_refused_where_no_job_is_known_to_follow_another(tmp_path, preceding):
    with pytest.raises(InputError, match=r"swf-feedback closed.*changes nothing.*leave it out"):
        read(tmp_path, lines(preceding=preceding), swf_feedback="closed")


def test_fields_17_and_18_are_written_where_a_table_says_who_follows_whom(tmp_path):
    trace = read(tmp_path, lines(submit=[0, 5], preceding=[-1, 0.0], think=[-1, 4]).replace("0.0", "0"))
    follows = Constraints(follows=np.array([-1, 0]), think_s=np.array([0.0, 4.0]))
    write_trace(replace(trace.workload, constraints=follows), tmp_path / "again.swf")
    fields = [line.split()[16:] for line in (tmp_path / "again.swf").read_text().splitlines() if line[0] != ";"]
    assert fields == [["-1", "-1"], ["0", "4"]]


@pytest.mark.parametrize(("preceding", "jobs"), [([-1, 1, 1], "2 jobs were"), ([-1, 1, -1], "1 job was")])
@pytest.mark.parametrize("all_fields", [False, True])
def test_jobs_that_came_after_the_end_of_others_are_said(tmp_path, preceding, jobs, all_fields):
    notes = read(tmp_path, lines(preceding=preceding), all_fields=all_fields).notes
    assert f"{jobs} submitted after another had ended (fields 17, 18): arrivals stay as they were recorded." in notes


@pytest.mark.parametrize("preceding", [[-1, -1], [1, 1], [0, -1]])
def test_a_preceding_job_that_is_none_is_not_said(tmp_path, preceding):
    assert not any("17, 18" in note for note in read(tmp_path, lines(preceding=preceding)).notes)


def test_words_behind_the_last_field_are_the_queue_and_the_request(tmp_path):
    trace = read(tmp_path, with_words())
    bound = trace.workload.constraints
    assert bound.qos.words() == ["long", "short", "long"]
    assert bound.features.words() == ["x86_64&brno", None, None]
    assert bound.exclusive.tolist() == [2, 0, 0]
    assert any("1 requests name or exclude hosts" in note for note in trace.notes)


def test_a_task_is_a_host_of_the_request(tmp_path):
    text = swf_line(asked=4, memory=100).strip() + WORDS[0] + swf_line(asked=3, memory=100).strip() + WORDS[0]
    work = read(tmp_path, text).workload
    assert (work.tasks.tolist(), work.demand.tolist()) == ([2, 3], [[2.0, 204800.0], [1.0, 102400.0]])
    assert (work.constraints.min_hosts.tolist(), work.constraints.max_hosts.tolist()) == ([2, 0], [2, 0])


def test_other_words_behind_the_last_field_are_passed_over(tmp_path):
    for words in (" 7 8\n", " a b c\n", " {1}\n"):
        work = read(tmp_path, swf_line(asked=4).strip() + words).workload
        assert (work.constraints, work.tasks.tolist()) == (None, [4])


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_words_belong_to_their_lines_also_where_jobs_are_left_out(tmp_path, limit):
    skipped = swf_line(run=-1).strip() + " none 1:ppn=9\n"
    text = "; a comment\n" + skipped.join(with_words().splitlines(keepends=True))
    bound = read(tmp_path, text, limit=limit).workload.constraints
    assert bound.qos.words() == ["long", "short", "long"][:limit]


def test_what_binds_is_left_aside_by_name(tmp_path):
    path = write(tmp_path, "log.swf", with_words())
    left_aside = ("exclusive", "qos", "min_hosts", "max_hosts")
    assert read_trace(path, ReadOptions(ignore=left_aside)).workload.constraints.given == ("features",)
    assert read_trace(path, ReadOptions(ignore=("all",))).workload.constraints is None
    with pytest.raises(InputError, match="no constraint that could be left aside"):
        read_trace(path, ReadOptions(ignore=("speed",)))
