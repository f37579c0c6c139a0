"""Slurm jobs as machines: how they are asked for, and what became of those that never came up."""

import signal
import subprocess
import time
from typing import Any

from loadmaster.live.machines import AdaptiveMachines
from loadmaster.model.errors import MissingExtra

ASK_EVERY_S = 15.0
"""How often Slurm is asked at most; a site's Slurm has other things to do."""


class SlurmMachines(AdaptiveMachines):
    """Machines of which each is a Slurm job; a job that is cancelled or fails before its worker came up is noticed."""

    def __init__(self, cluster: Any, client: Any) -> None:
        super().__init__(cluster, client)
        self._asked = time.monotonic()

    def vanished(self) -> dict[str, str]:
        """See `Machines`."""
        if time.monotonic() - self._asked < ASK_EVERY_S:
            return {}
        self._asked = time.monotonic()
        present = self.present()
        jobs = {str(name): str(job.job_id) for name, job in self.cluster.workers.items() if job.job_id}
        jobs = {name: job for name, job in jobs.items() if name not in present}
        if not jobs:
            return {}
        queued = jobs_in_queue()
        if queued is None:
            return {}
        return {name: f"Slurm knows no job {job} any more" for name, job in jobs.items() if job not in queued}


def jobs_in_queue() -> set[str] | None:
    """Numbers of the user's jobs that wait or run; None if Slurm does not answer."""
    try:
        asked = subprocess.run(
            ["squeue", "--me", "--noheader", "--format=%A"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return set(asked.stdout.split())


def slurm_cluster(options: dict[str, Any]) -> Any:
    """A cluster whose workers are Slurm jobs of one core; `options` go to `dask_jobqueue.SLURMCluster`."""
    ctrl_c = signal.getsignal(signal.SIGINT)
    try:
        from dask_jobqueue import SLURMCluster  # type: ignore[attr-defined]
    except ImportError as error:
        raise MissingExtra("running a bag on Slurm", "dask") from error
    finally:
        signal.signal(signal.SIGINT, ctrl_c)  # dask_jobqueue's import makes Ctrl-C a silent exit

    chosen = {"cores": 1, "processes": 1, "memory": "2GiB", "walltime": "04:00:00", **options}
    return SLURMCluster(**chosen)
