"""The state of preemption beside the general pass: which jobs may stop which, and which are stopped (rule C8)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.constraints import Constraints
from loadmaster.model.site_rules import Partition, Qos, SiteRules
from loadmaster.scheduling.host_eligibility import qos_names
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints
from loadmaster.scheduling.snapshot_arrays import table
from loadmaster.sim.queue.engine.constraint_arrays import open_rows
from loadmaster.sim.queue.plain.victims import may_stop, mode_of, victim_rank

OFF, REQUEUE, CANCEL, SUSPEND = range(4)
"""What happens to a victim."""
_MODES = ("off", "requeue", "cancel", "suspend")
NEVER, ALWAYS, IF_OUTRANKED = range(3)
"""Whether a job of one class may stop a job of another."""
Records = NDArray[np.void]
VICTIM = np.dtype([("exempt_s", "f8"), ("grace_s", "f8"), ("worth", "i8"), ("kind", "i4"), ("mode", "i4")], align=True)
"""Of a row: how long it runs before it may be stopped, its grace time, how dear it is, its class, a mode."""
NOTICE = np.dtype([("well", "?"), ("teaches", "?"), ("given", "?"), ("leaves", "?"), ("preempted", "?")], align=True)
"""Of a job: how it would have ended, and whether that end would have been used for predictions; whether it has
notice to end; whether it leaves its hosts now; whether it has ended for another."""
SUSPENDED = np.dtype(
    [("end_s", "f8"), ("expected_end_s", "f8"), ("began_s", "f8"), ("job", "i4"), ("preemptor", "i4")], align=True
)
"""A suspended job, the job for which it was suspended, and its times counted from that moment."""


class PreemptionState(NamedTuple):
    """E rows of J jobs in C classes, H hosts.

    Attributes:
        may: int64[C, C], a constant of above for (own, other); able: bool[C], some class may be stopped.
        victim: VICTIM[E]; priority: float64[J].
        notices: NOTICE[J].
        running: int32[J], jobs in the order of their starts.
        key, heap, order, trial, chosen: float64[J], int32[J] each, scratch: a heap, candidates in their order, as they
            are tried, and those chosen.
        leaving, preemptor: int32[J] each, the jobs that leave or get notice, and the jobs for which they do.
        suspended: SUSPENDED[J]; is_suspended: bool[J].
        seen, taken, held: int64[H] each, scratch: marks, and how many tasks of the job at hand a host holds.
        youngest_first, reorder_count: as `Preemption` names them; exact_ends: a pass looks at when tasks end.
        number: int64[8], see below.
    """

    may: Longs
    able: Bools
    victim: Records
    priority: Floats
    notices: Records
    running: Ints
    key: Floats
    heap: Ints
    order: Ints
    trial: Ints
    chosen: Ints
    leaving: Ints
    preemptor: Ints
    suspended: Records
    is_suspended: Bools
    seen: Longs
    taken: Longs
    held: Longs
    youngest_first: bool
    reorder_count: int
    exact_ends: bool
    number: Longs


RUNNING, CHOSEN, LEAVING, STAMP, TAKEN, HANDLED, BACK, QUEUED, FIRST = range(9)
"""Running jobs; chosen; leaving; the last mark; the mark of the hosts taken in the last trial; 1 if the victims of
this pass are decided; jobs that came back into the queue; the queue length before that; 1 if one row started before
all others."""


def preempts_of(
    workload: Workload, cluster: Cluster, binding: ResolvedConstraints, *, exact_ends: bool
) -> PreemptionState | None:
    """The state before any job runs; None where no job is ever stopped for another.

    All lists of jobs have room for each job once: a job runs, or is suspended, once at a time, candidates are running
    jobs,
    and a chosen job (`given`, `leaves`) is no candidate any more.
    """
    rules = binding.rules
    if rules.preemption.by == "none":
        return None
    rows, jobs, hosts = open_rows(binding), workload.jobs, cluster.hosts
    owner, partition = binding.entries.job[rows], binding.entries.partition[rows]
    bound = workload.constraints or Constraints()
    known: dict[str | None, Qos] = {qos.name: qos for qos in rules.qos}
    qos = [known.get(name) for name in qos_names(workload, rules, bound)]
    kinds, kind = _classes(rules, [qos[job] for job in owner], partition.tolist())
    may = _may(rules, kinds)
    victim = table(VICTIM, len(rows))
    for row, (job, number) in enumerate(zip(owner.tolist(), kind, strict=True)):
        victim[row] = (
            *_victim(rules, *kinds[number]),
            number,
            _mode(rules, *kinds[number], bool(binding.requeue[job])),
        )
    by, bound_priority = rules.preemption, bound.priority
    return PreemptionState(
        may=may,
        able=np.asarray((may != NEVER).any(axis=1)),
        victim=victim,
        priority=np.zeros(jobs) if bound_priority is None else np.array(bound_priority, np.float64),
        notices=table(NOTICE, jobs),
        running=np.zeros(jobs, np.int32),
        key=np.zeros(jobs),
        heap=np.zeros(jobs, np.int32),
        order=np.zeros(jobs, np.int32),
        trial=np.zeros(jobs, np.int32),
        chosen=np.zeros(jobs, np.int32),
        leaving=np.zeros(jobs, np.int32),
        preemptor=np.zeros(jobs, np.int32),
        suspended=table(SUSPENDED, jobs),
        is_suspended=np.zeros(jobs, np.bool_),
        seen=np.zeros(hosts, np.int64),
        taken=np.zeros(hosts, np.int64),
        held=np.zeros(hosts, np.int64),
        youngest_first=by.youngest_first,
        reorder_count=by.reorder_count,
        exact_ends=exact_ends,
        number=np.zeros(9, np.int64),
    )


_Class = tuple[Qos | None, Partition | None]


def _classes(rules: SiteRules, qos: list[Qos | None], partition: list[int]) -> tuple[list[_Class], list[int]]:
    """The pairs of QOS and partition that occur, and the pair of each row."""
    numbers: dict[tuple[str | None, int], int] = {}
    kinds: list[_Class] = []
    kind = []
    for own, part in zip(qos, partition, strict=True):
        key = (own.name if own else None, part if rules.partitions else 0)
        if key not in numbers:
            numbers[key] = len(kinds)
            kinds.append((own, rules.partitions[part] if rules.partitions else None))
        kind.append(numbers[key])
    return kinds, kind


def _may(rules: SiteRules, kinds: list[_Class]) -> Longs:
    may = np.full((len(kinds), len(kinds)), NEVER, np.int64)
    for own, (qos, partition) in enumerate(kinds):
        for other, (other_qos, other_part) in enumerate(kinds):
            tiers = (partition.tier if partition else 1, other_part.tier if other_part else 1)
            if may_stop(rules, qos, other_qos, tiers, outranks=False):
                may[own, other] = ALWAYS
            elif may_stop(rules, qos, other_qos, tiers, outranks=True):
                may[own, other] = IF_OUTRANKED
    return may


def _victim(rules: SiteRules, qos: Qos | None, partition: Partition | None) -> tuple[float, float, int]:
    usual = rules.preemption.exempt_s
    exempt_s = usual if qos is None or qos.exempt_s is None else qos.exempt_s
    holder = qos if rules.preemption.by == "qos" else partition
    return exempt_s, holder.grace_s if holder else 0.0, victim_rank(rules, qos, partition)


def _mode(rules: SiteRules, qos: Qos | None, partition: Partition | None, requeue: bool) -> int:
    return _MODES.index(mode_of(rules, qos, partition, requeue=requeue))
