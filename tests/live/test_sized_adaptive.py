"""A Dask user's own cluster, sized by the sizer through Dask's Adaptive hook; and the job script for Slurm."""

import time

import pytest

pytest.importorskip("distributed")

from loadmaster.live.machines import local_cluster
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
        assert client.gather(futures) == [None] * 6
        assert len(cluster.worker_spec) <= 2
        del futures
        end = time.monotonic() + 20
        while cluster.worker_spec:
            assert time.monotonic() < end, "machines stayed although nothing was left to do"
            time.sleep(0.1)


def test_the_slurm_job_script_asks_for_one_core_and_starts_a_worker():
    pytest.importorskip("dask_jobqueue")
    from loadmaster.live.slurm import slurm_cluster

    with slurm_cluster({"queue": "short", "walltime": "00:30:00", "interface": None}) as cluster:
        script = cluster.job_script()
    assert "#SBATCH -p short" in script
    assert "#SBATCH -t 00:30:00" in script
    assert "#SBATCH --cpus-per-task=1" in script
    assert "distributed.cli.dask_worker" in script
