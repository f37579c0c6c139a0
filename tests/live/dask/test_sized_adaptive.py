"""A Dask user's own cluster, sized by the sizer through Dask's Adaptive hook."""

import time

import pytest
from patience import PATIENCE_S, until

pytest.importorskip("distributed")

from loadmaster.live.dask.machine_source import local_cluster
from loadmaster.live.dask.sized_adaptive import SizedAdaptive
from loadmaster.sizing import FixedHosts, HostType


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
