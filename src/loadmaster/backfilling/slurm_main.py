"""Slurm's main pass: start jobs in their order; a job that finds no hosts closes the hosts of its partition."""

from collections import Counter

from loadmaster.backfilling.scheduling_pass import SchedulingPass
from loadmaster.backfilling.slurm_parameters import SlurmParameters


def main_pass(rules: SlurmParameters, this_pass: SchedulingPass, most: int | None) -> None:
    """Try the first `most` jobs, None all (rule Q14).

    Jobs of a blocked partition count as tried, those beyond a partition's depth do not.
    """
    tried, started = 0, 0
    of_partition: Counter[int] = Counter()
    blocked: set[int] = set()
    for row in this_pass.rows(beyond_limits=True):
        part = this_pass.partition(row)
        of_partition[part] += 1
        if 0 < rules.partition_job_depth < of_partition[part]:
            continue
        if most is not None and tried >= most:
            return
        tried += 1
        if part in blocked:
            continue
        if not this_pass.within_limits(row):
            stops = rules.assoc_limit_stop or this_pass.snapshot.limits_stop
            if stops and not this_pass.lacks_cluster_wide_alone(row):
                blocked.add(part)
        elif this_pass.start(row):
            started += 1
            if started == rules.sched_max_job_start:
                return
        elif not waits_for_now_only(rules, this_pass, row):
            blocked.add(part)
            this_pass.close(this_pass.hosts_of_partition(row))


def waits_for_now_only(rules: SlurmParameters, this_pass: SchedulingPass, row: int) -> bool:
    """Whether the job is too young, or of too low a priority, for a reservation."""
    queue = this_pass.snapshot.queue
    if queue.no_reserve is not None and queue.no_reserve[row]:
        return True
    if rules.bf_min_prio_reserve and queue.rank is not None and -queue.rank[row] < rules.bf_min_prio_reserve:
        return True
    young = queue.eligible_s is not None and this_pass.now_s - queue.eligible_s[row] < rules.bf_min_age_reserve
    return bool(young)
