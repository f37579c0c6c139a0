"""What `sacct` and `squeue` print in all their layouts: samples in the documented forms."""

import json
from pathlib import Path

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.model.constraints import STATUSES
from loadmaster.traces import ReadOptions, read_trace
from traces.logs import write

SAMPLES = Path(__file__).parent / "samples"
MIB = 2**20


def total(work):
    return (work.demand * work.task_count[:, None]).tolist()


@pytest.mark.parametrize("name", ["sacct_plain_commas.txt", "sacct_fixed.txt", "sacct.json"])
def test_sacct_says_the_same_in_every_layout(name):
    trace = read_trace(SAMPLES / name, ReadOptions(strict=True))
    work, bound = trace.workload, trace.workload.constraints
    assert work.job_id.tolist() == [101, 102]
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0, 5.0], [60.0, 30.0])
    assert (work.estimate_s.tolist(), bound.limit_s.tolist()) == ([600.0, 30.0], [600.0, np.inf])
    assert [row[:2] for row in total(work)] == [[8.0, 4000 * MIB], [1.0, 100 * MIB]]
    assert work.tasks.tolist() == [2, 1]
    assert [bound.user_names[code] for code in work.user] == ["eve", "bob"]
    assert bound.partition.words()[0] == "long"
    assert STATUSES[bound.status[1]] in ("failed", "cancelled")


def test_quoted_cells_keep_their_commas():
    work = read_trace(SAMPLES / "sacct_commas.txt").workload
    assert total(work)[0][:2] == [8.0, 4000 * MIB]


HEADS = ["JOBID", "USER", "SUBMIT_TIME", "START_TIME", "TIME_LIMIT", "CPUS", "NODES", "STATE", "NAME"]
QUEUES = {
    "east": [
        ["7", "eve", "2024-01-01T00:00:00", "2024-01-01T00:10:00", "1:00:00", "4", "1", "RUNNING", "a"],
        ["8", "ann", "2024-01-01T00:00:00", "N/A", "1:00:00", "8", "1", "PENDING", "b"],
    ],
    "north": [],
    "west": [["7", "bob", "2024-01-01T00:05:00", "N/A", "2:00:00", "2", "1", "PENDING", "c"]],
}  # fmt: skip


def squeue_of_clusters(tmp_path, joined):
    tables = ["\n".join([f"CLUSTER: {name}", *map(joined, [HEADS, *rows])]) for name, rows in QUEUES.items()]
    return write(tmp_path, "queue.txt", "\n\n".join(tables) + "\n")


@pytest.mark.parametrize("joined", ["|".join, " ".join, lambda cells: "".join(f"{cell:<20}" for cell in cells)])
def test_tables_of_several_clusters_are_several_clusters(tmp_path, joined):
    path = squeue_of_clusters(tmp_path, joined)
    trace = read_trace(path, ReadOptions(strict=True))
    assert trace.workload.job_id.tolist() == [7, 8, 7]
    assert any("2 clusters (east 2, west 1), which are read as one site" in note for note in trace.notes)
    west = read_trace(path, ReadOptions(cluster="west")).workload
    assert (west.job_id.tolist(), west.runtime_s.tolist(), total(west)[0][0]) == ([7], [7200.0], 2.0)
    with pytest.raises(InputError, match=r"no job of this cluster.*it has east, west"):
        read_trace(path, ReadOptions(cluster="south"))


def test_what_squeue_prints_by_itself_of_several_clusters_is_refused_with_what_to_print(tmp_path):
    path = write(tmp_path, "queue.txt", "CLUSTER: east\n  JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n")
    with pytest.raises(InputError, match=r"what squeue prints by itself.*squeue --json"):
        read_trace(path)


def test_what_json_tells_beside_becomes_what_binds():
    trace = read_trace(SAMPLES / "sacct.json")
    work, bound = trace.workload, trace.workload.constraints
    assert (bound.array.tolist(), bound.array_task.tolist(), bound.throttle.tolist()) == ([100, -1], [3, -1], [2, 0])
    assert (bound.features.words(), bound.depends.text(1)) == (["intel&big", "gpu:a100"], "afterok:101")
    assert (bound.priority.tolist(), bound.qos.words()) == ([11.0, 9.0], ["normal", "high"])
    assert work.demand[1].tolist() == [1.0, 100 * MIB, 1.0]


