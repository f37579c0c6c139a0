"""Machines: the short form `200x16c64g,100x32c128g`, or a file."""

import re
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.cluster import MOST_HOSTS
from loadmaster.model.units import CORES, GB, GPUS, MEMORY

_GROUP = re.compile(r"(?:(\d+)x)?(\d+)c(?:(\d+(?:\.\d+)?)g)?(?:(\d+)gpu)?", re.IGNORECASE)
_FIX = "write it like 200x16c64g or 4x64c512g8gpu, or name a file"


def read_hosts(spec: str | Path) -> Cluster:
    """Hosts from the short form or from a file.

    Args:
        spec: COUNTxCORESc[MEMORYg][GPUSgpu] groups parted by commas (memory in GiB), or the path of a file: CSV,
            Parquet or YAML with the columns of `HOST_COLUMNS`, the `.machines` form, openb nodes, or Alibaba's
            server events.

    Raises:
        InputError: neither a file nor the short form, or hosts that break a rule.

    Example:
        >>> read_hosts("2x16c64g,1x32c128g").total.tolist() == [64.0, 256.0 * GB]
        True
    """
    from loadmaster.traces.host_files import read_host_file

    text = str(spec)
    groups = text.replace(" ", "").split(",")
    if all(_GROUP.fullmatch(group) for group in groups):
        return parse_hosts(text)
    path = Path(text)
    if text.strip() and path.exists():
        return read_host_file(path)
    if any(_GROUP.fullmatch(group) for group in groups):
        return parse_hosts(text)
    if path.suffix or len(path.parts) > 1:
        raise InputError(path.name, "no such file", fix="check the path", where=text)
    raise InputError(text, "neither a file nor a group of hosts", fix=_FIX)


def parse_hosts(text: str) -> Cluster:
    """Hosts written in the short form; see `read_hosts`. A resource that no group names is left out."""
    rows: list[list[float]] = []
    counts: list[int] = []
    named = [True, False, False]
    for group in text.replace(" ", "").split(","):
        match = _GROUP.fullmatch(group)
        if match is None:
            raise InputError(group, "not a group of hosts", fix=_FIX)
        if match[1] and int(match[1]) == 0:
            raise InputError(group, "a group needs at least one host", fix="correct or remove it")
        named = [True, named[1] or match[3] is not None, named[2] or match[4] is not None]
        rows.append([float(match[2]), float(match[3] or 0) * GB, float(match[4] or 0)])
        counts.append(int(match[1] or 1))
    if sum(counts) > MOST_HOSTS:
        raise InputError(text, f"more than {MOST_HOSTS:,} hosts")
    capacity = np.repeat(np.array(rows), counts, axis=0)
    return Cluster(
        tuple(name for name, on in zip((CORES, MEMORY, GPUS), named, strict=True) if on),
        capacity[:, np.flatnonzero(named)],
    )
