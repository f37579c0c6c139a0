"""What jobs really used, by `sacct`: processor time stands in the line of the job, memory in those of its steps."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model.arrays import Floats, Ints
from loadmaster.traces.values import absent, durations, numbers, words

_KEY = "key of use"
_MEMORY = r"^([0-9]+(?:\.[0-9]+)?)([KMGTP]?)$"
_BYTES = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50}


class SlurmUse:
    """Reads TotalCPU of jobs, and MaxRSS and NTasks of their steps (rule H15).

    The memory of a step is that of its largest task, for each of its tasks: an upper bound where tasks differ. The
    memory of a job is that of the step with most.
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._most: list[float] = []  # by number, bytes

    def __call__(self, frame: pl.DataFrame, cores: Floats) -> dict[str, NDArray[Any]]:
        """Further columns of some rows, steps among them; `of_jobs` makes the use of memory of them."""
        columns: dict[str, NDArray[Any]] = {}
        if "totalcpu" in frame.columns:
            total_s = durations(frame["totalcpu"]).or_else(0.0)
            columns["cpu_time_s"] = np.where(total_s > 0, total_s / np.maximum(cores, 1.0), -1.0)
        if "maxrss" in frame.columns:
            columns[_KEY] = self._note(frame)
        return columns

    def of_jobs(self, extra: dict[str, NDArray[Any]], tasks: Ints) -> dict[str, NDArray[Any]]:
        """The columns of all jobs, with `used_memory`: bytes for each task, -1 where unknown."""
        if _KEY not in extra:
            return extra
        kept = {name: column for name, column in extra.items() if name != _KEY}
        whole = np.array(self._most)[extra[_KEY]]
        return kept | {"used_memory": np.where(whole > 0, whole / tasks, -1.0)}

    def _note(self, frame: pl.DataFrame) -> Ints:
        """int32[N]: the number of the job to which each row belongs; what the row says of its memory is kept."""
        name = "jobid" if "jobid" in frame.columns else "jobidraw"
        told = next((column for column in ("rsstasks", "ntasks") if column in frame.columns), None)
        count = (absent(frame.height) if told is None else numbers(frame[told])).or_else(1.0)
        most = _bytes(frame["maxrss"]) * np.maximum(count, 1.0)
        number = np.empty(frame.height, np.int32)
        owners = frame[name].fill_null("").str.extract(r"^([^.]*)", 1).to_list()
        for row, (owner, step) in enumerate(zip(owners, most.tolist(), strict=True)):
            number[row] = at = self._number.setdefault(owner, len(self._most))
            if at == len(self._most):
                self._most.append(0.0)
            self._most[at] = max(self._most[at], step)
        return number


def _bytes(column: pl.Series) -> Floats:
    """float64[N]: amounts such as 12345K; 0 where there is none."""
    text = words(column)
    scale = text.str.extract(_MEMORY, 2).fill_null("").replace_strict(_BYTES, return_dtype=pl.Float64)
    amount = text.str.extract(_MEMORY, 1).cast(pl.Float64).fill_null(0.0)
    return np.asarray((amount * scale).to_numpy(), np.float64)
