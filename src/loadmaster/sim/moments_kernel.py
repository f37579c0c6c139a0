"""Moments on a grid of whole multiples, for kernels: the same as `loadmaster.model.time_grid`."""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import inner


@inner
def at_or_after(time_s, interval_s):
    """The first moment of decision at or after `time_s`."""
    if interval_s <= 0.0:
        return time_s
    return _first_from(time_s, interval_s) * interval_s


@inner
def cycle_of(time_s, interval_s):
    """The number of that moment: how many intervals it lies after zero."""
    return np.int64(_first_from(time_s, interval_s))


@inner
def _first_from(time_s, interval_s):
    cycle = np.floor(time_s / interval_s)
    return cycle if cycle * interval_s >= time_s else cycle + 1.0
