"""Accounting logs of PBS and Torque."""

from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.traces import ReadOptions, read_trace
from loadmaster.traces.pbs import job_of
from traces.logs import write

SAMPLE = Path(__file__).parent / "samples" / "pbs.log"
MB, GB = 2**20, 2**30


def test_a_job_is_the_record_of_its_end():
    trace = read_trace(SAMPLE, ReadOptions(strict=True, all_fields=True))
    work, bound = trace.workload, trace.workload.constraints
    assert (work.job_id.tolist(), trace.skipped.total, trace.skipped.malformed) == ([407, 408], 3, 0)
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0, 5.0], [71.0, 100.0])
    assert work.demand.tolist() == [[2.0, 1000 * MB, 0.0], [8.0, 4 * GB, 2.0]]
    assert (work.task_count.tolist(), work.estimate_s.tolist()) == ([2, 1], [1000.0, 100.0])
    assert trace.workload.recorded_wait_s.tolist() == [451.0, 80.0]
    assert trace.workload.recorded_hosts.words() == ["n1,n2", "n1"]
    assert (bound.user_names, bound.account_names) == (("guest", "eve"), ("phys", "chem"))


def test_what_binds_a_job_is_kept():
    bound = read_trace(SAMPLE).workload.constraints
    assert (bound.partition.words(), bound.name.words()) == (["batch", "long"], ["first", "two words"])
    assert (bound.features.words(), bound.exclusive.tolist()) == (["ib", None], [0, 2])
    assert (bound.min_hosts.tolist(), bound.max_hosts.tolist()) == ([2, 0], [2, 0])
    assert (bound.eligible_s.tolist(), bound.status.tolist()) == ([0.0, 75.0], [0, 3])


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        ("Resource_List.nodes=1:ppn=4+3:ppn=2", (4.0, 10.0)),
        ("Resource_List.nodes=n7", (1.0, 1.0)),
        ("Resource_List.ncpus=16 Resource_List.nodect=4 Resource_List.select=4:ncpus=4", (4.0, 16.0)),
        ("exec_host=a/0+a/1+b/0", (1.0, 3.0)),
        ("Resource_List.nodect=1 exec_host=n1/0-27", (1.0, 28.0)),
        ("Resource_List.nodect=2 exec_host=n1/0-7,9+n2/0-8", (2.0, 18.0)),
        ("Resource_List.nodect=2 exec_host=n1/0*14+n2/3*14", (2.0, 28.0)),
    ],
)
def test_hosts_and_cores_are_told_in_many_ways(asked, shape):
    job = job_of(f"06/06/2005 14:07:17;E;4.s;ctime=1 start=2 end=9 {asked}")
    assert (job["hosts"], job["cores"]) == shape


@pytest.mark.parametrize(
    ("asked", "apart"),
    [
        ("Resource_List.nodes=2:ppn=4", 2), ("Resource_List.nodes=1:ppn=4", 0),
        ("Resource_List.nodect=4 Resource_List.select=4:ncpus=4 Resource_List.place=free", 0),
        ("Resource_List.nodect=4 Resource_List.select=4:ncpus=4 Resource_List.place=scatter:excl", 4),
    ],
)  # fmt: skip
def test_chunks_may_share_a_host_unless_they_are_nodes_or_scattered(asked, apart):
    job = job_of(f"06/06/2005 14:07:17;E;4.s;ctime=1 start=2 end=9 {asked}")
    assert (job["min_hosts"], job["max_hosts"]) == (apart, apart)


def test_dependencies_lose_the_names_of_servers():
    depend = "Resource_List.depend=afterok:12.head.site.org@head.site.org:13.head"
    assert job_of(f"06/06/2005 14:07:17;E;4.s;ctime=1 start=2 end=9 {depend}")["depends"] == "afterok:12:13"


@pytest.mark.parametrize(("times", "submit_s"), [("ctime=1 qtime=3", 3.0), ("qtime=3", 3.0), ("ctime=1", 1.0)])
def test_a_job_came_when_it_was_queued_and_else_when_it_was_made(times, submit_s):
    assert job_of(f"06/06/2005 14:07:17;E;4.s;{times} start=5 end=9")["submit_s"] == submit_s


@pytest.mark.parametrize("line", ["06/06/2005 14:07:17;E;4.s;ctime=soon start=2 end=3", "some other line"])
def test_a_broken_line_is_counted_and_strict_names_it(tmp_path, line):
    path = write(tmp_path, "log", SAMPLE.read_text() + line + "\n")
    assert read_trace(path).skipped.malformed == 1
    with pytest.raises(InputError, match=r"log:6: .*not a record"):
        read_trace(path, ReadOptions(strict=True))
