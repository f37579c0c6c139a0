"""The results of a compiled run with constraints beside starts and hosts: ends, runs cut short, jobs that never ran."""

from dataclasses import replace

import numpy as np

from loadmaster.model import Cluster, Schedule
from loadmaster.model.arrays import Bools, Ints
from loadmaster.model.constraints import STATUSES
from loadmaster.model.schedule import Segments
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.sim.queue.engine.constraint_state import ABLE_REFUSED, CUTS, ConstraintState

_NODE_FAIL, _PREEMPTED = STATUSES.index("node_fail"), STATUSES.index("preempted")


class CutRuns:
    """The runs that were cut short, in the order of time."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, float, bool, list[int]]] = []
        self._going_on: dict[int, list[int]] = {}  # by job, the rows of its earlier runs that still count

    def keep(self, bound: ConstraintState, tasks: Ints) -> None:
        """Record the cut runs of the last steps; `tasks` int32[J] is the number of hosts of each job's run."""
        cut, at = bound.cut, 0
        for n in range(int(bound.tally[CUTS])):
            run = cut.run[n]
            job = int(run.job)
            hosts = cut.host[at : at + int(tasks[job])].tolist()
            if run.lost:
                for number in self._going_on.pop(job, ()):  # its earlier work is lost too
                    self._rows[number] = (*self._rows[number][:3], True, self._rows[number][4])
            else:
                self._going_on.setdefault(job, []).append(len(self._rows))
            self._rows.append((job, float(run.start_s), float(run.end_s), bool(run.lost), hosts))
            at += len(hosts)
        bound.tally[CUTS] = 0

    def segments(self) -> Segments | None:
        """All of these runs; None if there was none."""
        return Segments.of(self._rows) if self._rows else None


def bound_schedule(
    schedule: Schedule,
    binding: ResolvedConstraints,
    bound: ConstraintState,
    cut: CutRuns,
    cluster: Cluster,
    preempted: Bools | None = None,
) -> Schedule:
    """The schedule with the effects of constraints; `preempted` bool[J] marks jobs that ended for others."""
    assert cluster.speed is not None
    ended, segments = bound.job, cut.segments()
    status = np.where(ended.stopped[:-1], np.int32(_NODE_FAIL), np.int32(-1))
    if preempted is not None:
        status[preempted] = _PREEMPTED
    stopped = bool((status >= 0).any())
    sleep = len(bound.sleeping.tasks) > 0
    ends = stopped or sleep or segments is not None or schedule.end_s is not None or bool((cluster.speed != 1.0).any())
    return replace(
        schedule,
        end_s=np.array(ended.end_s[:-1]) if ends else None,
        status=status if stopped else None,
        segments=segments,
        never=binding.count_never(),
        refused=int(bound.tally[ABLE_REFUSED]),
        start_up_s=np.where(schedule.started, ended.start_up_s[:-1], 0.0) if sleep else None,
    )
