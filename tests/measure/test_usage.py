"""Use of the cluster comes out the same, whatever machine measures it."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import loadmaster
from loadmaster.measure import metrics
from loadmaster.measure.usage import utilization
from loadmaster.model import Cluster, Cycles, Schedule, Workload

MEASURED = """
import sys
sys.path.insert(0, sys.argv[1])
from test_usage import long_run
from loadmaster.measure import metrics
print(repr(metrics(*long_run())))
"""


def long_run():
    """60,000 jobs on one host, enough for a library of linear algebra to share the work among threads."""
    draw = np.random.default_rng(0)
    submit = np.sort(draw.random(60_000) * 1e5)
    cores, memory = draw.integers(1, 5, 60_000), draw.random(60_000)
    jobs = Workload.of(submit_s=submit, runtime_s=draw.random(60_000), cores=cores, memory=memory)
    wait = draw.random(60_000)
    cycles = Cycles(submit + wait, np.ones(60_000, int), np.ones(60_000, int), np.zeros(60_000, int))
    return jobs, Cluster.uniform(1, cores=64, memory=64), Schedule(submit + wait, np.zeros(60_000, np.int32), cycles)


def measured_with(threads):
    """All metrics as a process measures them that may use so many threads, as Dask's workers may use one."""
    limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    source = str(Path(loadmaster.__file__).parents[1])
    told = subprocess.run(
        [sys.executable, "-c", MEASURED, str(Path(__file__).parent)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **limits, "PYTHONPATH": source},
        timeout=120,
    )
    return told.stdout


def test_one_thread_or_many_measure_the_same_to_the_bit():
    assert measured_with(1) == measured_with(4)


def test_the_layout_of_the_columns_changes_nothing():
    jobs, cluster, schedule = long_run()
    across = Workload(jobs.resources, jobs.submit_s, jobs.runtime_s, np.asfortranarray(jobs.demand))
    assert metrics(across, cluster, schedule) == metrics(jobs, cluster, schedule)


def test_utilization_is_the_part_of_the_cluster_that_was_busy():
    jobs = Workload.of(submit_s=[0, 10], runtime_s=[5, 5], cores=[1, 1])
    none = Cycles(np.zeros(0), np.zeros(0, int), np.zeros(0, int), np.zeros(0, int))
    schedule = Schedule(np.array([0.0, 10.0]), np.array([0, 0]), none)
    assert utilization(jobs, Cluster.uniform(1, cores=2), schedule) == {"cores": 0.25}
