"""Which dependencies of a waiting job are still open: Slurm rarely looks again while a job is held."""

import math
import re

from loadmaster.live.slurm.listing import ListedJob
from loadmaster.live.slurm.work import ENDED, is_over
from loadmaster.model.awaited_jobs import UNTIL, AwaitedJob, Awaits
from loadmaster.model.dependencies import KINDS, SINGLETON, parse_dependency
from loadmaster.model.errors import InputError

_AFTER, _AFTERANY, _AFTEROK, _AFTERNOTOK, _AFTERCORR = (
    KINDS.index(kind) for kind in ("after", "afterany", "afterok", "afternotok", "aftercorr")
)
_FAILED = re.compile(r"([a-z]+):([0-9]+)(?:_([0-9]+))?(?:\+[0-9]+)?\(failed\)")
"""Of a job that was released once, Slurm marks what can not come any more."""
MOST_REMEMBERED = 200_000


class KnownEnds:
    """How jobs ended that the listing no longer has, by job or array, then by task or -1."""

    def __init__(self) -> None:
        self._ended: dict[int, dict[int, str]] = {}
        self._alive: dict[int, list[ListedJob]] = {}
        self._namesakes: dict[tuple[str, str], list[ListedJob]] = {}

    def look(self, rows: list[ListedJob]) -> None:
        """A new listing."""
        self._alive, self._namesakes = {}, {}
        for row in rows:
            number = int(row["ArrayJobID"] or row["JobID"])
            if is_over(row):
                self._ended.setdefault(number, {})[row.task] = ENDED[row["State"]]
            else:
                self._alive.setdefault(number, []).append(row)
                self._namesakes.setdefault((row["UserName"], row["Name"]), []).append(row)
                self._ended.get(number, {}).pop(row.task, None)  # it was sent back to the queue
        while len(self._ended) > MOST_REMEMBERED:
            self._ended.pop(next(iter(self._ended)))

    def ready_s(self, row: ListedJob) -> float:
        """When the job may start as far as others go: 0 or a moment; infinite as long as it has to wait.

        A job that neither listing nor memory knows has ended long ago: it is taken for met, as Slurm does, which will
        look once more when the job is released; unless Slurm has marked it as failed.
        """
        parts, one_is_enough = self._parts(row)
        return _all_met_s([met_s for met_s, _ in parts], one_is_enough)

    def awaits(self, row: ListedJob) -> Awaits | None:
        """What it waits for in other jobs; None if that is nothing, or cannot be read."""
        parts, one_is_enough = self._parts(row)
        still = tuple(job for _, job in parts if job is not None)
        waits = _all_met_s([met_s for met_s, _ in parts], one_is_enough) == math.inf
        return Awaits(row.id, still, one_is_enough) if still and waits else None

    def _parts(self, row: ListedJob) -> tuple[list[tuple[float, AwaitedJob | None]], bool]:
        """Of each dependency when it was met, infinite as long as it is not, and then the job that it waits for."""
        text = row["Dependency"]
        try:
            parts, one_is_enough = parse_dependency(text)
        except InputError:
            return [(math.inf, None)], False
        return [self._part(row, *part) for part in parts], one_is_enough

    def _part(self, row: ListedJob, kind: int, on: int, task: int, delay_s: float) -> tuple[float, AwaitedJob | None]:
        if kind == SINGLETON:
            return (math.inf, AwaitedJob("", "end")) if self._has_namesake_before(row) else (0.0, None)
        failed = _FAILED.findall(row["Dependency"].replace("_*", ""))
        marked = (KINDS[kind], str(on), str(task) if task >= 0 else "") in failed
        if kind == _AFTERCORR:
            kind, task = _AFTEROK, row.task
        met_s, never = (math.inf, True) if marked else self._met_s(kind, on, task, delay_s)
        name = str(on) if task < 0 else f"{on}_{task}"
        return met_s, AwaitedJob(name, UNTIL[kind], never) if met_s == math.inf else None

    def _has_namesake_before(self, row: ListedJob) -> bool:
        """Whether a job of the same user and name runs, or waits with a smaller number; not of the same array."""
        return any(
            other["State"] != "PENDING" or int(other["JobID"]) < int(row["JobID"])
            for other in self._namesakes.get((row["UserName"], row["Name"]), [])
            if (other["ArrayJobID"] or other["JobID"]) != (row["ArrayJobID"] or row["JobID"])
        )

    def _met_s(self, kind: int, on: int, task: int, delay_s: float) -> tuple[float, bool]:
        """When one was met, infinite as long as it is not; and whether it can not be any more."""
        alive = [other for other in self._alive.get(on, []) if task < 0 or other.task == task]
        ended = [how for each, how in self._ended.get(on, {}).items() if task in (-1, each)]
        well = all(how == "ok" for how in ended)
        if kind == _AFTEROK and not well:
            return math.inf, True
        if kind == _AFTER:
            waiting = any(other["State"] in ("PENDING", "REQUEUED", "REQUEUE_HOLD") for other in alive)
            begun = [float(other["StartTime"]) for other in alive if other["StartTime"].isdecimal()]
            return (math.inf if waiting else max(begun, default=0.0) + delay_s), False
        if alive:
            return math.inf, False
        never = kind == _AFTERNOTOK and bool(ended) and well
        return (math.inf if never else 0.0), never


def _all_met_s(times: list[float], one_is_enough: bool) -> float:
    return (min(times) if one_is_enough else max(times)) if times else 0.0
