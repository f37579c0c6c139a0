"""The power of hosts, and numbers that change over time: prices and carbon of energy, a cap on the cluster's power."""

import re
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError

Steps = tuple[tuple[float, float], ...]
"""(from when, value): seconds from the start of the log, ascending. The first value holds before its moment too."""
CURVE_FORM = "write it like 0:90;0.5:160;1:250, the load from 0 to 1 and the watts there"
_POINT = re.compile(r"\s*(\d+(?:\.\d+)?|\.\d+)\s*:\s*(\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True)
class HostPower:
    """The power of some hosts by the part of their cores in use, linear between points.

    Attributes:
        hosts: their numbers.
        points: (load from 0 to 1, watts), ascending in the load, from 0 to 1.

    Raises:
        InputError: the points are not from 0 to 1, or a power is below 0.
    """

    hosts: tuple[int, ...]
    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        loads = [load for load, _ in self.points]
        if len(loads) < 2 or loads[0] != 0.0 or loads[-1] != 1.0 or loads != sorted(set(loads)):
            raise InputError(loads, "loads of a power go up from 0 to 1", fix=CURVE_FORM)
        if any(not 0 <= watts < 1e9 for _, watts in self.points):
            raise InputError([watts for _, watts in self.points], "a power is zero or more watts", fix=CURVE_FORM)

    def watts(self, load: Floats) -> Floats:
        """The power at each load."""
        loads, watts = zip(*self.points, strict=True)
        return np.asarray(np.interp(load, loads, watts))

    @property
    def idle_w(self) -> float:
        """The power without load."""
        return self.points[0][1]


def parse_power(text: str) -> tuple[tuple[float, float], ...]:
    """The points of a power as a cell of a host table has them.

    Raises:
        InputError: the text has another form.

    Example:
        >>> parse_power("0:90;1:250")
        ((0.0, 90.0), (1.0, 250.0))
    """
    matches = [_POINT.fullmatch(part) for part in text.split(";")]
    if not all(matches):
        raise InputError(text, "no power by load", fix=CURVE_FORM)
    points = tuple((float(match[1]), float(match[2])) for match in matches if match)
    HostPower((), points)
    return points


def until_now(steps: Steps, time_s: Floats) -> Floats:
    """The integral of the steps from 0 to each moment: value times seconds; negative before 0.

    Example:
        >>> until_now(((0.0, 2.0), (10.0, 5.0)), np.array([4.0, 12.0])).tolist()
        [8.0, 30.0]
    """
    from_s, value = (np.array(column) for column in zip(*steps, strict=True))
    so_far = np.concatenate(([0.0], np.cumsum(value[:-1] * np.diff(from_s))))
    row = np.maximum(np.searchsorted(from_s, time_s, side="right") - 1, 0)
    return np.asarray(so_far[row] + value[row] * (time_s - from_s[row]) + value[0] * from_s[0])