@pytest.mark.parametrize("name", ["squeue_bars.txt", "squeue_columns.txt", "squeue_blanks.txt", "squeue.json"])
def test_of_a_queue_the_time_limits_stand_in_for_the_runtimes(name):
    trace = read_trace(SAMPLES / name)
    work = trace.workload
    assert work.submit_s.tolist()[:2] == [0.0, 5.0]
    assert work.runtime_s.tolist()[:2] == [600.0, 86400.0]
    assert total(work)[0][:2] == [8.0, 1000 * MIB]
    assert any("squeue knows no runtimes" in note for note in trace.notes)
    assert not any("were running" in note for note in trace.notes)


def test_a_queue_tells_holds_dependencies_and_whole_hosts():
    trace = read_trace(SAMPLES / "squeue_bars.txt")
    bound = trace.workload.constraints
    assert (bound.hold.tolist(), bound.exclusive.tolist()) == ([0, 0, 1], [0, 2, 0])
    assert (bound.depends.text(1), bound.features.words()[1]) == ("afterok:7", "intel&big")
    assert trace.skipped.total == 1  # without a limit


def test_a_queue_in_json_tells_begin_times_throttles_and_who_may_come_back():
    bound = read_trace(SAMPLES / "squeue.json").workload.constraints
    assert (bound.hold.tolist(), bound.requeue.tolist()) == ([0, 0, 2], [True, False, True])
    assert (bound.throttle.tolist(), bound.array.tolist()) == ([0, 2, 0], [-1, 8, -1])
    assert (bound.nice.tolist(), bound.reservation.words(), bound.restarts.tolist()) == (
        [0.0, 20.0, 0.0],
        [None, "night", None],
        [1, 0, 0],
    )
    assert bound.eligible_s.tolist() == [1.0, 7.0, 7.0]  # the first runs; the others come after the listing


HEADER = "JobID|JobIDRaw|User|Submit|Eligible|Elapsed|State|NNodes|ReqCPUS|Timelimit|SubmitLine\n"


def line(job, eligible="00:00:00", state="COMPLETED", submit="sbatch run.sh", raw=None):
    times = f"2024-01-01T00:00:00|2024-01-01T{eligible}"
    return f"{job}|{raw or job}|eve|{times}|00:01:00|{state}|1|1|00:10:00|{submit}\n"


def bound_of(tmp_path, *lines):
    trace = read_trace(write(tmp_path, "dump.log", HEADER + "".join(lines)))
    return trace, trace.workload.constraints


def test_a_job_that_waits_for_others_is_eligible_as_they_let_it(tmp_path):
    _, bound = bound_of(
        tmp_path,
        line(1, "00:00:30"),
        line(2, "00:05:00", submit="sbatch -d afterany:1 b.sh"),
        line("3_0", "00:07:00", submit="sbatch -a 0-9%3 c.sh", raw=3),
    )
    assert bound.eligible_s.tolist() == [30.0, 0.0, 0.0]
    assert (bound.depends.text(1), bound.throttle.tolist(), bound.array.tolist()) == (
        "afterany:1",
        [0, 0, 3],
        [-1, -1, 3],
    )


def test_a_log_in_which_nothing_waits_has_no_such_column(tmp_path):
    _, bound = bound_of(tmp_path, line("1_0", raw=1), line("1_1", raw=2))
    assert bound.given == ()


def test_what_is_not_modelled_is_counted_and_said(tmp_path):
    trace, bound = bound_of(
        tmp_path,
        line(1, submit="sbatch --exclusive=user a"),
        line(2, submit="sbatch -C a*2 b"),
        line(3, submit="sbatch -d expand:1 c"),
        line(4, submit="sbatch --exclusive d"),
        line(5, submit="sbatch -s -n1 e"),
        line(6, submit="sbatch f --oversubscribe"),
    )
    notes = " ".join(trace.notes)
    assert "1 job keeps its hosts for one user or group" in notes
    assert "1 job with --oversubscribe: each gets cores of its own" in notes
    assert "1 job has features that are not modelled, such as a*2" in notes
    assert "1 job has dependencies that are not modelled, such as expand:1" in notes
    assert (bound.given, bound.exclusive.tolist()) == (("exclusive",), [0, 0, 0, 2, 0, 0])


@pytest.mark.parametrize(("field", "said"), [("Eligible", False), ("Comment", True)])
def test_a_begin_time_that_only_the_command_names_is_said(tmp_path, field, said):
    jobs = [("1", "sbatch --begin=now+60 a"), ("2", "sbatch -H a"), ("3", "sbatch a")]
    rows = [f"{job}|2024-01-01T00:00:00|2024-01-01T00:00:00|00:01:00|1|{line}" for job, line in jobs]
    path = write(tmp_path, "log.sacct", "\n".join([f"JobID|Submit|{field}|Elapsed|ReqCPUS|SubmitLine", *rows, ""]))
    note = "2 jobs name a begin time, or had a hold: the possible start stands in the field Eligible"
    assert (note in " ".join(read_trace(path).notes)) == said


