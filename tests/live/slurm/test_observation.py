"""From listings to an observation: what runs is told host by host, what is over once, what is not ours by name."""

import numpy as np
import pytest
from listed_observation import observation_in

from loadmaster.live.queue.listing import listing_of
from loadmaster.live.session.engine import HELD, RUNNING
from loadmaster.live.slurm.commands import CommandOutput
from loadmaster.live.slurm.host_parts import HostParts
from loadmaster.live.slurm.listing import COLUMNS, ListedJob
from loadmaster.live.slurm.observation import SlurmListings, SlurmObserver
from loadmaster.scheduling.resolved_constraints import resolve_constraints
from loadmaster.site.scontrol_reservations import Reservation
from loadmaster.site.site import read_site

CONF = """\
ClusterName=lm
NodeName=n[1-3] CPUs=8 RealMemory=1000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
PartitionName=main Nodes=ALL Default=YES
PartitionName=short Nodes=n1
"""
MIB = 2.0**20
SHOWN = """\
JobId=7 JobName=x UserId=root(0) NumNodes=2 NumCPUs=4
   Nodes=n1 CPU_IDs=0-2 Mem=300 GRES=
   Nodes=n3 CPU_IDs=7 Mem=100 GRES=
"""


class Slurm:
    """Answers `scontrol show job`."""

    def __init__(self, text=SHOWN):
        self.text, self.asked = text, []

    def run(self, *words):
        self.asked.append(words[-1])
        return CommandOutput(0, self.text, ())


