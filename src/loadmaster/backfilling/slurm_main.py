"""Slurm's main pass: start jobs in their order; who finds no hosts takes the hosts of the partition out of the pass."""

from collections import Counter

from loadmaster.backfilling.scheduling_pass import Board
from loadmaster.backfilling.slurm_parameters import SlurmParameters


def main_pass(rules: SlurmParameters, board: Board, most: int | None) -> None:
    """Try the first `most` jobs, None all (rule Q14).

    Jobs of a blocked partition count as tried, those beyond a partition's depth do not.
    """
    tried, started = 0, 0
    of_partition: Counter[int] = Counter()
    blocked: set[int] = set()
    for row in board.rows(beyond_limits=True):
        part = board.partition(row)
        of_partition[part] += 1
        if 0 < rules.partition_job_depth < of_partition[part]:
            continue
        if most is not None and tried >= most:
            return
        tried += 1
        if part in blocked:
            continue
        if not board.within_limits(row):
            if rules.assoc_limit_stop or board.snapshot.limits_stop:
                blocked.add(part)
        elif board.start(row):
            started += 1
            if started == rules.sched_max_job_start:
                return
        elif not waits_for_now_only(rules, board, row):
            blocked.add(part)
            board.close(board.hosts_of_partition(row))


def waits_for_now_only(rules: SlurmParameters, board: Board, row: int) -> bool:
    """Whether the job is too young, or of too low a priority, for anything to be kept free for it."""
    queue = board.snapshot.queue
    if queue.no_reserve is not None and queue.no_reserve[row]:
        return True
    if rules.bf_min_prio_reserve and queue.rank is not None and -queue.rank[row] < rules.bf_min_prio_reserve:
        return True
    young = queue.eligible_s is not None and board.now_s - queue.eligible_s[row] < rules.bf_min_age_reserve
    return bool(young)
