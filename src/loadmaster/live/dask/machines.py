"""Machines of a bag, rented one by one: workers that a Dask cluster starts, or those of a running scheduler."""

import time
from typing import Any, NamedTuple, Protocol

from loadmaster.model.errors import InputError


class ScalingRequest(NamedTuple):
    """What the cluster is to do: start `rent` workers, close those named in `release`."""

    rent: int = 0
    release: tuple[Any, ...] = ()


class Machines(Protocol):
    """Machines that can be rented one by one; each runs one task at a time."""

    @property
    def client(self) -> Any:
        """The Dask client through which tasks are given to them."""

    def change(self, rent: int, release: list[str]) -> list[str]:
        """Rent and give back machines; the names of those rented."""

    def present(self) -> dict[str, str]:
        """Address of every machine that has come up and not gone since, by name; a machine left out is gone."""

    def vanished(self) -> dict[str, str]:
        """Machines that will never come up, by name, with the reason."""


class AdaptiveMachines:
    """A Dask cluster that starts and closes workers; asked through its Adaptive hook."""

    def __init__(self, cluster: Any, client: Any) -> None:
        from loadmaster.live.dask.sized_adaptive import SizedAdaptive

        self.cluster = cluster
        self.client = client
        self._orders = ScalingRequest()
        self._adaptive = cluster.adapt(Adaptive=SizedAdaptive, advise=lambda plan: self._orders, interval=0)

    def change(self, rent: int, release: list[str]) -> list[str]:
        """See `Machines`."""
        before = {str(name): name for name in self.cluster.worker_spec}
        self._orders = ScalingRequest(rent, tuple(before[name] for name in release if name in before))
        self.cluster.sync(self._adaptive.adapt)
        self._orders = ScalingRequest()
        return [str(name) for name in self.cluster.worker_spec if str(name) not in before]

    def present(self) -> dict[str, str]:
        """See `Machines`."""
        return _present(self.client)

    def vanished(self) -> dict[str, str]:
        """See `Machines`; the start of a process cannot be cancelled here."""
        return {}


class GivenMachines:
    """The workers of a scheduler that already runs: all of them count as rented, none can be added."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._taken: set[str] = set()

    def change(self, rent: int, release: list[str]) -> list[str]:
        """Take up to `rent` workers that are not in use; give back is only noted."""
        self._taken -= set(release)
        running = [name for name, (_, status) in _workers(self.client).items() if status == "running"]
        free = [name for name in running if name not in self._taken]
        self._taken |= set(free[:rent])
        return free[:rent]

    def present(self) -> dict[str, str]:
        """See `Machines`."""
        return _present(self.client)

    def vanished(self) -> dict[str, str]:
        """See `Machines`; they are all there from the start."""
        return {}


def _workers(client: Any) -> dict[str, tuple[str, str]]:
    """Address and status of every worker that the scheduler knows at this moment, by name.

    Asks the scheduler itself: `client.scheduler_info` hands out what it was told last, and the client keeps itself
    informed in the background of all but the workers, so that now and then every worker would seem to be gone.

    Raises:
        InputError: the client has lost the scheduler, and not found it again in its time.
    """
    while client.status in ("running", "connecting") and client.scheduler is not None:
        try:
            workers = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
        except (OSError, RuntimeError):  # the connection is lost, or was just given up
            time.sleep(0.1)
            continue
        return {str(worker["name"]): (address, worker["status"]) for address, worker in workers.items()}
    address = client.scheduler.address if client.scheduler is not None else "Dask"
    raise InputError(address, "the scheduler is gone", fix="start it again, then give the same command to continue")


def _present(client: Any) -> dict[str, str]:
    """Address of every worker that has come up; one that is paused, or about to retire, still runs its task."""
    return {name: address for name, (address, status) in _workers(client).items() if status != "init"}
