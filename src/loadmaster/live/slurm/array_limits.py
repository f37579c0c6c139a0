"""The limit of running tasks of a job array. Slurm shows it only for tasks that wait together."""

from dataclasses import replace

from loadmaster.live.slurm.listing import ListedJob
from loadmaster.live.slurm.work import is_over


class Throttles:
    """Remembers the limit of every array that is there."""

    def __init__(self) -> None:
        self._most: dict[str, int] = {}

    def with_limits(self, rows: list[ListedJob]) -> list[ListedJob]:
        """The rows, every task of an array with the limit that was last told of it."""
        there = {row["ArrayJobID"] for row in rows if row.task >= 0 and not is_over(row)}
        self._most = {array: most for array, most in self._most.items() if array in there}
        for row in rows:
            several = any(sign in row["ArrayTaskID"] for sign in "-,%")
            if row.task >= 0 and several and not is_over(row):
                self._most[row["ArrayJobID"]] = row.throttle
        return [replace(row, throttle=self._most.get(row["ArrayJobID"], 0)) if row.task >= 0 else row for row in rows]
