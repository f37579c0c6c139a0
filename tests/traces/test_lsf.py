"""LSF's `lsb.acct`."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.traces import ReadOptions, read_trace
from loadmaster.traces.lsf import job_of

SAMPLE = Path(__file__).parent / "samples" / "lsb.acct"
MB = 2**20


def test_a_record_is_a_job():
    trace = read_trace(SAMPLE, ReadOptions(strict=True, all_fields=True))
    work = trace.workload
    assert (work.job_id.tolist(), trace.skipped.total) == ([1058, 1059], 2)
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0, 10.0], [120.0, 100.0])
    assert work.demand.tolist() == [[2.0, 2000 * MB, 0.0], [1.0, 0.0, 0.0]]
    assert (work.task_count.tolist(), work.estimate_s.tolist()) == ([2, 1], [7200.0, 100.0])
    assert trace.workload.recorded_wait_s.tolist() == [199.0, 390.0]
    assert trace.workload.recorded_hosts.words() == ["n1,n2", "n1"]


def test_what_binds_a_job_is_kept():
    bound = read_trace(SAMPLE).workload.constraints
    assert (bound.partition.words(), bound.name.words()) == (["normal", "short"], ["first", "task[3]"])
    assert (bound.depends.text(1), bound.exclusive.tolist()) == ("afterok:1058,afterany:1057", [0, 2])
    assert (bound.array.tolist(), bound.array_task.tolist()) == ([-1, 1059], [-1, 3])
    assert (bound.reservation.words(), bound.qos.words()) == ([None, "user2#0"], [None, "gold"])
    assert (bound.status.tolist(), bound.limit_s.tolist()) == ([0, 2], [7200.0, np.inf])
    assert (bound.user_names, bound.account_names) == (("eve", "bob"), ("phys", "chem"))


def test_a_condition_that_is_not_plain_is_counted(tmp_path):
    path = tmp_path / "lsb.acct"
    path.write_text(SAMPLE.read_text().replace("ended(1057)", "numdone(1057, >3)"))
    assert any("1 job has dependencies that are not modelled" in note for note in read_trace(path).notes)


@pytest.mark.parametrize("change", [('"n1" "n2" 64', '"2*n1" "2*n2" 64'), (' 0 2 "n1"', ' 1 "n9" 2 "n1"')])
def test_lists_of_hosts_come_in_two_forms_and_any_length(change):
    line = SAMPLE.read_text().splitlines()[0].replace(*change)
    assert (job_of(line)["hosts"], job_of(line)["name"]) == (2, "first")
