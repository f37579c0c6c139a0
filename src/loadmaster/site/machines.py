"""Machines as a user names them: the short form, or a file, also one of Slurm's (rule L2)."""

from pathlib import Path

from loadmaster.model import Cluster
from loadmaster.system.lazy import later
from loadmaster.traces.hosts import read_hosts

_described = later("loadmaster.site.slurm_hosts", "described_machines")


def read_machines(spec: str | Path) -> Cluster:
    """Hosts from the short form or from a file, also one of Slurm's; see `read_hosts`.

    Raises:
        InputError: neither a file nor the short form, or hosts that break a rule.
    """
    cluster = slurm_machines(spec)
    return read_hosts(spec) if cluster is None else cluster


def slurm_machines(spec: str | Path) -> Cluster | None:
    """The hosts that a file of Slurm's describes, with their features, the lightest first; None if it is no such file.

    Hosts that are down, drained or not there yet are left out. Partitions and limits are those of `--site`.

    Raises:
        InputError: a value that breaks its rule, or no host is up.
    """
    path = Path(spec)
    return _described(path) if path.is_file() else None
