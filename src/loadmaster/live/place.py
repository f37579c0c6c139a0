"""Where a bag's machines come from: started here, asked from Slurm, or those of a scheduler that already runs."""

import contextlib
import logging
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any, NamedTuple

from loadmaster.live.machines import AdaptiveMachines, GivenMachines, Machines
from loadmaster.live.slurm import SlurmMachines, slurm_cluster
from loadmaster.model.errors import InputError, MissingExtra

_DEAF = "import signal; signal.signal(signal.SIGINT, lambda *_: None)"
"""Run by every worker here: a terminal sends Ctrl-C to them too, but only the runner is to answer."""


class Place(NamedTuple):
    """What `--on` says: `local`, `slurm` or the address of a scheduler, and options for dask-jobqueue."""

    where: str = "local"
    slurm_options: dict[str, Any] = {}  # noqa: RUF012 - never written to


@contextlib.contextmanager
def machines(place: Place) -> Iterator[Machines]:
    """The machines of `place`, closed at the end.

    Raises:
        InputError: no scheduler answers there, or it has no workers.
        MissingExtra: Dask is not installed.
    """
    try:
        import dask
        from distributed import Client
    except ImportError as error:
        raise MissingExtra("running a bag", "dask") from error
    for name in ("distributed", "distributed.nanny", "distributed.worker", "distributed.scheduler"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # A task whose worker dies is not to be run again behind our back: the runner does that, and says so.
    with dask.config.set({"distributed.scheduler.allowed-failures": 0, "distributed.scheduler.work-stealing": False}):
        if place.where in ("local", "slurm"):
            cluster = local_cluster() if place.where == "local" else slurm_cluster(place.slurm_options)
            kind = AdaptiveMachines if place.where == "local" else SlurmMachines
            with cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
                yield kind(cluster, client)
            return
        try:
            client = Client(place.where, timeout="10s")  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise InputError(place.where, "no Dask scheduler answers", fix="start one with: dask scheduler") from error
        with client:
            given = GivenMachines(client)
            if not given.present():
                raise InputError(place.where, "that scheduler has no workers", fix="start some with: dask worker")
            yield given


def local_cluster() -> Any:
    """A cluster of worker processes on this machine, none of them started yet."""
    from distributed import LocalCluster

    cluster: Any = LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=0,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        memory_limit=0,
        silence_logs=logging.CRITICAL,
        preload=[_DEAF],
    )
    # Workers inherit this from the thread that starts them, so that Ctrl-C does not meet them while they start either.
    # The tracker goes first: the first start of a process would start it, and it lets the signal in again behind it.
    resource_tracker.ensure_running()
    cluster.loop.add_callback(signal.pthread_sigmask, signal.SIG_BLOCK, {signal.SIGINT})
    return cluster
