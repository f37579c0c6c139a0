"""The source of a bag's machines: started here, requested from Slurm, or workers of a running Dask scheduler."""

import contextlib
import logging
import signal
import sys
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from loadmaster.live.dask import cluster_security
from loadmaster.live.dask.machines import AdaptiveMachines, GivenMachines, Machines
from loadmaster.live.dask.slurm_machines import SlurmMachines, slurm_cluster
from loadmaster.model.errors import InputError
from loadmaster.results import dask_client
from loadmaster.results.dask_client import Certificates, DaskAddress

_DEAF = "import signal; signal.signal(signal.SIGINT, lambda *_: None)"
"""Run by every worker here: a terminal sends Ctrl-C to them too, but only the runner is to answer."""
_MUTE = "import logging; logging.getLogger('distributed').setLevel(logging.CRITICAL)"
"""Run by every worker here: what it writes would stand in the user's terminal."""


class DaskMachineSource(NamedTuple):
    """What `--on` says, and the options that go with it.

    Attributes:
        where: `local`, `slurm` or the address of a scheduler.
        slurm_options: for dask-jobqueue.
        tls: certificates for the address of a scheduler.
        folder: seen by all machines; Slurm's jobs find the certificates of their run in a private folder there.
        dashboard: open Dask's dashboard on loopback, where every user of this machine can see it.
    """

    where: str = "local"
    slurm_options: dict[str, Any] = {}  # noqa: RUF012 - never written to
    tls: Certificates = Certificates()
    folder: Path = Path()
    dashboard: bool = False


@contextlib.contextmanager
def machines(place: DaskMachineSource) -> Iterator[Machines]:
    """The machines of `place`, closed at the end.

    Raises:
        InputError: no scheduler answers there, or it has no workers.
        MissingExtra: Dask is not installed.
    """
    dask_client.distributed("running a bag")
    import dask

    ours = place.where in ("local", "slurm")
    cluster_security.require_dashboard(place.dashboard, ours)
    for name in ("distributed", "distributed.nanny", "distributed.worker", "distributed.scheduler"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with (
        dask.config.set(cluster_security.config(place.dashboard)),
        _started(place) if ours else _machines_of_scheduler(place) as cluster,
    ):
        yield cluster


@contextlib.contextmanager
def _started(place: DaskMachineSource) -> Iterator[Machines]:
    from distributed import Client

    local = place.where == "local"
    cluster = (
        local_cluster(place.dashboard) if local else slurm_cluster(place.slurm_options, place.folder, place.dashboard)
    )
    with without_main(), cluster as up, Client(up) as client:  # type: ignore[no-untyped-call]
        yield (AdaptiveMachines if local else SlurmMachines)(up, client)


@contextlib.contextmanager
def _machines_of_scheduler(place: DaskMachineSource) -> Iterator[Machines]:
    with dask_client.connect(DaskAddress(place.where, place.tls)) as client:
        given = GivenMachines(client)
        if not given.present():
            raise InputError(place.where, "that scheduler has no workers", fix="start some with: dask worker")
        yield given


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Processes that Python starts meanwhile do not load the script that is running.

    A worker that did would run it from its first line, `loadmaster.run` and all, unless its author had thought of it.
    """
    own = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = own


def local_cluster(dashboard: bool = False) -> Any:
    """A cluster of worker processes on this machine, none of them started yet; no other program can connect."""
    from distributed import LocalCluster

    cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=0,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        security=cluster_security.throw_away_certificates(),
        dashboard_address=cluster_security.LOOPBACK_PORT,
        scheduler_kwargs={"dashboard": dashboard},
        worker_dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        preload=[_DEAF, _MUTE],
    )
    # Workers inherit this from the thread that starts them, so that Ctrl-C does not meet them while they start either.
    # The tracker goes first: the first start of a process would start it, and it lets the signal in again behind it.
    resource_tracker.ensure_running()
    cluster.loop.add_callback(signal.pthread_sigmask, signal.SIG_BLOCK, {signal.SIGINT})
    return cluster
