"""Cells on the workers of a Dask cluster, for studies that are too large for one machine."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loadmaster import __version__
from loadmaster.model.errors import InputError
from loadmaster.results import dask_client
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.stamp import stamp
from loadmaster.results.study import CellMaker, R, S, T, Work
from loadmaster.results.threads import Threads
from loadmaster.results.watch import Watch


@dataclass(frozen=True)
class OnDask:
    """Makes cells on the Dask cluster whose scheduler listens at `address`.

    What the cells share goes to the workers once.
    """

    address: DaskAddress

    def __call__(self, work: Work[S, T, R], tasks: Sequence[T], watch: Watch) -> Iterator[tuple[int, bytes]]:
        """Make all of `tasks`; when the work is over or the caller leaves, the rest is taken back from the cluster.

        Raises:
            InputError: no scheduler answers at the address, no worker is there, or one would run other code.
            MissingExtra: Dask is not installed here.
        """
        client = dask_client.connect(self.address)
        try:
            _require_workers(client, self.address.url, work.made_by)
            remote = client.scatter(work.shared, broadcast=True, hash=False)
            futures = {
                client.submit(make_remotely, work.make, work.to_bytes, remote, task, pure=False, retries=2): index
                for index, task in enumerate(tasks)
            }
            for future, block in dask_client.distributed().as_completed(futures, loop=client.loop, with_results=True):
                yield futures[future], block
                if work.over():
                    break
        finally:
            client.close()  # the scheduler forgets the cells that no client waits for


def pool_on(address: DaskAddress | None) -> CellMaker:
    """The cluster at `address`, or the cores of this machine if none is given."""
    return OnDask(address) if address is not None else Threads()


def make_remotely(make: Callable[..., R], to_bytes: Callable[[R], bytes], shared: Any, task: Any) -> bytes:
    """Make one cell on a worker of Dask, and hand back the bytes to keep."""
    return to_bytes(make(shared, task, _no_progress))


def worker_source(made_by: tuple[str, ...]) -> tuple[str, str]:
    """The version of this package on a worker, and the stamp of the source that makes the cells."""
    return __version__, stamp(*made_by)


def _no_progress(_steps: int) -> None:
    """A worker reports no progress."""


def _require_workers(client: Any, address: str, made_by: tuple[str, ...]) -> None:
    try:
        client.wait_for_workers(1, timeout=dask_client.PATIENCE_S)
    except TimeoutError as error:
        fix = f"start some: dask worker {address}"
        raise InputError(address, "this Dask cluster has no workers", fix=fix) from error
    ours = worker_source(made_by)
    for worker, theirs in client.run(worker_source, made_by, on_error="return").items():
        if theirs != ours:
            raise InputError(
                worker,
                f"here is loadmaster {__version__}, but this worker {_other(theirs)}",
                fix="install the same version there",
            )


def _other(theirs: Any) -> str:
    if isinstance(theirs, Exception):
        return f"cannot import it ({theirs})"
    return f"has {theirs[0]}" if theirs[0] != __version__ else f"has other source of {theirs[0]}"
