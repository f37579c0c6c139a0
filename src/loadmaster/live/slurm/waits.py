"""Which dependencies of a waiting job are still open: Slurm does not look again while a job is held."""

import math

from loadmaster.live.slurm.listing import ListedJob
from loadmaster.live.slurm.work import ENDED, is_over
from loadmaster.model.dependencies import KINDS, SINGLETON, parse_dependency
from loadmaster.model.errors import InputError

_AFTER, _AFTERANY, _AFTEROK, _AFTERNOTOK, _AFTERCORR = (
    KINDS.index(kind) for kind in ("after", "afterany", "afterok", "afternotok", "aftercorr")
)
MOST_REMEMBERED = 200_000


class KnownEnds:
    """How jobs ended that the listing no longer has, by (job or array, task or -1)."""

    def __init__(self) -> None:
        self._ended: dict[tuple[int, int], str] = {}
        self._alive: dict[int, list[ListedJob]] = {}

    def look(self, rows: list[ListedJob]) -> None:
        """A new listing."""
        self._alive = {}
        for row in rows:
            number = int(row["ArrayJobID"] or row["JobID"])
            if is_over(row):
                self._ended[number, row.task] = ENDED[row["State"]]
            else:
                self._alive.setdefault(number, []).append(row)
        while len(self._ended) > MOST_REMEMBERED:
            self._ended.pop(next(iter(self._ended)))

    def ready_s(self, row: ListedJob) -> float:
        """When the job may start as far as others go: 0 or a moment; infinite as long as it has to wait.

        A job that neither listing nor memory knows has ended long ago: it is taken for met, as Slurm does, which will
        look once more when the job is released.
        """
        text = row["Dependency"]
        if not text:
            return 0.0
        try:
            parts, one_is_enough = parse_dependency(text)
        except InputError:
            return math.inf
        times = [self._met_s(row, *part) for part in parts]
        return (min(times) if one_is_enough else max(times)) if times else 0.0

    def _met_s(self, row: ListedJob, kind: int, on: int, task: int, delay_s: float) -> float:
        if kind == SINGLETON:
            return math.inf if "singleton(unfulfilled)" in row["Dependency"] else 0.0
        if kind == _AFTERCORR:
            kind, task = _AFTEROK, row.task
        alive = [other for other in self._alive.get(on, []) if task < 0 or other.task == task]
        if kind == _AFTER:
            waiting = any(other["State"] in ("PENDING", "REQUEUED", "REQUEUE_HOLD") for other in alive)
            begun = [float(other["StartTime"]) for other in alive if other["StartTime"].isdigit()]
            return math.inf if waiting else max(begun, default=0.0) + delay_s
        if alive:
            return math.inf
        ended = [how for (number, each), how in self._ended.items() if number == on and task in (-1, each)]
        well = all(how == "ok" for how in ended)
        if kind == _AFTEROK and not well:
            return math.inf
        return math.inf if kind == _AFTERNOTOK and ended and well else 0.0
