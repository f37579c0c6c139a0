"""A value that changes over time, from a CSV of moments and values, or one number for all the time."""

import math
from pathlib import Path

import numpy as np

from loadmaster.model import InputError
from loadmaster.model.energy import Steps
from loadmaster.traces.values import moments, numbers
from loadmaster.traces.whole_table import whole_table

AT = "at"


def values_over_time(given: str | float | Path, column: str, epoch_s: float | None) -> Steps:
    """The steps of a value: each holds from its moment until the next one.

    Args:
        given: a number, or a CSV or Parquet file with the columns `at` and `column`. `at` is a date, or seconds of the
            log.
        column: the name of the values, for messages too.
        epoch_s: the date of the log's zero; None without dates.

    Raises:
        InputError: neither a number nor such a file, a value below 0, or moments that do not ascend.
    """
    try:
        value = float(str(given))
    except ValueError:
        return _from_file(Path(str(given)), column, epoch_s)
    if not (math.isfinite(value) and value >= 0):
        raise InputError(given, f"{column} must be a number from 0 up, or a file")
    return ((0.0, value),)


def _from_file(path: Path, column: str, epoch_s: float | None) -> Steps:
    form = f"write the columns {AT},{column}: a date or seconds of the log, and a number from 0 up"
    if not path.is_file():
        raise InputError(path, f"neither a number nor a file of {AT},{column}", fix=form)
    frame, line = whole_table(path)
    if not {AT, column} <= set(frame.columns) or not frame.height:
        raise InputError(
            ", ".join(frame.columns), f"the columns {AT} and {column} are missing", fix=form, where=str(path)
        )
    seconds, value = numbers(frame[AT]), numbers(frame[column])
    at_s = seconds.values
    if (seconds.bad | seconds.missing).any():
        if epoch_s is None:
            rule = "this log has no dates, so a date cannot be found in it"
            raise InputError(frame[AT][0], rule, fix="give seconds of the log", where=str(path))
        at_s = moments(frame[AT]).values - epoch_s
    bad = ~np.isfinite(at_s) | value.bad | value.missing | ~(value.values >= 0)
    bad[1:] |= ~(np.diff(at_s) > 0)
    if bad.any():
        row = int(np.argmax(bad))
        cells = f"{frame[AT][row]},{frame[column][row]}"
        raise InputError(
            cells, "moments ascend, and values are numbers from 0 up", fix=form, where=f"{path}:{line[row]}"
        )
    return tuple(zip(at_s.tolist(), value.values.tolist(), strict=True))
