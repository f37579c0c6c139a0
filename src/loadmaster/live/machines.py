"""Machines of a bag, rented one by one: workers that a Dask cluster starts, or those of a running scheduler."""

from typing import Any, Protocol

from loadmaster.live.wanted import Wanted
from loadmaster.model.errors import InputError


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
        from loadmaster.live.sized_adaptive import SizedAdaptive

        self.cluster = cluster
        self.client = client
        self._orders = Wanted()
        self._adaptive = cluster.adapt(Adaptive=SizedAdaptive, advise=lambda plan: self._orders, interval=0)

    def change(self, rent: int, release: list[str]) -> list[str]:
        """See `Machines`."""
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


def _present(client: Any) -> dict[str, str]:
    workers = client.scheduler_info(n_workers=-1).get("workers")
    if workers is None:
        fix = "start it again; the same command goes on where it was"
        raise InputError(client.scheduler.address if client.scheduler else "Dask", "the scheduler is gone", fix=fix)
    return {str(worker["name"]): address for address, worker in workers.items() if worker["status"] == "running"}
