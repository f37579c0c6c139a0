"""A job of the listing in the model's words, or why it is left out."""

from dataclasses import replace

import pytest

from loadmaster.live.session.engine import CLAIMED, ENDING, HELD, RUNNING
from loadmaster.live.slurm.listing import COLUMNS, ListedJob
from loadmaster.live.slurm.mark import of_owner
from loadmaster.live.slurm.open_dependencies import KnownEnds
from loadmaster.live.slurm.work import OURS, UNFIT, state_of, work_of
from loadmaster.model.units import UNLIMITED_S


def row(task=-1, **cells):
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
        "MinMemory": "1000M",
        "tres-alloc": "cpu=4,mem=4000M,node=1,billing=4",
        "TimeLimit": "10:00",
        "OverSubscribe": "OK",
        "SubmitTime": "1000",
        "admin_comment": "loadmaster",
    }
    return ListedJob((usual | cells)["JobArrayID"], usual | cells, task)


COUNTS = {"": [2, 2, 4], "a100": [2, 2], "1g.10gb": [4]}


def work(gpu_models=None, gpu_counts=None, licences=(), **cells):
    return work_of_row(row(**cells), gpu_models, gpu_counts, licences)


def work_of_row(listed, gpu_models=None, gpu_counts=None, licences=()):
    return work_of(
        listed,
        looks_on=False,
        counts_memory=True,
        gpu_models=gpu_models or {},
        gpu_counts=gpu_counts or COUNTS,
        licences=licences,
    )


@pytest.mark.parametrize(
    ("asked", "hosts", "spread"),
    [("gpu:a100:2", 1, False), ("gpu:a100:3", 1, True), ("gpu:a100:4", 2, False), ("gpu:a100:6", 2, True),
     ("gpu:4", 1, False), ("gpu:8", 1, True), ("gpu:6", 2, True), ("gpu:6", 3, False)],
)  # fmt: skip
def test_gpus_of_a_job_that_slurm_spreads_over_hosts_as_it_likes_are_left_to_it(asked, hosts, spread):
    models = {"a100": "gpu:a100", "1g.10gb": "gpu:1g.10gb"}
    cells = {"tres-per-job": f"gres:{asked}", "NumNodes": str(hosts), "ntpernode": "1", "NumCPUs": str(hosts)}
    found = work(models, **cells)
    assert (isinstance(found, str) and "more GPUs than any host has" in found) == spread


def test_a_held_job_of_ours_asks_for_what_slurm_says():
    found = work()
    assert (found.state, found.hold, found.hosts, found.cores, found.limit_s) == (HELD, 0, 1, 4.0, 600.0)
    assert found.memory == 4000 * 2**20
    assert not found.whole


@pytest.mark.parametrize(
    ("allocated", "per_node", "gpus"),
    [
        ("cpu=4,gres/gpu=2,gres/gpu:a100=2", "gres:gpu:2", 2.0), ("cpu=4,gres/gpu:a100=2,gres/gpu:v100=1", "", 3.0),
        ("cpu=4,mem=1G,node=1", "gres:gpu:2", 2.0), ("cpu=4,mem=1G,node=1", "gres/gpu:3", 3.0),
    ],
)  # fmt: skip
def test_gpus_are_those_of_all_models_and_those_that_slurm_does_not_track(allocated, per_node, gpus):
    assert work(**{"tres-alloc": allocated, "tres-per-node": per_node}).gpus == gpus


@pytest.mark.parametrize("state", ["PENDING", "RUNNING"])
@pytest.mark.parametrize(
    ("cells", "of_host"),
    [
        ({"tres-per-job": "gres:gpu:a100:2"}, 2.0), ({"tres-per-job": "gres/gpu:a100:4", "NumNodes": "2"}, 2.0),
        ({"tres-per-task": "gres:gpu:a100:1", "NumTasks": "4"}, 4.0),
        ({"tres-per-task": "cpu:2,gres/gpu:a100:2", "NumTasks": "4", "NumNodes": "2"}, 4.0),
        ({"tres-per-task": "gres:gpu:2", "ntpernode": "2", "NumNodes": "2"}, 4.0),
        ({"tres-per-socket": "gres:gpu:a100:1", "Sockets": "2"}, 2.0),
        ({"tres-per-socket": "gres:gpu:3", "Sockets": "*"}, 3.0), ({"tres-per-node": "gres:gpu:a100:3"}, 3.0),
    ],
)  # fmt: skip
def test_gpus_that_slurm_does_not_track_are_those_of_the_job_its_nodes_tasks_or_sockets(cells, of_host, state):
    usual = {"State": state, "tres-alloc": "cpu=4,mem=1G,node=1", "ntpernode": "2"}
    assert work(gpu_models={"a100": ""}, **usual | cells).gpus == of_host