def test_runs_that_went_back_to_the_queue_are_counted_by_job(tmp_path):
    trace, bound = bound_of(tmp_path, line(5, state="REQUEUED"), line(5, state="REQUEUED"), line(5), line(6))
    assert (trace.workload.job_id.tolist(), bound.restarts.tolist()) == ([5, 6], [2, 0])
    assert list(trace.skipped.counts.values()) == [2]


RAW = "2024-01-01T00:00:00|2024-01-01T00:00:30|2024-01-01T00:30:30"


@pytest.mark.parametrize(
    ("fields", "cells", "runtime", "estimate"),
    [
        ("ElapsedRaw|TimelimitRaw", "1800|120", 1800.0, 7200.0), ("TimelimitRaw", "120", 1800.0, 7200.0),
        ("Elapsed|ElapsedRaw|Timelimit|TimelimitRaw", "00:29:00|1740|02:00:00|120", 1740.0, 7200.0),
        ("ElapsedRaw|Timelimit|TimelimitRaw", "1800||120", 1800.0, 7200.0),
        ("Elapsed|TimelimitRaw", "00:30:00|UNLIMITED", 1800.0, 1800.0),
    ],
)  # fmt: skip
def test_raw_times_count_minutes_of_the_limit_and_seconds_of_the_runtime(tmp_path, fields, cells, runtime, estimate):
    text = f"JobID|Submit|Start|End|AllocCPUS|{fields}\n1|{RAW}|4|{cells}\n"
    work = read_trace(write(tmp_path, "log.sacct", text)).workload
    assert (work.runtime_s.tolist(), work.estimate_s.tolist()) == ([runtime], [estimate])


BARS = "JobID|JobName|User|Submit|Elapsed|State|AllocCPUS|ReqMem|Constraints|Reservation|Priority|SubmitLine"


@pytest.mark.parametrize("end", ["", "|"])
def test_bars_inside_names_features_and_commands_stay_there_and_are_said(tmp_path, end):
    time = "2024-01-01T00:00:00|00:01:00|COMPLETED|4|8G"
    lines = [
        BARS,
        f"1|a|b|eve|{time}|||1|sbatch x",
        f"2|plain|eve|{time}|x|y|kept|7|sbatch -C x|y --wrap 'a | b'",
        f"3|a||b|c|eve|{time}||||sbatch x",
        f"4|plain|eve|{time}||||sbatch x",
    ]
    trace = read_trace(write(tmp_path, "log.sacct", "".join(f"{line}{end}\n" for line in lines)))
    bound = trace.workload.constraints
    assert trace.workload.job_id.tolist() == [1, 2, 3, 4]
    assert bound.name.words() == ["a|b", "plain", "a||b|c", "plain"]
    assert (bound.features.words()[1], bound.reservation.words()[1]) == ("x|y", "kept")
    assert any(note.startswith("3 jobs with a bar inside") for note in trace.notes)


@pytest.mark.parametrize("line", ["2|a|b|c|1|2024-01-01T00:00:00|00:01:00", "2|a|b|1|2024-01-01T00:00:00|x|00:01:00"])
def test_a_line_whose_bars_could_be_in_several_cells_or_in_none_is_left_out(tmp_path, line):
    text = f"JobID|JobName|Comment|AllocCPUS|Submit|Elapsed\n1|a|b|1|2024-01-01T00:00:00|00:01:00\n{line}\n"
    trace = read_trace(write(tmp_path, "log.sacct", text))
    assert (trace.workload.job_id.tolist(), trace.skipped.malformed) == ([1], 1)


CLUSTERS = "Cluster|JobID|Submit|Elapsed|State|AllocCPUS\n" + "".join(
    f"{cluster}|{job}|2024-01-01T00:00:00|00:01:00|{state}|{cpus}\n"
    for cluster, job, state, cpus in [
        ("east", 81, "COMPLETED", 4),
        ("west", 81, "REQUEUED", 16),
        ("west", 81, "COMPLETED", 16),
        ("east", 82, "COMPLETED", 8),
    ]
)


def test_jobs_of_several_clusters_are_told_and_one_can_be_chosen(tmp_path):
    path = write(tmp_path, "log.sacct", CLUSTERS)
    both, east = read_trace(path), read_trace(path, ReadOptions(cluster="east"))
    assert any("2 clusters (east 2, west 1)" in note and "--cluster east" in note for note in both.notes)
    assert (east.workload.job_id.tolist(), east.workload.demand[:, 0].tolist()) == ([81, 82], [4.0, 8.0])
    assert (list(east.skipped.counts.items()), east.skipped.malformed) == ([("a job of another cluster", 2)], 0)
    assert not any("cluster" in note for note in east.notes)
    assert east.workload.constraints is None  # that of west went back to the queue


