"""Jobs as `scontrol show job` prints them."""

from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.traces import read_trace
from loadmaster.traces.slurm_shown import shown_batches, shown_row

TEXT = (Path(__file__).parent / "releases" / "scontrol-job-25.05.txt").read_text()


def write(folder, text):
    (folder / "jobs.txt").write_text(text)
    return folder / "jobs.txt"


def test_text_that_users_write_changes_nothing(tmp_path):
    sly = TEXT.replace("Command=/home/job.sh", "Command=x TresPerNode=gres/gpu:64 Requeue=0\n   Comment=NumCPUs=64")
    log = read_trace(write(tmp_path, sly)).workload
    assert log.demand.tolist() == read_trace(write(tmp_path, TEXT)).workload.demand.tolist()


def test_a_job_that_is_over_is_left_out(tmp_path):
    log = read_trace(write(tmp_path, TEXT.replace("JobState=PENDING", "JobState=COMPLETED", 1))).workload
    assert log.job_id.tolist() == [101, 104]


def test_a_running_job_without_its_start_is_refused(tmp_path):
    with pytest.raises(InputError, match="since when"):
        read_trace(write(tmp_path, TEXT.replace("StartTime=2024-01-01T00:10:00", "StartTime=Unknown")))


@pytest.mark.parametrize(
    ("words", "column", "value"),
    [
        ("ArrayJobId=5 ArrayTaskId=1-9%2 ArrayTaskThrottle=2", "jobid", "5_[1-9%2]"),
        ("ArrayJobId=5 ArrayTaskId=7", "jobid", "5_7"),
        ("TimeLimit=UNLIMITED", "timelimit", None),
        ("TimeLimit=Partition_Limit", "elapsed", None),
        ("TRES=cpu=4,mem=8G", "reqtres", "cpu=4,mem=8G"),
        ("MinMemoryCPU=2G", "reqmem", "2Gc"),
        ("MinMemoryNode=0", "reqmem", None),
        ("OverSubscribe=NO", "oversubscribe", "no"),
        ("OverSubscribe=OK", "oversubscribe", None),
        ("OverSubscribe=USER", "oversubscribe", "user"),
        ("NumNodes=2-4", "nnodes", "2"),
        ("Dependency=afterok:6(unfulfilled)", "dependency", "afterok:6(unfulfilled)"),
    ],
)
def test_a_key_becomes_its_column(words, column, value):
    assert shown_row(f"JobId=9 JobName=x {words}")[column] == value


def test_each_job_has_the_number_of_its_first_line(tmp_path):
    lines = TEXT.splitlines()
    begins = [number for number, line in enumerate(lines, 1) if line.startswith("JobId=")]
    (batch,) = shown_batches(write(tmp_path, TEXT))
    assert len(begins) > 1
    assert batch.line.tolist() == begins
