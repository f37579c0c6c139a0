"""Slurm's `SchedulerParameters`, by Slurm's own names and with its own defaults (release 22.05; rule Q13)."""

from dataclasses import dataclass, fields

from loadmaster.model.errors import InputError


@dataclass(frozen=True)
class SlurmParameters:
    """Times are in seconds, except `bf_window` and `over_time_limit` (minutes) and `sched_min_interval` (microseconds).

    A count of 0 is no limit. Parameters that would change nothing here are left out: they bound the time that a pass
    takes (`bf_max_time`, `bf_continue`), or concern licences (`bf_licenses`).

    Attributes:
        default_queue_depth: how many jobs, plus one, the main pass at an event tries.
        sched_interval: the main pass tries the whole queue at multiples of it; None never.
        sched_min_interval: main passes are at least so far apart.
        partition_job_depth: how many jobs of a partition the main pass tries.
        sched_max_job_start: how many jobs the main pass starts.
        batch_sched_delay: a job that arrives waits for a main pass until so long after the last one.
        defer: a job's end waits likewise.
        assoc_limit_stop: a job beyond a limit blocks its partition.
        bf_interval: a backfill pass runs at multiples of it; None never.
        bf_resolution: reservations begin and end on multiples of it.
        bf_window: how far ahead a reservation may start.
        bf_window_linear: the ends of running jobs are grouped in windows, each longer than the last by so much; 0:
            windows double.
        bf_max_job_test: how many jobs the backfill pass tries.
        bf_max_job_user, bf_max_job_part, bf_max_job_user_part, bf_max_job_assoc: and how many of a user, a partition, a
            user in a partition, a user in an account.
        bf_max_job_start: how many jobs the backfill pass starts.
        bf_min_age_reserve, bf_min_prio_reserve: younger jobs, and jobs of a lower priority (minus their rank), may
            start now but get no reservation.
        bf_job_part_count_reserve: nor do a partition's jobs after so many reservations there.
        bf_max_job_array_resv: nor do tasks of an array after so many reservations.
        bf_one_resv_per_job: a job that waits in several partitions has a reservation in one of them.
        bf_running_job_reserve: running jobs on whole hosts are entered into the table of reservations.
        kill_wait, over_time_limit: how long a job may outlive its limit; `over_time_limit` None is for ever.
    """

    default_queue_depth: int = 100
    sched_interval: int | None = 60
    sched_min_interval: int = 2
    partition_job_depth: int = 0
    sched_max_job_start: int = 0
    batch_sched_delay: int = 3
    defer: bool = False
    assoc_limit_stop: bool = False
    bf_interval: int | None = 30
    bf_resolution: int = 60
    bf_window: int = 1440
    bf_window_linear: int = 0
    bf_max_job_test: int = 500
    bf_max_job_user: int = 0
    bf_max_job_part: int = 0
    bf_max_job_user_part: int = 0
    bf_max_job_assoc: int = 0
    bf_max_job_start: int = 0
    bf_min_age_reserve: int = 0
    bf_min_prio_reserve: int = 0
    bf_job_part_count_reserve: int = 0
    bf_max_job_array_resv: int = 20
    bf_one_resv_per_job: bool = False
    bf_running_job_reserve: bool = False
    kill_wait: int = 30
    over_time_limit: int | None = 0

    def __post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise InputError(f"{name}={value}", f"from {least} to {most}, as in Slurm")
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not isinstance(value, bool) and value < 0:
                raise InputError(f"{field.name}={value}", "zero or more; none for what slurm.conf turns off with -1")


_RANGES = {
    "bf_interval": (1, 10_800), "bf_resolution": (1, 3600), "bf_window": (1, 43_200), "bf_max_job_test": (1, 1_000_000),
    "bf_max_job_start": (0, 10_000), "bf_min_age_reserve": (0, 2_592_000), "bf_min_prio_reserve": (0, 2**32 - 1),
    "bf_job_part_count_reserve": (0, 100_000), "bf_max_job_array_resv": (0, 1000),
    "sched_interval": (1, 10**9),
}  # fmt: skip