@pytest.mark.parametrize("column", ["tres-per-job", "tres-per-node", "tres-per-task", "tres-per-socket"])
def test_a_model_of_gpu_is_a_feature_of_its_hosts_or_left_out_by_name_where_nobody_can_tell(column):
    asked = {column: "gres:gpu:a100:2", "NumTasks": "1"}
    assert work(**asked) == "requests gres:gpu:a100:2"
    several = {"a100": "gpu:a100", "v100": "gpu:v100"}
    assert work(gpu_models=several, **asked, Feature="big|new").features == "big&gpu:a100|new&gpu:a100"
    assert work(gpu_models={"v100": ""}, **asked) == "requests gres:gpu:a100:2"
    assert work(gpu_models={"a100": ""}, **asked).gpus == 2.0
    assert work(State="RUNNING", **asked).gpus == 2.0


def test_gpus_that_do_not_divide_evenly_over_hosts_are_left_out():
    assert "GPUs that do not divide" in work(**{"tres-per-job": "gres:gpu:3", "NumNodes": "2", "ntpernode": "2"})


def test_a_job_on_several_hosts_is_even_where_its_user_said_so():
    found = work(NumNodes="2", NumCPUs="8", ntpernode="4")
    assert (found.hosts, found.cores) == (2, 4.0)
    assert "ntasks-per-node" in work(NumNodes="2", NumCPUs="8")
    assert "ntasks-per-node" in work(NumNodes="2", NumCPUs="7", ntpernode="4")


def test_one_task_of_several_cores_lies_on_one_host_though_squeue_guesses_two_while_it_is_held():
    found = work(**{"NumNodes": "2", "NumCPUs": "3", "cpus-per-task": "3", "tres-alloc": "cpu=3,mem=100M,node=1"})
    assert (found.hosts, found.cores) == (1, 3.0)


def test_a_job_on_one_host_is_too_large_for_any_though_squeue_guesses_two_hosts_for_it():
    found = work(NumNodes="2", MaxNodes="1", NumCPUs="17", **{"tres-alloc": "cpu=17,mem=100M,node=1"})
    assert (found.hosts, found.cores) == (1, 17.0)


def test_a_job_without_memory_gets_all_of_its_host_where_memory_is_counted():
    assert work(MinMemory="0").all_memory
    assert not work(MinMemory="0").whole
    assert work(MinMemory="0").memory == 0.0
    assert not work_of(row(MinMemory="0"), looks_on=False, counts_memory=False, gpu_models={}, gpu_counts={}).all_memory
    assert work(OverSubscribe="NO").whole


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ({"Licenses": "matlab:1"}, "licences"), ({"OverSubscribe": "USER"}, "--exclusive=user"),
        ({"tres-per-node": "gres:fpga:1"}, "fpga"), ({"Feature": "[a*1&b*1]"}, "features of some of its hosts"),
        ({"Feature": "a*2"}, "features of some of its hosts ("), ({"OverSubscribe": "MCS"}, "--exclusive=mcs"),
    ],
)  # fmt: skip
def test_what_the_model_has_no_words_for_is_left_out_by_name(cells, why):
    assert why in work(**cells)


def test_oversubscribe_matters_only_in_a_partition_that_lets_jobs_share_cores():
    listed = row(OverSubscribe="YES", Partition="long,main")

    def found(*shared):
        return work_of(listed, looks_on=False, counts_memory=True, gpu_models={}, gpu_counts={}, shared=shared)

    assert (found("short").cores, found("short").whole) == (4.0, False)
    assert "--oversubscribe in the partition main" in found("short", "main")


@pytest.mark.parametrize(
    ("asked", "counted"),
    [("matlab:2,ansys", "matlab:2,ansys:1"), ("matlab:1|ansys:1", None), ("matlab@other:1", None), ("fluent:1", None)],
)
def test_licences_that_the_site_counts_are_asked_for_and_others_are_left_to_slurm(asked, counted):
    found = work(licences=("matlab", "ansys"), Licenses=asked)
    if counted is None:
        assert "licences that slurm.conf does not count" in found
    else:
        assert found.licences == counted
    runs = {"State": "RUNNING", "NodeList": "n1", "PriorityLong": "1"}
    assert work(licences=("matlab", "ansys"), Licenses=asked, **runs).licences == (counted or "")


