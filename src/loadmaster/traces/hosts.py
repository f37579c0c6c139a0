"""Machines: the short form `200x16c64g,100x32c128g`."""

import re

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.units import GB

_GROUP = re.compile(r"(?:(\d+)x)?(\d+)c(?:(\d+(?:\.\d+)?)g)?(?:(\d+)gpu)?")


def parse_hosts(text: str) -> Cluster:
    """Hosts written as COUNTxCORESc[MEMORYg][GPUSgpu], groups parted by commas; memory in GiB.

    Raises:
        InputError: a group that does not read so.

    Example:
        >>> parse_hosts("2x16c64g,1x32c128g").total.tolist() == [64.0, 256.0 * GB]
        True
    """
    rows: list[list[float]] = []
    gpus = False
    for group in text.replace(" ", "").split(","):
        match = _GROUP.fullmatch(group)
        if match is None:
            raise InputError(group, "not a group of hosts", fix="write it like 200x16c64g or 4x64c512g8gpu")
        gpus = gpus or match[4] is not None
        row = [float(match[2]), float(match[3] or 0) * GB, float(match[4] or 0)]
        rows.extend([row] * int(match[1] or 1))
    capacity = np.array(rows, dtype=float).reshape(-1, 3)
    if gpus:
        return Cluster(("cores", "memory", "gpus"), capacity)
    return Cluster(("cores", "memory"), capacity[:, :2])
