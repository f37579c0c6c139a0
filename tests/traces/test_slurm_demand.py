"""What jobs of Slurm count with: one side, asked or given; GPUs of all models, also where no TRES has them."""

import json

import pytest

from loadmaster.traces import read_trace
from traces.logs import write

GIB = 2**30
FIELDS = (
    "JobID", "Submit", "Start", "Elapsed", "State", "NNodes", "ReqCPUS", "AllocCPUS", "ReqMem", "ReqTRES", "AllocTRES",
    "Timelimit", "SubmitLine",
)  # fmt: skip
USUAL = {
    "Submit": "2024-01-01T00:00:00", "Start": "2024-01-01T00:01:00", "Elapsed": "00:30:00", "State": "COMPLETED",
    "NNodes": "1", "Timelimit": "01:00:00",
}  # fmt: skip


def sacct(tmp_path, *jobs):
    rows = [USUAL | {"JobID": str(number)} | job for number, job in enumerate(jobs, start=1)]
    lines = ["|".join(row.get(field, "") for field in FIELDS) for row in rows]
    return read_trace(write(tmp_path, "dump", "\n".join(["|".join(FIELDS), *lines, ""])))


def squeue(tmp_path, **job):
    usual = {
        "job_id": 7,
        "submit_time": 1_700_000_000,
        "start_time": 0,
        "time_limit": 60,
        "node_count": 1,
        "cpus": 1,
        "job_state": ["PENDING"],
        "user_name": "eve",
    }
    return read_trace(write(tmp_path, "queue.json", json.dumps({"jobs": [usual | job]})))


def totals(trace):
    return (trace.workload.demand * trace.workload.task_count[:, None]).tolist()


@pytest.mark.parametrize(
    ("tres", "gpus"),
    [
        ("cpu=8,gres/gpu:a100=2,gres/gpu:v100=4,gres/gpu=6", 6),
        ("cpu=8,gres/gpu=6,gres/gpu:a100=2,gres/gpu:v100=4", 6),
        ("cpu=8,gres/gpu:a100=2,gres/gpu:v100=4", 6), ("cpu=8,gres/gpu:1g.10gb=3", 3), ("cpu=8,gres/gpumem=4G", 0),
    ],
)  # fmt: skip
def test_the_total_of_gpus_counts_else_the_sum_of_the_models(tmp_path, tres, gpus):
    trace = sacct(tmp_path, {"AllocCPUS": "8", "AllocTRES": tres}, {"ReqCPUS": "8", "ReqTRES": tres})
    assert [row[2] for row in totals(trace)] == [gpus, gpus]


@pytest.mark.parametrize(
    ("options", "nodes", "gpus"),
    [
        ("--gres=gpu:2", 1, 2), ("--gres=gpu:a100:2,nic:1", 3, 6), ("-G a100:2", 1, 2), ("-Ga100:1,v100:2", 1, 3),
        ("--gpus=4", 2, 4), ("--gpus-per-node=a100:2", 2, 4), ("--gpus-per-task=1 -n 6", 2, 6),
        ("--gpus-per-task=a100:2 --ntasks-per-node=4", 2, 16), ("--gpus-per-task 3", 2, 6),
        ("--tres-per-task=cpu:2,gres/gpu:2 --ntasks=4", 1, 8), ("--gpus-per-socket=2 --sockets-per-node=2", 3, 12),
        ("--gres=none", 1, 0), ("-c4", 1, 0),
    ],
)  # fmt: skip
def test_gpus_that_no_tres_has_are_those_of_the_command_line(tmp_path, options, nodes, gpus):
    job = {"NNodes": str(nodes), "ReqCPUS": "48", "ReqTRES": "cpu=48,mem=8G", "AllocTRES": "cpu=48,mem=8G"}
    trace = sacct(tmp_path, job | {"SubmitLine": f"sbatch {options} run.sh --gpus=99"})
    assert totals(trace)[0][2] == gpus
    assert any("1 job with GPUs that no TRES shows" in note for note in trace.notes) == (gpus > 0)


@pytest.mark.parametrize(
    ("fields", "gpus"),
    [
        ({"tres_per_job": "gres/gpu:12", "gres_detail": ["gpu:h100:6(IDX:0-5)", "gpu:h100:6(IDX:0,2-6)"]}, 12),
        ({"tres_per_node": "gres/gpu:h100:1,gres/gpu:h200:1"}, 4), ({"tres_per_node": "gres:gpu:3"}, 6),
        ({"tres_per_task": "gres/gpu=2", "tasks": {"set": True, "infinite": False, "number": 4}}, 8),
        ({"tres_per_socket": "gres/gpu:1", "sockets_per_node": {"set": True, "infinite": False, "number": 2}}, 4),
        ({"gres_detail": ["gpu:h100:2(IDX:0-1),gpu:h200:4(IDX:2,4-6)", "gpu:h100:2(IDX:0-1)"]}, 8),
        ({"tres_per_node": "gres/shard:3"}, 0),
    ],
)  # fmt: skip
def test_gpus_that_no_tres_has_are_those_of_the_generic_resources_of_a_queue(tmp_path, fields, gpus):
    trace = squeue(tmp_path, node_count=2, cpus=4, tres_req_str="cpu=4,mem=1G,node=2", **fields)
    assert totals(trace)[0][2] == gpus


