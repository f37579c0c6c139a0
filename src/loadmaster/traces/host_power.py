"""The power of hosts in a host table: idle and full load, or watts by load."""

from pathlib import Path

import numpy as np
import polars as pl

from loadmaster.model import InputError
from loadmaster.model.arrays import Longs
from loadmaster.model.energy import HostPower, parse_power
from loadmaster.traces.values import numbers, words


def host_power(path: Path, frame: pl.DataFrame, line: Longs, count: Longs) -> tuple[HostPower, ...]:
    """The power of all hosts, hosts of one curve together; () where the table says none.

    Args:
        path: of the table, for messages.
        frame: its rows.
        line: int64[N], the line of each row.
        count: int64[N], the hosts that each row stands for.

    Raises:
        InputError: a power that does not read so, or that is missing in some row.
    """
    if not {"idle_w", "full_w", "power_w"} & set(frame.columns):
        return ()
    nothing = pl.Series([None], dtype=pl.String).new_from_index(0, frame.height)
    idle, full = (numbers(frame[name] if name in frame.columns else nothing) for name in ("idle_w", "full_w"))
    curves = words(frame["power_w"]).to_list() if "power_w" in frame.columns else [None] * frame.height
    first = np.concatenate(([0], np.cumsum(count)))
    hosts: dict[tuple[tuple[float, float], ...], list[int]] = {}
    for row in range(frame.height):
        given = not (idle.missing[row] or idle.bad[row] or full.missing[row] or full.bad[row])
        if given == (curves[row] is not None):
            rule = "each host has idle_w and full_w, or power_w in their place"
            raise InputError(curves[row] or "power", rule, fix="fill them in", where=f"{path}:{line[row]}")
        try:
            curve = curves[row]
            linear = ((0.0, float(idle.values[row])), (1.0, float(full.values[row])))
            points = HostPower((), linear).points if curve is None else parse_power(curve)
        except InputError as error:
            raise InputError(error.value, error.rule, fix=error.fix, where=f"{path}:{line[row]}") from None
        hosts.setdefault(points, []).extend(range(int(first[row]), int(first[row + 1])))
    return tuple(HostPower(tuple(numbers_), points) for points, numbers_ in hosts.items())
