"""The real logs, where they are: how many jobs are read, what is left out, what they request."""

import numpy as np
import pytest

from loadmaster.traces import ReadOptions, fit_to, read_hosts, read_trace

KB, GB = 1024, 2**30
WAGAP = ReadOptions(memory_unit="B", swf_memory="job-total")


@pytest.mark.parametrize(
    ("name", "options", "jobs", "left_out"),
    [
        ("wagap-2013.swf.gz", WAGAP, 17_898, 2),
        ("CTC-SP2-1996-3.1-cln.swf.gz", ReadOptions(), 77_205, 17),
        ("LANL-CM5-1994-4.1-cln.swf.gz", ReadOptions(), 122_055, 5),
        ("HPC2N-2002-2.2-cln.swf.gz", ReadOptions(), 202_871, 0),
        ("LCG.swf.gz", ReadOptions(), 187_520, 521),
        ("xdmod-phillips.log.gz", ReadOptions(), 4_024, 261),
        ("alibaba2017-batch_task.csv.gz", ReadOptions(), 71_253, 9_300),
        ("openb_pod_list_default.csv.gz", ReadOptions(), 7_255, 897),
    ],
)
def test_every_line_is_a_job_or_counted(real_logs, name, options, jobs, left_out):
    trace = read_trace(real_logs / name, options)
    assert (trace.workload.jobs, trace.skipped.total) == (jobs, left_out)
    assert trace.workload.submit_s[0] == 0


def test_wagap_is_doubted_until_it_is_read_as_it_was_written(real_logs):
    path = real_logs / "wagap-2013.swf.gz"
    for options in (ReadOptions(), ReadOptions(memory_unit="B")):
        assert any("Memory looks wrong" in note for note in read_trace(path, options).notes)
    trace = read_trace(path, WAGAP)
    assert not any("wrong" in note for note in trace.notes)
    assert trace.cluster.kinds[0].tolist() == [[12.0, 94_035_968 * KB], [80.0, 529_426_432 * KB]]
    kept, rejected = fit_to(trace.workload, trace.cluster)
    assert (kept.jobs, rejected.total) == (17_892, 6)
    assert kept.offered_load(trace.cluster) == pytest.approx(0.575, abs=0.001)


def test_ctc_names_its_processors_and_has_the_published_load(real_logs):
    trace = read_trace(real_logs / "CTC-SP2-1996-3.1-cln.swf.gz")
    assert (trace.cluster.hosts, trace.cluster.total.tolist()) == (338, [338.0])
    assert trace.workload.offered_load(trace.cluster) == pytest.approx(0.84, abs=0.005)


def test_slurm_memory_marked_by_the_highest_bit_agrees_with_what_was_allocated(real_logs):
    work = read_trace(real_logs / "xdmod-phillips.log.gz").workload
    asked = work.demand[:, 1] * work.task_count
    assert np.mean(asked == 24_000 * KB * KB) > 0.98  # mem=24000M in AllocTRES of the same lines
    assert work.demand[:, 2].max() == 2


def test_alibaba_tasks_and_machines(real_logs):
    trace = read_trace(real_logs / "alibaba2017-batch_task.csv.gz")
    assert (trace.cluster.hosts, trace.cluster.total[0]) == (1_313, 84_032.0)
    assert trace.workload.task_count.max() == 64_486


def test_openb_pods_and_nodes(real_logs):
    cluster = read_hosts(str(real_logs / "openb_node_list_all_node.csv.gz"))
    assert (cluster.hosts, cluster.total[2]) == (1_523, 6_212.0)
    trace = read_trace(real_logs / "openb_pod_list_default.csv.gz")
    assert fit_to(trace.workload, cluster)[1].total == 0
