"""The workers that Dask's Adaptive hook starts and closes."""

from typing import Any, NamedTuple


class ScalingRequest(NamedTuple):
    """What the cluster is to do: start `rent` workers, close those named in `release`."""

    rent: int = 0
    release: tuple[Any, ...] = ()
