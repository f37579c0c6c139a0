"""Slurm jobs as machines: how they are submitted, and what happened to those that never came up."""

import contextlib
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadmaster.live.dask import cluster_security
from loadmaster.live.dask.machines import AdaptiveMachines
from loadmaster.model.errors import InputError, MissingExtra

ASK_EVERY_S = 15.0
"""How often Slurm is asked at most; a site's Slurm has other things to do."""


class SlurmMachines(AdaptiveMachines):
    """Machines of which each is a Slurm job.

    A job that Slurm refuses, cancels or loses before its worker came up is noticed.
    """

    def __init__(self, cluster: Any, client: Any) -> None:
        super().__init__(cluster, client)
        self._asked = time.monotonic()
        self._came_up = False

    def present(self) -> dict[str, str]:
        """See `Machines`."""
        machines = super().present()
        self._came_up |= bool(machines)
        return machines

    def vanished(self) -> dict[str, str]:
        """See `Machines`.

        Raises:
            InputError: Slurm refused a job before any machine came up; it would refuse the next one as well.
        """
        workers = {str(name): job for name, job in list(self.cluster.workers.items())}
        refused = {name: f"Slurm refused its job: {job.refused}" for name, job in workers.items() if job.refused}
        if refused and not self._came_up:
            raise InputError("slurm", next(iter(refused.values())), fix="see --slurm-option")
        if time.monotonic() - self._asked < ASK_EVERY_S:
            return {}
        self._asked = time.monotonic()
        present = self.present()
        jobs = {name: str(job.job_id) for name, job in workers.items() if job.job_id and name not in present}
        queued = jobs_in_queue() if jobs else None
        if queued is None:
            return refused
        return refused | {n: f"Slurm knows no job {job} any more" for n, job in jobs.items() if job not in queued}


def jobs_in_queue() -> set[str] | None:
    """Numbers of the user's jobs that wait or run; None if Slurm does not answer."""
    try:
        answer = subprocess.run(
            ["squeue", "--me", "--noheader", "--format=%A"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return set(answer.stdout.split())


_CLOSED = ("protocol", "security", "shared_temp_directory")
"""Options with which connections would not be encrypted, or the keys lie where others may read them."""

_JOB_IS_CLOSED = "export DASK_DISTRIBUTED__WORKER__HTTP__ROUTES='[]'"
_WORKER_IS_CLOSED = ("--no-dashboard", "--dashboard-address", cluster_security.LOOPBACK_PORT)
"""A worker opens a web server in any case: here without pages, and on loopback."""


@contextlib.contextmanager
def slurm_cluster(options: dict[str, Any], folder: Path, dashboard: bool = False) -> Iterator[Any]:
    """A cluster whose workers are Slurm jobs of one core; `options` go to `dask_jobqueue.SLURMCluster`.

    Scheduler and jobs must reach each other over the network, so the scheduler listens on the chosen interface, or on
    the address by which this machine is known. What protects it are certificates made for this run, which lie in a
    folder inside `folder` that only this user may open, as long as the run lasts.

    Raises:
        InputError: it does not take them.
        MissingExtra: dask-jobqueue is not installed.
    """
    for name in _CLOSED:
        if name in options:
            fix = "leave it out: a run encrypts with certificates of its own"
            raise InputError(f"{name}={options[name]}", "--slurm-option cannot change how a run is protected", fix=fix)
    cluster_class = _cluster_class()
    with (
        tempfile.TemporaryDirectory(prefix=".certificates-", dir=folder.resolve()) as private,
        _new_cluster(cluster_class, options, Path(private), dashboard) as cluster,
    ):
        yield cluster


def _new_cluster(cluster_class: Any, options: dict[str, Any], private: Path, dashboard: bool) -> Any:
    chosen = {
        "cores": 1,
        "processes": 1,
        "memory": "2GiB",
        "walltime": "04:00:00",
        **options,
        "scheduler_options": _listens(options, dashboard),
        "security": cluster_security.certificates_in(private),
        "job_script_prologue": [*_site(options, "job_script_prologue"), _JOB_IS_CLOSED],
        "worker_extra_args": [*_site(options, "worker_extra_args"), *_WORKER_IS_CLOSED],
    }
    try:
        for name in ("cores", "processes"):
            chosen[name] = int(chosen[name])
        return cluster_class(**chosen, job_cls=_job_class())
    except (TypeError, ValueError) as error:
        text = ", ".join(f"{name}={value}" for name, value in options.items())
        why = str(error).splitlines()[0].partition(". ")[0]
        raise InputError(text, f"SLURMCluster does not take this: {why}") from error


def _site(options: dict[str, Any], name: str) -> list[str]:
    """Lines that the user, or else the site's own configuration of dask-jobqueue, wants in a job."""
    import dask

    given = options.get(name, dask.config.get(f"jobqueue.slurm.{name.replace('_', '-')}", None)) or []
    return [given] if isinstance(given, str) else list(given)


def _listens(options: dict[str, Any], dashboard: bool) -> dict[str, Any]:
    """Where the scheduler listens: for jobs on one address, with web pages on loopback if at all."""
    import dask
    from distributed.utils import get_ip

    theirs = dict(dask.config.get("jobqueue.slurm.scheduler-options", None) or {})
    theirs = {name: value for name, value in theirs.items() if name not in _CLOSED}
    interface = options.get("interface") or dask.config.get("jobqueue.slurm.interface", None)
    where = {} if interface or {"host", "interface"} & theirs.keys() else {"host": get_ip()}  # type: ignore[no-untyped-call]
    return {**theirs, **where, "dashboard_address": cluster_security.LOOPBACK_PORT, "dashboard": dashboard}


def _cluster_class() -> Any:
    ctrl_c = signal.getsignal(signal.SIGINT)
    try:
        from dask_jobqueue import SLURMCluster  # type: ignore[attr-defined]
    except ImportError as error:
        raise MissingExtra("running a bag on Slurm", "dask") from error
    finally:
        signal.signal(signal.SIGINT, ctrl_c)  # dask_jobqueue's import makes Ctrl-C a silent exit

    return SLURMCluster


def _job_class() -> Any:
    """dask-jobqueue's job, but one that Slurm refuses says so, and one that is closed too.

    Without the first the error is logged and the worker waited for in vain; without the second Dask cannot close its
    cluster while something still refers to the job, such as the error that ended the run.
    """
    from dask_jobqueue.slurm import SLURMJob
    from distributed.core import Status

    class Job(SLURMJob):
        refused = ""

        async def start(self) -> None:
            try:
                await super().start()  # type: ignore[no-untyped-call]
            except (OSError, RuntimeError, ValueError) as error:
                lines = [line for line in str(error).splitlines() if line.strip()]
                self.refused = lines[-1] if lines else type(error).__name__
                self.status = Status.running

        async def close(self) -> None:
            await super().close()  # type: ignore[no-untyped-call]
            self.status = Status.closed

    return Job
