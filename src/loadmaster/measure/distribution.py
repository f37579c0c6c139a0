"""The distribution of waits in bins that are the same for every run, so that runs can be laid over each other."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs

PER_DECADE = 20
SHORTEST_S = 1.0
LONGEST_S = 1e8
_BINS = round(np.log10(LONGEST_S / SHORTEST_S) * PER_DECADE) + 2
_CHUNK = 1 << 20

EDGES_S: Floats = np.concatenate(([0.0], SHORTEST_S * 10.0 ** (np.arange(_BINS) / PER_DECADE)))
"""float64[B + 1]: bin b holds waits from EDGES_S[b] on and below EDGES_S[b + 1]; the last also all longer ones."""


def wait_counts(wait_s: Floats) -> Longs:
    """int64[B]: jobs by wait, in the bins of `EDGES_S`; NaN (never started) is left out.

    Example:
        >>> counts = wait_counts(np.array([0.0, 0.5, 30.0, np.nan]))
        >>> int(counts[0]), int(counts.sum())
        (2, 3)
    """
    counts = np.zeros(EDGES_S.size - 1, np.int64)
    for at in range(0, wait_s.size, _CHUNK):
        part = wait_s[at : at + _CHUNK]
        part = part[~np.isnan(part)]
        bins = np.searchsorted(EDGES_S, part, side="right") - 1
        counts += np.bincount(np.clip(bins, 0, counts.size - 1), minlength=counts.size)
    return counts


def share_within(counts: Longs) -> Floats:
    """float64[B]: the part of the jobs that waited less than the upper edge of each bin."""
    total = counts.sum()
    return np.asarray(np.cumsum(counts) / total) if total else np.zeros(counts.size)
