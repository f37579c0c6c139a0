"""With a limit, what is counted as left out, noted or refused lies within what was read."""

import pytest

from loadmaster.traces import ReadOptions, read_trace
from traces.logs import swf_line, write
from traces.test_alibaba import PODS
from traces.test_slurm import HEADER, line

BAD = {
    "swf": ("log.swf", "", swf_line(job=7), "1 2 3\n"),
    "csv": ("log.csv", "submit_s,runtime_s,cores\n", "0,5,1\n", "0,five,1\n"),
    "slurm": ("log.txt", HEADER, line(), line(elapsed="soon")),
}


@pytest.mark.parametrize("name", BAD)
def test_lines_behind_the_last_job_are_neither_counted_nor_refused(tmp_path, name):
    file, head, good, bad = BAD[name]
    path = write(tmp_path, file, head + good + bad + good + bad * 5 + good)
    whole, part = read_trace(path), read_trace(path, ReadOptions(limit=2))
    assert (whole.workload.jobs, whole.skipped.total) == (3, 6)
    assert (part.workload.jobs, part.skipped.total) == (2, 1)
    assert part.skipped.lines == {reason: lines[:1] for reason, lines in whole.skipped.lines.items()}
    assert read_trace(path, ReadOptions(limit=1, strict=True)).workload.jobs == 1


@pytest.mark.parametrize("name", BAD)
def test_a_limit_beyond_the_file_counts_all_of_it(tmp_path, name):
    file, head, good, bad = BAD[name]
    path = write(tmp_path, file, head + good + bad * 2)
    assert read_trace(path, ReadOptions(limit=9)).skipped.total == 2


def test_notes_count_jobs_within_the_limit(tmp_path):
    running = line(raw="2", state="RUNNING", limit="01:00:00")
    path = write(tmp_path, "log.txt", HEADER + line(memory="4Gn", limit="01:00:00") + running)
    assert read_trace(path, ReadOptions(limit=1)).notes == ()
    assert [note.split(" ", 1)[0] for note in read_trace(path).notes] == ["1", "1"]
    pods = write(tmp_path, "pods.csv", PODS)
    assert not any("were running" in note for note in read_trace(pods, ReadOptions(limit=1)).notes)
    assert any("1 pod was running" in note for note in read_trace(pods).notes)


def test_a_limit_cuts_within_a_block_of_lines(tmp_path):
    path = write(tmp_path, "log.swf", "".join(swf_line(job=k, submit=k) + "1 2 3\n" for k in range(60_000)))
    part = read_trace(path, ReadOptions(limit=50_000))
    assert (part.workload.jobs, part.workload.job_id[-1], part.skipped.total) == (50_000, 49_999, 49_999)
