"""Alibaba's logs: batch tasks of 2017 with their machines, GPU pods of 2023 with their nodes."""

import pytest

from loadmaster.model.exact_amounts import STEP
from loadmaster.traces import ReadOptions, fit_to, read_hosts, read_trace
from loadmaster.traces.alibaba2017 import LARGEST_HOST
from traces.logs import write

MB = 2**20
HEADER = (
    "task_create_time, task_end_time, job_id, task_id,number_of_instances, status, "
    "number_of_cpus_requested_per_instance_in_the_task,normalized_memory_requested_per_instance_in_the_task\n"
)
TASKS = "6459,6524,3,4,15740,Terminated,50,0.25\n6457,6533,3,5,1,Running,100,0.5\n6036,6046,4,7,393,Waiting,,\n"
EVENTS = "0,11,add,,64,0.5,1\n0,12,add,,64,1,1\n77,11,softerror,agent_check,0,0,0\n"
PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "openb-pod-0017,88000,327680,8,1000,,Burstable,Succeeded,100,1000,150\n"
    "openb-pod-0022,4100,15258,1,220,,BE,Running,90,2000,90\n"
    "openb-pod-0061,11908,47104,1,1000,,BE,Pending,95,300,\n"
)
NODES = "sn,cpu_milli,memory_mib,gpu,model\nopenb-node-1,32000,262144,0,\nopenb-node-2,128000,786432,8,G3\n"


@pytest.mark.parametrize("header", [HEADER, ""], ids=["with-header", "without"])
def test_a_batch_task_is_a_job_whose_instances_are_tasks(tmp_path, header):
    trace = read_trace(write(tmp_path, "batch_task.csv", header + TASKS))
    work = trace.workload
    assert work.job_id.tolist() == [5, 4]
    assert (work.task_count.tolist(), work.runtime_s.tolist()) == ([1, 15740], [76.0, 65.0])
    assert work.demand.tolist() == [[1.0, LARGEST_HOST / 2], [0.5, LARGEST_HOST / 4]]
    assert trace.skipped.counts == {"requests no cores": 1}
    assert any("normalized" in note for note in trace.notes)


def test_tasks_created_before_the_log_are_left_out_as_no_fault_of_the_file(tmp_path):
    path = write(tmp_path, "batch_task.csv", "-5,10,1,1,1,Terminated,50,0.1\n" + TASKS)
    trace = read_trace(path, ReadOptions(strict=True))
    assert trace.skipped.counts["created before the log begins"] == 1


def test_server_events_give_the_machines_and_lie_beside_the_tasks(tmp_path):
    write(tmp_path, "server_event.csv", EVENTS)
    trace = read_trace(write(tmp_path, "batch_task.csv", TASKS))
    assert trace.cluster.names == ("11", "12")
    assert trace.cluster.capacity.tolist() == [[64.0, LARGEST_HOST / 2], [64.0, LARGEST_HOST]]
    assert any("server_event.csv, beside the log" in note for note in trace.notes)


def test_a_pod_runs_from_schedule_to_deletion_with_gpus_as_third_resource(tmp_path):
    trace = read_trace(write(tmp_path, "pods.csv", PODS), ReadOptions(all_fields=True))
    work = trace.workload
    assert work.resources == ("cores", "memory", "gpus")
    assert (work.job_id.tolist(), work.submit_s.tolist()) == ([22, 17], [0.0, 10.0])
    assert (work.runtime_s.tolist(), trace.workload.recorded_wait_s.tolist()) == ([1910.0, 850.0], [0.0, 50.0])
    assert work.demand[1].tolist() == [88.0, 327680.0 * MB, 8.0]
    assert work.demand[0] == pytest.approx([4.1, 15258 * MB, 0.22], abs=STEP)
    assert sum(trace.skipped.counts.values()) == 1


def test_nodes_lie_beside_the_pods(tmp_path):
    write(tmp_path, "openb_node_list_all_node.csv.gz", NODES)
    cluster = read_trace(write(tmp_path, "openb_pod_list_default.csv", PODS)).cluster
    assert cluster.resources == ("cores", "memory", "gpus")
    assert cluster.capacity.tolist() == [[32.0, 262144.0 * MB, 0.0], [128.0, 786432.0 * MB, 8.0]]


def test_two_files_of_machines_beside_a_log_are_ambiguous_and_none_is_taken(tmp_path):
    for name in ("openb_node_list_a.csv", "openb_node_list_b.csv"):
        write(tmp_path, name, NODES)
    assert read_trace(write(tmp_path, "openb_pod_list.csv", PODS)).cluster is None


def test_thousandths_add_up_exactly_until_a_host_is_full(tmp_path):
    rows = "".join(f"p-{k},3200,1,0,0,,BE,Running,{k},99,{k}\n" for k in range(10))
    pods = read_trace(write(tmp_path, "pods.csv", PODS.splitlines(keepends=True)[0] + rows)).workload
    cluster = read_hosts(str(write(tmp_path, "nodes.csv", NODES)))
    free = float(cluster.capacity[0, 0])
    for demand in pods.demand[:, 0]:
        assert free >= demand
        free -= demand
    assert free < 1e-4
    for demand in pods.demand[:, 0]:
        free += demand
    assert free == cluster.capacity[0, 0]
    assert fit_to(pods, cluster)[1].total == 0