@pytest.fixture
def site(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text(CONF)
    return read_site(path)


def row(**cells):
    usual = dict.fromkeys(COLUMNS, "") | {
        "JobArrayID": "7",
        "JobID": "7",
        "ArrayJobID": "7",
        "State": "PENDING",
        "Reason": "JobHeldUser",
        "PriorityLong": "0",
        "NumNodes": "1",
        "NumCPUs": "4",
        "cpus-per-task": "1",
        "ntpernode": "0",
        "MinMemory": "100M",
        "tres-alloc": "cpu=4,mem=400M,node=1",
        "TimeLimit": "10:00",
        "OverSubscribe": "OK",
        "SubmitTime": "1000",
        "UserName": "eve",
        "Account": "phys",
        "Partition": "main",
        "admin_comment": "loadmaster",
    }
    return ListedJob((usual | cells)["JobArrayID"], usual | cells)


def wide(**cells):
    """One that runs on two hosts with three cores here and one there."""
    return row(
        **{
            "State": "RUNNING",
            "NodeList": "n[1,3]",
            "NumNodes": "2",
            "tres-alloc": "cpu=4,mem=400M,node=2",
            "StartTime": "1100",
            "PriorityLong": "9",
        }
        | cells
    )


def listings(site, *rows, at_s=2000.0, **more):
    states = {part.name: "up" for part in site.partitions}
    return SlurmListings(at_s, list(rows), tuple(site.nodes), states, more.pop("reservations", []), **more)


def observer(site, detail, **more):
    return SlurmObserver(site, None, detail, looks_on=False, **more)


def test_a_job_on_several_hosts_holds_on_each_what_slurm_says_when_it_is_asked(site):
    slurm = Slurm()
    seen = observer(site, HostParts(slurm).of).see(listings(site, wide()))
    assert seen.tasks.state.tolist() == [RUNNING, RUNNING]
    assert seen.tasks.host.tolist() == [0, 2]
    assert seen.tasks.demand.tolist() == [[3.0, 300 * MIB], [1.0, 100 * MIB]]
    assert slurm.asked == ["7"]


@pytest.mark.parametrize("text", ["", "   Nodes=n1 CPU_IDs=0-2 Mem=300 GRES=\n"])
def test_where_slurm_does_not_tell_of_every_host_all_count_alike(site, text):
    seen = observer(site, HostParts(Slurm(text)).of).see(listings(site, wide()))
    assert seen.tasks.demand.tolist() == [[2.0, 200 * MIB]] * 2


def test_a_job_on_one_host_is_not_asked_for(site):
    slurm = Slurm()
    seen = observer(site, HostParts(slurm).of).see(listings(site, row(State="RUNNING", NodeList="n2", StartTime="1")))
    assert seen.tasks.demand.tolist() == [[4.0, 400 * MIB]]
    assert slurm.asked == []


def test_a_run_is_asked_for_once_until_slurm_has_said_it_and_is_forgotten_when_it_is_over():
    slurm = Slurm("")
    parts = HostParts(slurm)
    assert parts.of("7", "1100") == {}
    slurm.text = SHOWN
    assert parts.of("7", "1100") == parts.of("7", "1100") == {"n1": (3.0, 300 * MIB, 0.0), "n3": (1.0, 100 * MIB, 0.0)}
    assert len(slurm.asked) == 2
    parts.forget_ended()
    parts.forget_ended()
    parts.of("7", "1100")
    assert len(slurm.asked) == 3


def test_a_job_whose_number_came_back_is_asked_for_by_that_number():
    slurm = Slurm()
    HostParts(slurm).of("7@1700000000", "1100")
    assert slurm.asked == ["7"]


def test_the_end_of_a_job_is_told_once_though_slurm_lists_it_for_minutes(site):
    look = observer(site, HostParts(Slurm()).of)
    ended = row(State="COMPLETED", EndTime="1500")
    assert [(each.id, each.end_s, each.status) for each in look.see(listings(site, ended)).over] == [
        ("7", 1500.0, "ok")
    ]
    assert look.see(listings(site, ended)).over == ()


def without_memory(site, **cells):
    """The demand of a job that requests none, and whether it requests whole hosts."""
    seen = observer(site, HostParts(Slurm()).of).see(listings(site, row(MinMemory="0", **cells)))
    exclusive = seen.jobs.constraints.exclusive
    return seen.jobs.demand.tolist(), exclusive is not None and bool(exclusive[0])


def test_a_job_without_memory_takes_all_of_it_and_of_the_cores_only_its_own(site):
    assert without_memory(site) == ([[4.0, 1000 * MIB]], False)
    assert without_memory(site, Partition="short,main") == ([[4.0, 1000 * MIB]], False)


def test_a_job_without_memory_takes_whole_hosts_where_they_differ_in_it_or_where_it_says_so(site, tmp_path):
    assert without_memory(site, OverSubscribe="NO") == ([[8.0, 0.0]], True)
    path = tmp_path / "other.conf"
    path.write_text(CONF.replace("NodeName=n[1-3]", "NodeName=n4 CPUs=8 RealMemory=2000\nNodeName=n[1-3]"))
    other = read_site(path)
    assert without_memory(other) == ([[8.0, 0.0]], True)
    assert without_memory(other, Partition="short") == ([[4.0, 1000 * MIB]], False)


def test_hosts_that_a_running_job_keeps_for_its_user_take_no_further_job_until_its_limit(site):
    look = observer(site, HostParts(Slurm()).of)
    rules = look.see(listings(site, wide(OverSubscribe="USER"))).cluster.rules
    assert [(each.kind, each.hosts, each.from_s, each.to_s) for each in rules.calendar] == [
        ("drained", (0, 2), 1100.0, 1700.0)
    ]
    for cells in ({"OverSubscribe": "NO"}, {"OverSubscribe": "USER", "State": "COMPLETED", "EndTime": "1900"}):
        assert look.see(listings(site, wide(**cells))).cluster.rules.calendar == ()
    assert look.see(listings(site, row(OverSubscribe="USER"))).cluster.rules.calendar == ()


def test_jobs_of_other_partitions_are_left_out_by_name(site):
    look = observer(site, HostParts(Slurm()).of, partitions=("short",))
    seen = look.see(listings(site, row(), row(JobArrayID="8", JobID="8", ArrayJobID="8", Partition="short")))
    assert seen.ids == ("8",)
    assert seen.left_out == (("7", "waits in main, which is not among the requested partitions"),)


def test_a_job_that_waits_for_another_is_not_ready_and_one_with_a_begin_time_later(site):
    waits = row(Dependency="afterok:9(unfulfilled)")
    other = row(JobArrayID="9", JobID="9", ArrayJobID="9", EligibleTime="2500")
    seen = observer(site, HostParts(Slurm()).of).see(listings(site, waits, other))
    assert seen.tasks.state.tolist() == [HELD, HELD]
    assert dict(zip(seen.ids, seen.jobs.constraints.eligible_s.tolist(), strict=True)) == {"7": np.inf, "9": 2500.0}
    assert [each.words for each in seen.awaits] == ["waits for job 9 to end well"]
    assert observation_in(listing_of(seen)).awaits == seen.awaits


def test_a_pin_that_cannot_be_served_is_told_as_refused(site):
    refused = row(Reason="BadConstraints", ReqNodes="n1")
    never_pinned = row(JobArrayID="8", JobID="8", ArrayJobID="8", Reason="BadConstraints")
    released = row(JobArrayID="9", JobID="9", ArrayJobID="9", PriorityLong="5", ReqNodes="n1")
    seen = observer(site, HostParts(Slurm()).of).see(listings(site, refused, never_pinned, released))
    assert seen.refused == (("7", "Slurm says BadConstraints"),)


GPU_CONF = CONF.replace(
    "NodeName=n[1-3] CPUs=8 RealMemory=1000",
    """\
GresTypes=gpu
NodeName=n1 CPUs=8 RealMemory=1000 Gres=gpu:a100:2
NodeName=n2 CPUs=8 RealMemory=1000 Gres=gpu:1g.10gb:4(S:0)
NodeName=n3 CPUs=8 RealMemory=1000 Gres=gpu:3090:2""",
)
MIXED = "NodeName=n2 CPUs=8 RealMemory=1000 Gres=gpu:a100:1,gpu:1g.10gb:4"


@pytest.mark.parametrize(
    ("asked", "host"),
    [
        ({"tres-per-job": "gres:gpu:a100:1"}, "n1"), ({"tres-per-task": "gres:gpu:1g.10gb:1", "NumTasks": "2"}, "n2"),
        ({"tres-per-node": "gres:gpu:3090:2"}, "n3"), ({"tres-per-socket": "gres:gpu:3090:1", "Sockets": "2"}, "n3"),
    ],
)  # fmt: skip
def test_a_job_that_names_a_type_of_gpu_may_use_the_hosts_of_that_type_alone(tmp_path, asked, host):
    (tmp_path / "slurm.conf").write_text(GPU_CONF)
    site = read_site(tmp_path / "slurm.conf")
    look = observer(site, HostParts(Slurm()).of)
    any_type = row(JobArrayID="8", JobID="8", ArrayJobID="8", **{"tres-per-node": "gres:gpu:1"})
    seen = look.see(listings(site, row(**asked), any_type))
    allowed = resolve_constraints(seen.jobs, seen.cluster)
    names = [
        [seen.cluster.names[h] for h in np.flatnonzero(allowed.entries.allowed[row])] for row in allowed.entries.hosts
    ]
    assert names == [[host], ["n1", "n2", "n3"]]
    assert seen.jobs.demand[1, 2] == 1.0
    assert not [note for note in look.notes if "models of GPUs" in note]


def test_a_type_that_shares_a_host_with_another_is_left_out_by_name_and_others_are_not(tmp_path):
    text = GPU_CONF.replace("NodeName=n2 CPUs=8 RealMemory=1000 Gres=gpu:1g.10gb:4(S:0)", MIXED)
    (tmp_path / "slurm.conf").write_text(text)
    site = read_site(tmp_path / "slurm.conf")
    of_both = row(**{"tres-per-job": "gres:gpu:a100:1"})
    of_one = row(JobArrayID="8", JobID="8", ArrayJobID="8", **{"tres-per-job": "gres:gpu:3090:1"})
    seen = observer(site, HostParts(Slurm()).of).see(listings(site, of_both, of_one))
    assert (seen.left_out, seen.ids) == ((("7", "requests gres:gpu:a100:1"),), ("8",))


def test_gpus_of_a_running_job_are_told_host_by_host(tmp_path):
    (tmp_path / "slurm.conf").write_text(GPU_CONF)
    site = read_site(tmp_path / "slurm.conf")
    shown = SHOWN.replace("GRES=\n", "GRES=gpu:a100:2(IDX:0-1)\n", 1).replace(
        "Mem=100 GRES=", "Mem=100 GRES=gpu:3090:1(IDX:0)"
    )
    seen = observer(site, HostParts(Slurm(shown)).of).see(listings(site, wide(**{"tres-per-job": "gres:gpu:3"})))
    assert seen.tasks.demand.tolist() == [[3.0, 300 * MIB, 2.0], [1.0, 100 * MIB, 1.0]]


def test_reservations_that_are_to_come_stand_in_the_calendar_and_past_ones_do_not(site):
    kept = Reservation("course", 3000.0, 4000.0, ("n2",), ("eve",), (), ())
    past = Reservation("old", 1000.0, 1500.0, ("n1",), (), (), ())
    heard = listings(site, row(), reservations=[kept, past])
    seen = observer(site, HostParts(Slurm()).of).see(heard)
    assert [(each.name, each.from_s, each.to_s, each.hosts) for each in seen.cluster.rules.calendar] == [
        ("course", 3000.0, 4000.0, (1,))
    ]
