"""A Dask user's own cluster, sized by the sizer through Dask's Adaptive hook; and the job script for Slurm."""

import time

import pytest
from patience import PATIENCE_S, until

pytest.importorskip("distributed")

from loadmaster.live.place import local_cluster
from loadmaster.live.sized_adaptive import SizedAdaptive
from loadmaster.size import FixedHosts, HostType


def test_tasks_of_an_ordinary_client_start_workers_and_end_without_any():
    from distributed import Client

    with local_cluster() as cluster, Client(cluster) as client:
        cluster.adapt(
            Adaptive=SizedAdaptive, sizer=FixedHosts(2), types=(HostType(unit_s=1.0, limit=2),), interval="100ms"
        )
        futures = client.map(time.sleep, [0.2] * 6, pure=False)
        # Nothing runs before the sizer rents; by now it may have given all machines back.
        assert [future.result(timeout=PATIENCE_S) for future in futures] == [None] * 6
        assert len(cluster.worker_spec) <= 2
        del futures
        until(lambda: not cluster.worker_spec, "no machines where nothing is left to do")


def test_the_slurm_job_script_asks_for_one_core_and_starts_a_worker():
    pytest.importorskip("dask_jobqueue")
    from loadmaster.live.slurm import slurm_cluster

    free_port = {"dashboard_address": ":0"}  # another cluster of this machine may have the usual one
    options = {"queue": "short", "walltime": "00:30:00", "interface": None, "scheduler_options": free_port}
    with slurm_cluster(options) as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p short" in script
    assert "#SBATCH -t 00:30:00" in script
    assert "#SBATCH --cpus-per-task=1" in script
    assert "distributed.cli.dask_worker" in script