def test_a_running_job_is_never_left_out_for_what_it_asked():
    found = work(State="RUNNING", Licenses="matlab:1", NodeList="n[1-2]", NumNodes="2", NumCPUs="7", PriorityLong="1")
    assert (found.state, found.on) == (RUNNING, ("n1", "n2"))


@pytest.mark.parametrize(
    ("cells", "state"),
    [
        ({"State": "COMPLETING"}, ENDING), ({"State": "SUSPENDED"}, RUNNING), ({"PriorityLong": "12"}, CLAIMED),
        ({}, HELD),
    ],
)  # fmt: skip
def test_states_are_those_of_an_observation(cells, state):
    assert state_of(row(**cells), looks_on=False) == state


def test_a_looker_on_sees_all_that_waits_as_held():
    assert state_of(row(PriorityLong="12"), looks_on=True) == HELD


def test_who_holds_a_job_beside_us_is_told():
    assert work(DelayBoot="5:01").hold == 1
    assert work(DelayBoot="5:01", Reason="JobHeldAdmin").hold == 2
    assert work(DelayBoot="5:00", Reason="JobHeldAdmin").hold == 0
    assert work(admin_comment="").hold == 1
    assert work(admin_comment="", Reason="JobHeldAdmin").hold == 2


def test_what_a_run_with_another_state_holds_is_left_to_it():
    assert work(admin_comment="loadmaster:0a1b2c") == "another loadmaster holds it, with another --state"
    assert of_owner(row(admin_comment="loadmaster:0a1b2c why"), "0a1b2d")["admin_comment"] == "loadmaster:0a1b2c why"
    assert of_owner(row(admin_comment="loadmaster:0a1b2c why"), "0a1b2c")["admin_comment"] == "loadmaster"
    assert of_owner(row(admin_comment="loadmasters"), "0a1b2c")["admin_comment"] == "loadmasters"


def test_no_limit_is_a_long_one():
    assert work(TimeLimit="UNLIMITED").limit_s == UNLIMITED_S
    assert work(TimeLimit="Partition_Limit").limit_s == UNLIMITED_S
    assert work(TimeLimit="1-02:00:00").limit_s == 93600.0


def waits(text, *others, task=-1):
    ends = KnownEnds()
    ends.look(list(others))
    return ends.ready_s(row(task, JobArrayID="9", JobID="9", ArrayJobID="9", Dependency=text))


@pytest.mark.parametrize(
    ("text", "state", "ready"),
    [
        ("afterok:7(unfulfilled)", "RUNNING", False), ("afterok:7(unfulfilled)", "COMPLETED", True),
        ("afterok:7(unfulfilled)", "FAILED", False), ("afternotok:7(unfulfilled)", "FAILED", True),
        ("afternotok:7(unfulfilled)", "COMPLETED", False), ("afterany:7(unfulfilled)", "TIMEOUT", True),
        ("afterany:7(unfulfilled)", "PENDING", False), ("after:7(unfulfilled)", "PENDING", False),
        ("afterok:8(unfulfilled)", "PENDING", True), ("singleton(unfulfilled)", "RUNNING", False),
        ("afterok:7?afterany:8", "PENDING", True), ("afterok:7,afterany:8", "PENDING", False),
        ("rubbish", "PENDING", False),
    ],
)  # fmt: skip
def test_dependencies_are_looked_at_by_ourselves(text, state, ready):
    assert (waits(text, row(State=state)) < float("inf")) == ready


@pytest.mark.parametrize(
    ("cells", "ready"),
    [
        ({"State": "RUNNING"}, False), ({"State": "PENDING"}, False), ({"State": "COMPLETED"}, True),
        ({"State": "PENDING", "JobID": "12", "ArrayJobID": "12"}, True),
        ({"State": "RUNNING", "JobID": "12", "ArrayJobID": "12"}, False),
        ({"State": "RUNNING", "Name": "other"}, True), ({"State": "RUNNING", "UserName": "adam"}, True),
        ({"State": "RUNNING", "JobID": "12", "ArrayJobID": "9"}, True),
    ],
)  # fmt: skip
def test_a_singleton_waits_for_jobs_of_its_user_and_name_whatever_slurm_last_said(cells, ready):
    other = row(**({"Name": "sim", "UserName": "eve"} | cells))
    ends = KnownEnds()
    mine = row(JobID="9", ArrayJobID="9", Dependency="singleton(unfulfilled)", Name="sim", UserName="eve")
    ends.look([other, mine])
    assert (ends.ready_s(mine) == 0.0) == ready


