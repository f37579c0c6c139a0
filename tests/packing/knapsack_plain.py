"""The pattern of the highest value by trying all of them: an oracle for few tasks."""

from itertools import product

import numpy as np


def best_pattern(value, demand, most, capacity):
    """The highest value of a pattern, int64[N], with `most` of each kind and demands within `capacity`."""
    return max(
        float(np.array(pattern) @ value)
        for pattern in product(*(range(number + 1) for number in most))
        if (np.array(pattern) @ demand <= capacity).all()
    )


def full_patterns(value, demand, most, capacity, least):
    """The patterns of a value of at least `least` to which no task can be added, as a set of tuples."""
    fitting = {
        pattern
        for pattern in product(*(range(number + 1) for number in most))
        if (np.array(pattern) @ demand <= capacity).all()
    }

    def full(pattern):
        return not any((*pattern[:n], pattern[n] + 1, *pattern[n + 1 :]) in fitting for n in range(len(pattern)))

    return {pattern for pattern in fitting if full(pattern) and np.array(pattern) @ value >= least}
