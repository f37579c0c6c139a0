"""How many jobs each line of a configuration concerns that is not modelled."""

import pytest

from loadmaster.model import Constraints, Named, Workload
from loadmaster.runs.site_case import site_case
from loadmaster.site.job_scope import ALL_JOBS, NOT_IN_LOGS, JobScope, counted
from loadmaster.traces import Trace

JOBS = Workload.of(
    submit_s=[0, 0, 0, 0],
    runtime_s=[9, 9, 9, 9],
    cores=[1, 1, 1, 1],
    tasks=[1, 1, 2, 1],
    constraints=Constraints(partition=Named.of(["a", "b", None, "a,b"]), qos=Named.of(["high", None, "low", "low"])),
)


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        (ALL_JOBS, "all 4 jobs"),
        (NOT_IN_LOGS, "the log does not show which jobs"),
        (JobScope("partitions", ("b",)), "2 of 4 jobs"),
        (JobScope("partitions", ("a",)), "3 of 4 jobs"),  # the job without a partition is in the default one
        (JobScope("qos", ("low",)), "2 of 4 jobs"),
        (JobScope("no qos"), "1 of 4 jobs"),
        (JobScope("several hosts"), "1 of 4 jobs"),
        (JobScope("gpus"), "no job"),
        (JobScope("users", ("eve",)), "the log does not show which jobs"),
    ],
)
def test_a_scope_counts_its_jobs(scope, words):
    assert counted({"this": scope}, JOBS, "a") == f"Of the site not modelled: this ({words})."


def test_what_concerns_most_jobs_comes_first():
    text = counted({"x": NOT_IN_LOGS, "y": JobScope("gpus"), "z": ALL_JOBS}, JOBS, "a")
    assert [word.split(" ")[0] for word in text.removeprefix("Of the site not modelled: ").split(", ")] == [
        "z",
        "y",
        "x",
    ]


def test_lines_of_hosts_and_partitions_concern_the_jobs_there(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text(
        "NodeName=n[1-2] CPUs=8\nNodeName=n3 CPUs=8 CpuSpecList=0-1\n"
        "PartitionName=a Nodes=n[1-2] Default=YES\nPartitionName=b Nodes=n3 MaxCPUsPerNode=4\n"
        "SelectType=select/cons_tres\nCompleteWait=3\nTopologyPlugin=topology/tree\n"
    )
    sleeping = path.read_text().replace("n3 CPUs=8", "n3 CPUs=8 State=CLOUD") + "SuspendTimeout=300\n"
    path.write_text(sleeping)
    notes = site_case(path).jobs_of(Trace(JOBS)).notes
    (text,) = [note for note in notes if "not modelled" in note]
    for part in (
        "CompleteWait (all 4 jobs)",
        "CpuSpecList (2 of 4 jobs)",
        "MaxCPUsPerNode of partition b (2 of 4 jobs)",
        "TopologyPlugin (1 of 4 jobs)",
        "SuspendTimeout (2 of 4 jobs)",
    ):
        assert part in text