def test_a_row_without_a_cluster_is_of_none(tmp_path):
    path = write(tmp_path, "log.sacct", CLUSTERS + "|83|2024-01-01T00:00:00|00:01:00|COMPLETED|1\n")
    assert any("2 clusters (east 2, west 1)" in note for note in read_trace(path).notes)
    assert read_trace(path, ReadOptions(cluster="west")).workload.job_id.tolist() == [81]


def test_jobs_of_several_clusters_are_told_of_json_too(tmp_path):
    text = (SAMPLES / "sacct.json").read_text().replace('"job_id": 101', '"cluster": "a", "job_id": 101')
    path = write(tmp_path, "log.json", text.replace('"job_id": 102', '"cluster": "b", "job_id": 102'))
    assert any("2 clusters (a 1, b 1)" in note for note in read_trace(path).notes)
    assert read_trace(path, ReadOptions(cluster="b")).workload.job_id.tolist() == [102]


def test_every_verb_that_reads_a_log_takes_a_cluster(tmp_path):
    path = write(tmp_path, "log.sacct", CLUSTERS)
    assert lm.convert(path, tmp_path / "west.csv", cluster="west").workload.job_id.tolist() == [81]
    assert lm.info(path, cluster="east").summary.jobs == 2


@pytest.mark.parametrize(("text", "has"), [(CLUSTERS, "east, west"), (HEADER + line(1), "the field Cluster")])
def test_a_cluster_that_the_log_does_not_have_is_refused_with_those_it_has(tmp_path, text, has):
    with pytest.raises(InputError, match=f"north.*{has}"):
        read_trace(write(tmp_path, "log.sacct", text), ReadOptions(cluster="north"))


def test_a_cluster_changes_nothing_of_a_log_in_another_format(tmp_path):
    path = write(tmp_path, "log.csv", "submit_s,runtime_s,cores\n0,1,1\n")
    with pytest.raises(InputError, match=r"--cluster east.*changes nothing"):
        read_trace(path, ReadOptions(cluster="east"))


def test_whole_arrays_of_a_queue_are_told(tmp_path):
    text = (SAMPLES / "squeue_bars.txt").read_text().replace("7|long", "7_[0-9%2]|long")
    trace = read_trace(write(tmp_path, "queue.txt", text))
    assert any("1 row stands for the waiting tasks of whole arrays" in note for note in trace.notes)


def queued(job, state, submit, start):
    return f"{job}|long|{state}|{submit}|{start}|1:00:00|1|8\n"


QUEUE = "JOBID|PARTITION|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS\n"


@pytest.mark.parametrize("state", ["RUNNING", "R", "COMPLETING", "SUSPENDED"])
def test_a_job_that_runs_keeps_its_start_and_the_others_come_after_the_listing(tmp_path, state):
    """It was submitted at 0 and started at 1800 s; in a replay it started at 0, and the waiting job an hour later."""
    text = QUEUE + queued(1, state, "2024-01-01T00:00:00", "2024-01-01T00:30:00")
    path = write(tmp_path, "queue.txt", text + queued(2, "PENDING", "2024-01-01T00:10:00", "2024-01-02T00:00:00"))
    trace = read_trace(path)
    assert trace.workload.constraints.eligible_s.tolist() == [1800.0, 1801.0]
    assert trace.listed_s == 1801.0
    run = lm.simulate(path, hosts="1x8c16g", policy="first-fit", discipline="easy").record.schedule
    assert run.start_s.tolist() == [1800.0, 5400.0]


def test_a_job_of_json_that_runs_keeps_its_start(tmp_path):
    job = {"job_id": 1, "job_state": ["RUNNING"], "submit_time": 100, "start_time": 700, "time_limit": 60, "cpus": 8}
    waits = {**job, "job_id": 2, "job_state": "PENDING", "start_time": 0}
    path = write(tmp_path, "queue.json", json.dumps({"jobs": [job, waits]}))
    assert read_trace(path).workload.constraints.eligible_s.tolist() == [600.0, 601.0]


@pytest.mark.parametrize("start", ["N/A", ""])
def test_a_queue_that_does_not_say_since_when_a_job_runs_is_refused(tmp_path, start):
    path = write(tmp_path, "queue.txt", QUEUE + queued(1, "RUNNING", "2024-01-01T00:00:00", start))
    with pytest.raises(InputError, match=r"'1': this job runs, .* does not say since when.*squeue --json"):
        read_trace(path)