def test_after_waits_its_minutes_from_the_start_of_the_other():
    assert waits("after:7+2(unfulfilled)", row(State="RUNNING", StartTime="5000")) == 5120.0


def test_aftercorr_waits_for_the_same_task():
    others = [row(1, State="COMPLETED"), row(2, State="RUNNING")]
    assert waits("aftercorr:7_*(unfulfilled)", *others, task=1) < float("inf")
    assert waits("aftercorr:7_*(unfulfilled)", *others, task=2) == float("inf")


def test_how_a_job_ended_is_remembered_when_slurm_has_forgotten_it():
    ends = KnownEnds()
    ends.look([row(State="FAILED")])
    ends.look([])
    assert ends.ready_s(row(Dependency="afterok:7(unfulfilled)")) == float("inf")


def awaited(text, *others):
    ends = KnownEnds()
    ends.look(list(others))
    found = ends.awaits(row(JobArrayID="9", JobID="9", ArrayJobID="9", Dependency=text))
    return None if found is None else found.words


@pytest.mark.parametrize(
    ("text", "state", "words"),
    [
        ("afterok:7(unfulfilled)", "RUNNING", "waits for job 7 to end well"),
        ("afterok:7(unfulfilled)", "FAILED", "can never start: job 7 did not end well"),
        ("afternotok:7(unfulfilled)", "COMPLETED", "can never start: job 7 did not fail"),
        ("afterok:8(failed)", "RUNNING", "can never start: job 8 did not end well"),
        ("afterok:8_3(failed)", "RUNNING", "can never start: job 8_3 did not end well"),
        ("after:7(unfulfilled)", "PENDING", "waits for job 7 to begin"),
        ("singleton(unfulfilled)", "RUNNING", "waits for the earlier jobs of its user with its name to end"),
        ("afterok:7(failed)?afterany:7(unfulfilled)", "RUNNING", "waits for job 7 to end"),
        ("afterany:7(unfulfilled)?afterany:8", "RUNNING", None), ("afterany:7", "FAILED", None), ("", "RUNNING", None),
        ("rubbish", "PENDING", None),
    ],
)  # fmt: skip
def test_what_a_job_waits_for_is_told_by_name_and_what_can_never_come_as_such(text, state, words):
    assert awaited(text, row(State=state)) == words


def test_a_job_that_failed_and_was_sent_back_to_the_queue_may_end_well_yet():
    ends = KnownEnds()
    ends.look([row(State="FAILED")])
    ends.look([row(State="PENDING")])
    assert not ends.awaits(row(Dependency="afterok:7(unfulfilled)")).never


def test_hosts_that_a_job_names_or_excludes_are_features_of_its_hosts():
    named, two = replace(row(ReqNodes="n1"), named="n1"), row(NumNodes="2", NumCPUs="2", Feature="a|b")
    assert (work_of_row(named).features, work_of_row(named).on) == ("host:n1", ())
    assert work_of_row(replace(named, excluded="n2")).features == "host:n1&!host:n2"
    assert work_of_row(replace(two, named="n[1-2]")).features == "a&host:n[1-2]|b&host:n[1-2]"
    assert work_of_row(replace(two, named="n1")) == "names only some of its hosts (-w n1)"


def test_a_pinned_job_that_names_its_hosts_shows_its_pin_only_while_it_is_released_or_refused():
    asked = {"ReqNodes": "n1", "admin_comment": OURS}
    assert work_of_row(replace(row(**asked, PriorityLong="9"), named="n1")).on == ("n1",)
    assert work_of_row(replace(row(**asked, Reason=UNFIT), named="n1")).on == ("n1",)


@pytest.mark.parametrize(
    ("features", "hosts", "asked"),
    [("a*2", 2, "a"), ("[a|b]", 2, "[a|b]"), ("[a|b]", 1, "(a|b)"), ("(a|b)&c,d", 1, "(a|b)&c&d")],
)
def test_features_that_all_hosts_of_a_job_have_are_served(features, hosts, asked):
    assert work(Feature=features, NumNodes=str(hosts), NumCPUs=str(hosts)).features == asked
