"""Slurm's accounting dumps, with their many spellings of memory, time and trackable resources."""

import pytest

from loadmaster.traces import ReadOptions, read_trace
from traces.logs import write

MIB, GB = 2**20, 2**30
HEADER = (
    "JobID|JobIDRaw|User|Account|Submit|Start|End|Elapsed|State|NNodes|ReqCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit\n"
)


def line(
    job="1", raw="1", elapsed="00:01:00", state="COMPLETED", nodes=1, cpus=1, memory="", req="", alloc="", limit=""
):
    times = "2024-01-01T00:00:00|2024-01-01T00:00:30|2024-01-01T00:01:30"
    return f"{job}|{raw}|eve|physics|{times}|{elapsed}|{state}|{nodes}|{cpus}|{memory}|{req}|{alloc}|{limit}\n"


def read(tmp_path, text, **options):
    return read_trace(write(tmp_path, "dump.log", text), ReadOptions(**options))


@pytest.mark.parametrize(
    ("cells", "total"),
    [
        (dict(memory="4000Mn", nodes=2, cpus=8), 2 * 4000 * MIB),
        (dict(memory="4Gc", nodes=2, cpus=8), 8 * 4 * GB),
        (dict(memory="2147486648Mn", cpus=8), 8 * 3000 * MIB),
        (dict(memory="62.50G", nodes=2, cpus=8), 62.5 * GB),
        (dict(memory="0n", cpus=8, req="cpu=8,mem=24000M,node=1"), 24000 * MIB),
        (dict(memory="", cpus=8, alloc="billing=8,cpu=8,mem=62.50G,node=1"), 62.5 * GB),
        (dict(memory="100G", cpus=8, req="cpu=8,mem=7G,node=1"), 7 * GB),
        (dict(memory="1T", cpus=8), 1024 * GB),
        (dict(memory="2048K", cpus=1), 2 * MIB),
    ],
)
def test_memory_counts_for_a_node_a_core_or_the_job(tmp_path, cells, total):
    work = read(tmp_path, HEADER + line(**cells)).workload
    assert float((work.demand[:, 1] * work.task_count)[0]) == total


@pytest.mark.parametrize(
    ("cells", "tasks", "demand"),
    [
        (dict(nodes=4, cpus=32), 4, [8.0, 0.0]),
        (dict(nodes=3, cpus=32), 32, [1.0, 0.0]),
        (dict(nodes=2, cpus=8, req="cpu=8,gres/gpu=4"), 2, [4.0, 2.0]),
        (dict(nodes=1, cpus=8, req="cpu=8,gres/gpu:a100=2,node=1"), 1, [8.0, 2.0]),
        (dict(nodes=1, cpus=8, req="cpu=8", alloc="cpu=8,gres/gpu=1"), 1, [8.0, 1.0]),
    ],
)
def test_a_job_has_a_task_a_node_where_that_divides_evenly(tmp_path, cells, tasks, demand):
    work = read(tmp_path, HEADER + line(**cells)).workload
    assert work.resources == ("cores", "memory", "gpus")
    assert (work.task_count.tolist(), work.demand[0, [0, 2]].tolist()) == ([tasks], demand)


@pytest.mark.parametrize(
    ("cells", "least", "most"),
    [
        (dict(nodes=2, cpus=8, req="cpu=8,node=2"), 2, 2),  # -N 2
        (dict(nodes=3, cpus=9, req="cpu=9,node=2"), 2, 3),  # -N 2-3, or 2-4: as many as it was given at most
        (dict(nodes=4, cpus=8, req="cpu=8,node=1"), 0, 0),  # -n 8: Slurm chose four
        (dict(nodes=4, cpus=8), 4, 4),
        (dict(nodes=2, cpus=3, req="cpu=3,node=2"), 2, 2),
    ],
)
def test_a_job_asks_for_the_nodes_of_its_requested_resources(tmp_path, cells, least, most):
    bound = read(tmp_path, HEADER + line(**cells) + line(job="2", nodes=5, cpus=5)).workload.constraints
    assert (bound.min_hosts.tolist(), bound.max_hosts.tolist()) == ([least, 5], [most, 5])


def test_a_log_without_jobs_of_several_nodes_has_no_column_of_hosts(tmp_path):
    bound = read(tmp_path, HEADER + line(nodes=1, cpus=8)).workload.constraints
    assert (bound.min_hosts, bound.max_hosts) == (None, None)


def test_resources_that_are_not_read_are_said_with_their_number_of_jobs(tmp_path):
    rows = [
        line(job="1", cpus=2, req="billing=2,cpu=2,gres/gpu:a100=1,gres/gpu=1,mem=1G,node=1"),
        line(job="2", cpus=2, req="cpu=2,gres/fpga:x=1,license/ansys=2,mem=1G"),
        line(job="3", cpus=2, req="cpu=2,gres/shard=4,mem=1G"),
    ]
    trace = read(tmp_path, HEADER + "".join(rows))
    assert "2 jobs also request what is not modelled: gres/fpga:x, gres/shard." in trace.notes
    assert not any("not modelled" in note for note in read(tmp_path, HEADER + rows[0]).notes)


