# mypy: disable-error-code="no-untyped-def"
"""Water-filling compiled; the plain one beside it says what it must return."""

from loadmaster.jit.kernels import inner


@inner
def level_of(limit, floor, share, first, last, capacity, floors):
    """The level at which the allotments of tasks `first` up to `last` sum to `capacity`.

    All arrays are float64; floors above their limit count as the limit, and `floors` is their sum. Needs floors <
    capacity < sum of limits. Nothing is allocated: instead of sorting the points at which a task leaves its floor or
    meets its limit, the bracket around the level is narrowed to one of them at a time, n steps on average n/2 long;
    hosts hold few tasks.
    """
    low, high = 0.0, 1e300
    low_total, slope = floors, 0.0
    for i in range(first, last):
        for end in range(2):
            point = (limit[i] if end else min(floor[i], limit[i])) / share[i]
            if not low < point < high:
                continue
            total, rising = _total_at(limit, floor, share, first, last, point)
            if total >= capacity:
                high = point
            else:
                low, low_total, slope = point, total, rising
    if low == 0.0:
        low_total, slope = _total_at(limit, floor, share, first, last, 0.0)
    return low + (capacity - low_total) / slope if slope > 0.0 else low


@inner
def _total_at(limit, floor, share, first, last, level):
    """What all take at `level`, and how fast that rises just above it."""
    total, rising = 0.0, 0.0
    for i in range(first, last):
        low = min(floor[i], limit[i])
        asked = share[i] * level
        total += min(limit[i], max(low, asked))
        # The two ends are compared as points, as in the caller, so that rounding cannot put a task on both sides.
        if low / share[i] <= level < limit[i] / share[i]:
            rising += share[i]
    return total, rising