def test_gpus_of_a_queue_in_columns_are_read_from_its_tres_per_node(tmp_path):
    header = "JOBID|STATE|SUBMIT_TIME|TIME_LIMIT|NODES|CPUS|TRES_PER_NODE"
    text = f"{header}\n7|PENDING|2024-01-01T00:00:00|10:00|2|4|gres:gpu:2\n"
    assert totals(read_trace(write(tmp_path, "queue", text)))[0][2] == 4


@pytest.mark.parametrize("field", ["ReqGRES", "AllocGRES"])
def test_gpus_of_old_accounting_count_for_each_node(tmp_path, field):
    text = f"JobID|Submit|Elapsed|NNodes|ReqCPUS|{field}\n1|2024-01-01T00:00:00|00:30:00|3|6|gpu:a100:2,gpu:k80:1\n"
    assert totals(read_trace(write(tmp_path, "dump", text)))[0][2] == 9


def test_a_model_that_a_job_asks_for_is_a_feature_of_its_hosts_and_one_that_it_was_given_is_not(tmp_path):
    given = {"AllocCPUS": "8", "AllocTRES": "cpu=8,gres/gpu=2,gres/gpu:a100=2"}
    asks = {"ReqCPUS": "8", "ReqTRES": "cpu=8,gres/gpu:v100=4", "SubmitLine": "sbatch -C x*2 run"}
    both = {"ReqCPUS": "8", "ReqTRES": "cpu=8,gres/gpu=2", "SubmitLine": "sbatch -C a --gpus-per-node=t4:1 -G 2 run"}
    trace = sacct(tmp_path, given, asks, both)
    bound = trace.workload.constraints
    assert bound.gpu_kind.words() == ["a100", "v100", "t4"]
    assert bound.features.words() == [None, "gpu:v100", "a&gpu:t4"]
    assert [note for note in trace.notes if "1 job has features that are not modelled" in note]
    assert [row[2] for row in totals(trace)] == [2.0, 4.0, 2.0]


GIVEN = {
    "ReqCPUS": "1", "AllocCPUS": "36", "ReqMem": "5G", "ReqTRES": "billing=2,cpu=1,mem=5G,node=1",
    "AllocTRES": "billing=112,cpu=36,gres/gpu:rtx=4,gres/gpu=4,mem=180G,node=1",
}  # fmt: skip


@pytest.mark.parametrize(
    "job",
    [
        GIVEN,
        GIVEN | {"AllocTRES": "cpu=36,mem=180G,node=1,gres/gpu=4", "SubmitLine": "sbatch --exclusive --gres=gpu:4 a"},
    ],
)
def test_a_job_with_whole_hosts_counts_with_all_that_it_was_given_and_that_is_said(tmp_path, job):
    trace = sacct(tmp_path, job, {"ReqCPUS": "2", "AllocCPUS": "2", "ReqMem": "1G"})
    assert totals(trace) == [[36.0, 180 * GIB, 4.0], [2.0, GIB, 0.0]]
    assert any(note.startswith("1 job with whole hosts") for note in trace.notes)


def test_a_job_that_got_more_cores_but_shared_its_host_counts_with_what_it_asked_for_and_that_is_said(tmp_path):
    trace = sacct(tmp_path, {"ReqCPUS": "1", "AllocCPUS": "2", "ReqMem": "4G", "AllocTRES": "cpu=2,mem=8G"})
    assert totals(trace) == [[1.0, 4 * GIB, 0.0]]
    assert any(note.startswith("1 job with more cores allocated than requested") for note in trace.notes)


def test_a_job_that_has_not_begun_counts_with_what_it_asks_for(tmp_path):
    trace = squeue(tmp_path, cpus=4, memory_per_node=1024, shared=["none"], tres_alloc_str="")
    assert totals(trace) == [[4.0, GIB, 0.0]]


def test_cores_that_do_not_divide_over_the_nodes_and_missing_limits_are_said(tmp_path):
    uneven = {"NNodes": "3", "ReqCPUS": "32", "Timelimit": "UNLIMITED"}
    trace = sacct(tmp_path, uneven, {"ReqCPUS": "2", "Timelimit": ""})
    assert any(note.startswith("1 job with cores or GPUs that do not divide evenly") for note in trace.notes)
    assert "2 jobs without a time limit: the runtime stands in for the estimate." in trace.notes


def test_a_log_without_choices_has_no_notes(tmp_path):
    assert sacct(tmp_path, {"ReqCPUS": "2", "AllocCPUS": "2", "ReqMem": "1G"}).notes == ()


@pytest.mark.parametrize(
    ("shared", "says"),
    [(["user"], "keeps its hosts for one user"), ("mcs", "keeps its hosts for one user"), (["none"], ""), ([], ""),
     (["oversubscribe"], "1 job with --oversubscribe: "), ("shared", "1 job with --oversubscribe: ")],
)  # fmt: skip
def test_a_waiting_job_that_shares_its_hosts_in_a_way_of_its_own_is_counted_in_a_note(tmp_path, shared, says):
    notes = " ".join(squeue(tmp_path, shared=shared).notes)
    assert says in notes
    assert bool(says) == ("one user" in notes or "--oversubscribe" in notes)