def test_licences_and_burst_buffers_are_read_from_what_a_job_asked_for(tmp_path):
    rows = [
        line(job="1", cpus=2, req="cpu=2,license/ansys=2,license/m@srv=1,mem=1G,bb/cray=100G"),
        line(job="2", cpus=2, req="cpu=2,mem=1G"),
    ]
    licences = read(tmp_path, HEADER + "".join(rows)).workload.constraints.licences
    assert licences.words() == ["ansys:2,m@srv:1,bb/cray:100G", None]


def test_parts_of_heterogeneous_jobs_are_jobs_and_said(tmp_path):
    text = HEADER + line(job="8+0", raw="8") + line(job="8+1", raw="9") + line(job="10", raw="10")
    trace = read(tmp_path, text)
    assert trace.workload.job_id.tolist() == [8, 9, 10]
    assert any(note.startswith("2 rows are parts of heterogeneous jobs") for note in trace.notes)
    assert not any("heterogeneous" in note for note in read(tmp_path, HEADER + line(job="10_1")).notes)


def test_steps_pending_and_never_started_jobs_are_left_out_and_running_ones_told(tmp_path):
    text = HEADER + line(raw="7") + line(job="7.batch", raw="7.batch") + line(job="7.0", raw="7.0")
    text += line(raw="8", elapsed="00:00:00", state="CANCELLED by 33") + line(raw="9", state="RUNNING")
    trace = read(tmp_path, text, strict=True)
    assert trace.workload.job_id.tolist() == [7, 9]
    assert sorted(trace.skipped.counts.values()) == [1, 2]
    assert any("1 job was running" in note for note in trace.notes)


def test_elapsed_days_and_time_limits_are_read(tmp_path):
    text = HEADER + line(elapsed="10-13:27:06", limit="37-14:00:00") + line(raw="2", limit="UNLIMITED")
    work = read(tmp_path, text).workload
    assert work.runtime_s.tolist() == [912_426.0, 60.0]
    assert work.estimate_s.tolist() == [37 * 86400.0 + 14 * 3600.0, 60.0]


def test_waits_are_kept_when_asked_for(tmp_path):
    assert read(tmp_path, HEADER + line()).workload.recorded_wait_s.tolist() == [30.0]


def test_the_hosts_on_which_a_job_ran_are_kept_and_none_assigned_is_none(tmp_path):
    more = [
        line(job=str(n)).replace("\n", f"|{hosts}\n") for n, hosts in enumerate(["n[1-2]", "None assigned", "", "n7"])
    ]
    work = read(tmp_path, HEADER.replace("\n", "|NodeList\n") + "".join(more)).workload
    assert work.recorded_hosts.words() == ["n[1-2]", None, None, "n7"]
    assert read(tmp_path, HEADER + line()).workload.recorded_hosts is None


def test_parsable_dumps_end_every_line_with_a_bar(tmp_path):
    text = (HEADER + line()).replace("\n", "|\n")
    assert read(tmp_path, text).workload.jobs == 1


def test_arrays_take_the_raw_identifier(tmp_path):
    assert read(tmp_path, HEADER + line(job="55_3", raw="58")).workload.job_id.tolist() == [58]


XDMOD = (
    "163485|163485|cluster|part|qos|acct|group|45789|eve|380693|2016-12-22T07:15:12|2016-12-22T07:15:12|"
    "2016-12-22T07:15:13|2017-01-01T20:42:19|10-13:27:06|0:0|CANCELLED by 380693|1|12|12|31000Mn|cpu=12,node=1|"
    "billing=12,cpu=12,gres/gpu=2,mem=31000M,node=1|37-14:00:00|cpn-f11-31|job name\n"
)


def test_dumps_without_header_follow_the_order_of_open_xdmod(tmp_path):
    for text in (XDMOD, XDMOD.replace("|qos|", "|", 1), XDMOD.strip() + "|\n"):
        work = read(tmp_path, text).workload
        assert work.demand.tolist() == [[12.0, 31000 * MIB, 2.0]]
        assert (work.runtime_s.tolist(), work.job_id.tolist()) == ([912_426.0], [163_485])


def test_bars_in_the_last_field_of_a_dump_without_header_do_no_harm(tmp_path):
    assert read(tmp_path, XDMOD + XDMOD.replace("job name", "a|b|c")).workload.jobs == 2


def test_partitions_and_qualities_of_service_are_kept_by_name_with_who_pays(tmp_path):
    log = tmp_path / "log.sacct"
    log.write_text(
        "JobID|User|Account|Partition|QOS|Submit|Elapsed|ReqCPUS\n"
        "1|eve|phys|long|7|2024-01-01T00:00:05|00:01:00|1\n2|bob|chem|short,long|high|2024-01-01T00:00:00|00:01:00|1\n"
        "3|bob|chem|long||2024-01-01T00:00:09|00:01:00|1\n"
    )
    workload = read_trace(log).workload
    bound = workload.constraints
    assert bound.partition.words() == ["short,long", "long", "long"]
    assert bound.qos.words() == ["high", "7", None]
    assert [bound.user_names[code] for code in workload.user] == ["bob", "eve", "bob"]
    assert [bound.account_names[code] for code in workload.project] == ["chem", "phys", "chem"]
