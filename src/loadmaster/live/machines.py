"""Where a bag's machines come from: started here, asked from Slurm, or those of a scheduler that already runs."""

import contextlib
import logging
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any, NamedTuple, Protocol

from loadmaster.model.errors import InputError, MissingExtra

_DEAF = "import signal; signal.signal(signal.SIGINT, lambda *_: None)"
"""Run by every worker here: a terminal sends Ctrl-C to them too, but only the runner is to answer."""


class Machines(Protocol):
    """Machines that can be rented one by one; each runs one task at a time."""

    @property
    def client(self) -> Any:
        """The Dask client through which tasks are given to them."""

    def change(self, rent: int, release: list[str]) -> list[str]:
        """Rent and give back machines; the names of those rented."""

    def present(self) -> dict[str, str]:
        """Address of every machine that has come up, by name."""

    def vanished(self) -> dict[str, str]:
        """Machines that will never come up, by name, with the reason."""


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

    def vanished(self) -> dict[str, str]:
        """See `Machines`; nobody can cancel the start of a process here."""
        return {}


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

    def vanished(self) -> dict[str, str]:
        """See `Machines`; they are all there from the start."""
        return {}


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
            from loadmaster.live.slurm import SlurmMachines, slurm_cluster

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


def _present(client: Any) -> dict[str, str]:
    workers = client.scheduler_info(n_workers=-1).get("workers")
    if workers is None:
        fix = "start it again; the same command goes on where it was"
        raise InputError(client.scheduler.address if client.scheduler else "Dask", "the scheduler is gone", fix=fix)
    return {str(worker["name"]): address for address, worker in workers.items() if worker["status"] == "running"}
