"""Runs on the workers of a Dask cluster, for sweeps that are too large for one machine."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loadmaster import __version__, dask_client
from loadmaster.dask_client import DaskAddress
from loadmaster.model import InputError
from loadmaster.rules.find import Sources
from loadmaster.runs.case import Case
from loadmaster.runs.outcome import Outcome, from_bytes, run, to_bytes
from loadmaster.runs.setting import Setting, sources_of
from loadmaster.runs.watch import Watch


@dataclass(frozen=True)
class OnDask:
    """Makes runs on the Dask cluster whose scheduler listens at `address`.

    The jobs and hosts go to the workers once; the files of a user's own policies travel with every run.
    """

    address: DaskAddress

    def __call__(
        self, case: Case, settings: Sequence[Setting], check: bool, watch: Watch
    ) -> Iterator[tuple[int, Outcome]]:
        """Run all `settings`; if the caller stops listening, what is left is taken back from the cluster.

        Raises:
            InputError: nobody answers at the address, no worker is there, or one has another version.
            MissingExtra: Dask is not installed here.
        """
        if not settings:
            return
        client = connect(self.address)
        try:
            remote = client.scatter(case, broadcast=True, hash=False)
            futures = {
                client.submit(run_remotely, remote, setting, sources_of(setting), check, pure=False, retries=2): index
                for index, setting in enumerate(settings)
            }
            for future, block in dask_client.distributed().as_completed(futures, loop=client.loop, with_results=True):
                yield futures[future], from_bytes(block)
        finally:
            client.close()  # the scheduler forgets the runs that no client waits for


def connect(address: DaskAddress) -> Any:
    """A client of the Dask cluster at `address` whose workers can run our code."""
    client = dask_client.connect(address)
    try:
        _require_workers(client, address.url)
    except BaseException:
        client.close()
        raise
    return client


def run_remotely(case: Case, setting: Setting, sources: Sources, check: bool) -> bytes:
    """What a worker does."""
    return to_bytes(run(case, setting, sources, check=check))


def worker_version() -> str:
    """The version of this package on a worker."""
    return __version__


def _require_workers(client: Any, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=dask_client.PATIENCE_S)
    except TimeoutError as error:
        fix = f"start some: dask worker {address}"
        raise InputError(address, "this Dask cluster has no workers", fix=fix) from error
    for worker, version in client.run(worker_version, on_error="return").items():
        if version != __version__:
            found = f"cannot import it ({version})" if isinstance(version, Exception) else f"has {version}"
            fix = "install the same version there"
            raise InputError(worker, f"here is loadmaster {__version__}, but this worker {found}", fix=fix)
