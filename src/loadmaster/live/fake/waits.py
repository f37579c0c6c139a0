"""Jobs of a fake cluster that can never start any more, because a dependency of theirs has failed."""

from collections.abc import Callable, Mapping, Set
from itertools import chain

import numpy as np

from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.model.awaited_jobs import UNTIL, AwaitedJob, Awaits
from loadmaster.model.dependencies import KINDS
from loadmaster.scheduling.dependencies import waits_of
from loadmaster.scheduling.resolved_constraints import binds, resolve_constraints

_WELL = (KINDS.index("afterok"), KINDS.index("aftercorr"))
_BADLY, _AFTER = KINDS.index("afternotok"), KINDS.index("after")


class FakeWaits:
    """What keeps the jobs of a log from starting on these hosts, by their numbers; their names are `ids`."""

    def __init__(self, workload: Workload, cluster: Cluster, ids: list[str]) -> None:
        self._ids = ids
        self._waits = waits_of(workload, workload.constraints or Constraints())
        self._never = np.zeros(workload.jobs, bool)
        if binds(workload, cluster):
            self._never = resolve_constraints(workload, cluster).never > 0

    def in_vain(self, job: int, over: Mapping[str, tuple[float, str]]) -> Awaits | None:
        """What a job waits for that can not come any more, so that it never starts; `over`: how others have ended."""
        missed = [self._missed(kind, on, over) for kind, on in self._dependencies(job)]
        one = bool(self._waits.one_is_enough[job])
        lost = all(missed) and not self._waits.single[job] if one else any(missed)
        return Awaits(self._ids[job], tuple(chain.from_iterable(missed)), one) if missed and lost else None

    def has_come(self, job: int, over: Mapping[str, tuple[float, str]], begun: Callable[[int], bool]) -> bool:
        """Whether a job may start and what it waits for has come, delays and singletons aside; `begun`: another has."""
        came = [
            all(
                (kind == _AFTER and begun(other))
                or (self._ids[other] in over and not _is_contrary(kind, over[self._ids[other]][1]))
                for other in on
            )
            for kind, on in self._dependencies(job)
        ]
        if self._never[job]:
            return False
        return not came or (any(came) if self._waits.one_is_enough[job] else all(came))

    def stuck(self, waiting: Set[int], over: Mapping[str, tuple[float, str]]) -> set[int]:
        """Those of `waiting` that never start: held, admitted nowhere, waiting in vain, or for one of these."""
        stuck_jobs = {job for job in waiting if self._never[job] or self.in_vain(job, over) is not None}
        while True:
            more = {job for job in waiting - stuck_jobs if self._waits_for(job, stuck_jobs)}
            if not more:
                return stuck_jobs
            stuck_jobs |= more

    def _waits_for(self, job: int, those: Set[int]) -> bool:
        bars = [any(other in those for other in on) for _, on in self._dependencies(job)]
        if self._waits.one_is_enough[job]:
            return bool(bars) and all(bars) and not self._waits.single[job]
        return any(bars)

    def _missed(self, kind: int, on: list[int], over: Mapping[str, tuple[float, str]]) -> list[AwaitedJob]:
        """Those of the jobs `on` that have ended otherwise than a dependency of that kind waits for."""
        names = (self._ids[other] for other in on)
        ended = [name for name in names if name in over and _is_contrary(kind, over[name][1])]
        return [AwaitedJob(name, UNTIL[kind], never=True) for name in ended]

    def _dependencies(self, job: int) -> list[tuple[int, list[int]]]:
        """The kind of each dependency of a job, and the jobs that it names."""
        waits = self._waits
        rows = range(int(waits.first[job]), int(waits.first[job + 1]))
        return [(int(waits.kind[d]), waits.on[waits.first_on[d] : waits.first_on[d + 1]].tolist()) for d in rows]


def _is_contrary(kind: int, status: str) -> bool:
    """Whether a job that has ended so is not what a dependency of that kind waits for."""
    return status != "ok" if kind in _WELL else kind == _BADLY and status == "ok"
