"""Where a bag's machines come from: started here, asked from Slurm, or those of a scheduler that already runs."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from loadmaster.model.errors import InputError, MissingExtra


class Machines(Protocol):
    """Machines that can be rented one by one; each runs one task at a time."""

    @property
    def client(self) -> Any:
        """The Dask client through which tasks are given to them."""

    def change(self, rent: int, release: list[str]) -> list[str]:
        """Rent and give back machines; the names of those rented."""

    def present(self) -> dict[str, str]:
        """Address of every machine that has come up, by name."""


class AdaptiveMachines:
    """A Dask cluster that starts and closes workers; asked through its Adaptive hook."""

    def __init__(self, cluster: Any, client: Any) -> None:
        from loadmaster.live.sized_adaptive import SizedAdaptive, Wanted

        self.cluster = cluster
        self.client = client
        self._orders = Wanted()
        self._adaptive = cluster.adapt(Adaptive=SizedAdaptive, advise=lambda plan: self._orders, interval=0)

    def change(self, rent: int, release: list[str]) -> list[str]:
        """See `Machines`."""
        from loadmaster.live.sized_adaptive import Wanted

        before = {str(name): name for name in self.cluster.worker_spec}
        self._orders = Wanted(rent, tuple(before[name] for name in release if name in before))
        self.cluster.sync(self._adaptive.adapt)
        self._orders = Wanted()
        return [str(name) for name in self.cluster.worker_spec if str(name) not in before]

    def present(self) -> dict[str, str]:
        """See `Machines`."""
        return _present(self.client)


class GivenMachines:
    """The workers of a scheduler that already runs: all of them count as rented, none can be added."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._taken: set[str] = set()

    def change(self, rent: int, release: list[str]) -> list[str]:
        """Take up to `rent` workers that are not in use; give back is only noted."""
        self._taken -= set(release)
        free = [name for name in self.present() if name not in self._taken]
        self._taken |= set(free[:rent])
        return free[:rent]

    def present(self) -> dict[str, str]:
        """See `Machines`."""
        return _present(self.client)


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
            with cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
                yield AdaptiveMachines(cluster, client)
            return
        try:
            client = Client(place.where, timeout="5s")  # type: ignore[no-untyped-call]
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

    return LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=0,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    )


def slurm_cluster(options: dict[str, Any]) -> Any:
    """A cluster whose workers are Slurm jobs of one core; `options` go to `dask_jobqueue.SLURMCluster`."""
    try:
        from dask_jobqueue import SLURMCluster  # type: ignore[attr-defined]
    except ImportError as error:
        raise MissingExtra("running a bag on Slurm", "dask") from error

    chosen = {"cores": 1, "processes": 1, "memory": "2GiB", "walltime": "04:00:00", **options}
    return SLURMCluster(**chosen)


def _present(client: Any) -> dict[str, str]:
    workers = client.scheduler_info(n_workers=-1)["workers"]
    return {str(worker["name"]): address for address, worker in workers.items() if worker["status"] == "running"}
