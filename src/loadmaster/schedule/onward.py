"""Works a queue off from where it stands, as if nobody came any more: compiled where that is known."""

from dataclasses import replace

import numpy as np

from loadmaster.backfilling.easy_kernel import serve_easy
from loadmaster.compiled_order import ranker, refusing_order
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.snapshot import Snapshot
from loadmaster.order import JobColumns, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place import Policy
from loadmaster.schedule.compiled_decide import rule_of
from loadmaster.schedule.compiled_onward import as_taken, work_off_compiled
from loadmaster.schedule.discipline import Discipline
from loadmaster.schedule.onward_reference import work_off


def onward(
    snapshot: Snapshot, policy: Policy, discipline: Discipline, columns: JobColumns, lasts_s: Floats | None = None
) -> Floats:
    """When every row's job starts if nobody comes any more (rule Q19); NaN for those that never start.

    Args:
        snapshot: where things stand.
        policy: rates hosts.
        discipline: its order is a function of job and time.
        columns: what orders know of the rows of the queue.
        lasts_s: float64[Q], how long each really runs at speed 1; as long as expected if not given.

    Returns:
        float64[Q], seconds.

    Raises:
        InputError: policy or order fail.
    """
    lasts_s = snapshot.queue.expected_s if lasts_s is None else lasts_s
    seen = replace(snapshot, left=None, need=None, promises={}, queue=replace(snapshot.queue, uses=None))
    rule = rule_of(discipline.backfilling, seen) if type(discipline) is Discipline and type(policy) is Policy else None
    if rule is not None and rule.entry is serve_easy and type(discipline.order) is Order:
        ranks = ranks_of(discipline.order, columns, seen.now_s)
        start_s = work_off_compiled(seen, policy, discipline.order, rule, columns, ranks, lasts_s)
        if start_s is not None:
            return start_s
    return onward_plainly(seen, policy, discipline, columns, lasts_s)


def onward_plainly(
    snapshot: Snapshot, policy: Policy, discipline: Discipline, columns: JobColumns, lasts_s: Floats
) -> Floats:
    """The same in plain Python."""
    order = discipline.order
    assert isinstance(order, Order)

    def ranks(rows: Bools, now_s: float) -> Floats:
        return ranks_of(order, JobColumns._make(np.asarray(column)[rows] for column in columns), now_s)

    return work_off(snapshot, lambda seen: discipline.serve(seen, policy), ranks, lasts_s)


def ranks_of(order: Order, columns: JobColumns, now_s: float) -> Floats:
    """float64[Q]: the rank of each row.

    Raises:
        InputError: one of them is no finite number.
    """
    many = len(columns.submit_s)
    ranks = np.zeros(many)
    with refusing_order(order):
        wrong = ranker(order)(as_taken(columns), np.zeros(0, np.int32), many, float(now_s), ranks)
    if wrong:
        raise rank_not_finite(order.name)
    return ranks
