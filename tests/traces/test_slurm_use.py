"""What Slurm's accounts tell of the use of processors and memory (rule H15)."""

import json

import pytest

from loadmaster.traces import ReadOptions, read_trace
from traces.logs import swf_line, write

GIB = 2.0**30
HEADER = "JobID|JobIDRaw|User|Submit|Start|Elapsed|State|NNodes|NTasks|ReqCPUS|ReqMem|TotalCPU|MaxRSS\n"
BEGIN = "2024-01-01T00:00:00|2024-01-01T00:01:00|01:00:00|COMPLETED"


def row(job, raw, cpus, *, tasks="", memory="8G", cpu="", rss="", user="eve"):
    return f"{job}|{raw}|{user}|{BEGIN}|1|{tasks}|{cpus}|{memory}|{cpu}|{rss}\n"


STEPS = (
    row("7_1", "8", 4, cpu="02:00:00")
    + row("7_1.batch", "8.batch", 4, tasks=1, cpu="01:00:00", rss="2097152K", user="", memory="")
    + row("7_1.0", "8.0", 4, tasks=4, cpu="01:00:00", rss="1G", user="", memory="")
    + row("7_2", "7", 2, cpu="05:00.500")
    + row("7_2.batch", "7.batch", 2, tasks=1, rss="536870912", user="", memory="")
    + row("9", "9", 1, cpu="00:00:00")
)


def read(tmp_path, text, **options):
    return read_trace(write(tmp_path, "dump.log", text), ReadOptions(use=True, **options))


def test_the_step_that_takes_most_memory_counts_also_of_tasks_of_arrays(tmp_path):
    trace = read(tmp_path, HEADER + STEPS)
    assert trace.extra["cpu_time_s"].tolist() == [1800.0, 150.25, -1.0]
    assert (trace.extra["used_memory"] / GIB).tolist() == [4.0, 0.5, -1.0 / GIB]


def test_steps_far_behind_their_jobs_are_found_as_well(tmp_path, monkeypatch):
    lines = STEPS.splitlines(keepends=True)
    jobs = [each for each in lines if "." not in each.partition("|")[0]]
    steps = [each for each in lines if "." in each.partition("|")[0]]
    shuffled = read(tmp_path, HEADER + "".join(jobs + steps[::-1]))
    assert (shuffled.extra["used_memory"] / GIB).tolist() == [4.0, 0.5, -1.0 / GIB]


def test_a_log_that_is_not_asked_for_its_use_keeps_none_of_it(tmp_path):
    assert read_trace(write(tmp_path, "dump.log", HEADER + STEPS), ReadOptions()).extra == {}


def test_json_has_the_use_of_a_job_in_its_steps(tmp_path):
    def step(memory, tasks):
        return {"tasks": {"count": tasks}, "tres": {"requested": {"max": [{"type": "mem", "count": memory}]}}}

    job = {
        "job_id": 7,
        "time": {"submission": 100, "start": 160, "elapsed": 3600, "total": {"seconds": 7200, "microseconds": 0}},
        "required": {"CPUs": 4, "memory_per_node": 8192},
        "state": {"current": ["COMPLETED"]},
        "allocation_nodes": 1,
        "steps": [step(2 * GIB, 1), step(GIB, 4), {}, None],
    }
    trace = read(tmp_path, json.dumps({"jobs": [job, {**job, "job_id": 8, "steps": None}]}))
    assert trace.extra["cpu_time_s"].tolist() == [1800.0, 1800.0]
    assert (trace.extra["used_memory"] / GIB).tolist() == [4.0, -1.0 / GIB]


@pytest.mark.parametrize(("asked", "used"), [(50, 25 * 1024.0), (-1, -1.0)])
def test_memory_that_stands_for_memory_asked_for_is_no_use_of_it(tmp_path, asked, used):
    trace = read(tmp_path, swf_line(used=6, asked=6, used_memory=25, memory=asked, cpu=7))
    assert (trace.extra["cpu_time_s"].tolist(), trace.extra["used_memory"].tolist()) == ([7.0], [used])
