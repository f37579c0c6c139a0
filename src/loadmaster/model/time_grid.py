"""Moments on a grid of whole multiples."""

import math


def at_or_after(time_s: float, interval_s: float) -> float:
    """The first moment of decision at or after `time_s`.

    Example:
        >>> at_or_after(31.0, 30.0), at_or_after(30.0, 30.0), at_or_after(31.5, 0.0)
        (60.0, 30.0, 31.5)
    """
    if interval_s <= 0 or not math.isfinite(time_s):
        return time_s
    cycle = math.floor(time_s / interval_s)
    return (cycle if cycle * interval_s >= time_s else cycle + 1) * interval_s
