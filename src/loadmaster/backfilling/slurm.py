"""Slurm's two loops: a main pass over the front of the queue at each event, and a backfill pass at intervals."""

from dataclasses import dataclass
from math import inf

from loadmaster.backfilling.releases import right_after
from loadmaster.backfilling.scheduling_pass import SchedulingPass
from loadmaster.backfilling.slurm_backfill import backfill_pass
from loadmaster.backfilling.slurm_main import main_pass
from loadmaster.backfilling.slurm_parameters import SlurmParameters
from loadmaster.model.snapshot import NextLoops, Snapshot
from loadmaster.model.time_grid import at_or_after


@dataclass(frozen=True)
class Slurm(SlurmParameters):
    """Slurm's scheduling as `SchedulerParameters` set it (rules Q13 to Q15); see `SlurmParameters` for every one.

    When a job ends, the main pass looks at the front of the queue at once. When a job arrives, it does so no sooner
    than `batch_sched_delay` after the last look. At whole multiples of `sched_interval` it looks at the whole queue,
    and at multiples of `bf_interval` the backfill pass runs: both only if something has happened since their last time.
    """

    @property
    def most_tried(self) -> int | None:
        """The number of waiting jobs that every pass tries; beyond it some may not be tried. None: all are."""
        counts = (
            self.default_queue_depth,
            self.partition_job_depth,
            self.bf_max_job_test,
            self.bf_max_job_user,
            self.bf_max_job_part,
            self.bf_max_job_user_part,
            self.bf_max_job_assoc,
        )
        return min((count for count in counts if count > 0), default=None)

    def serve(self, this_pass: SchedulingPass) -> None:
        """Run the passes that are due."""
        clock, now_s = self.due(this_pass.snapshot), this_pass.now_s
        if clock.full_s <= now_s or clock.main_s <= now_s:
            main_pass(self, this_pass, None if clock.full_s <= now_s else self.default_queue_depth + 1)
        if clock.backfill_s <= now_s:
            backfill_pass(self, this_pass)
        this_pass.clock = self.following(clock, now_s, changed=bool(this_pass.started))
        this_pass.wake_s = min(this_pass.wake_s, this_pass.clock.next_s)

    def due(self, snapshot: Snapshot) -> NextLoops:
        """When each pass is due, after the latest events."""
        clock, now_s = snapshot.clock, snapshot.now_s
        arrived, ended = snapshot.arrived, snapshot.ended
        if not (arrived or ended):
            return clock
        soonest = now_s if ended and not self.defer else max(now_s, clock.last_s + self.batch_sched_delay)
        spaced = max(soonest, clock.last_s + self.sched_min_interval // 1000 / 1000)  # a clock keeps its milliseconds
        return clock._replace(
            main_s=min(clock.main_s, spaced),
            full_s=min(clock.full_s, _on_grid(now_s, self.sched_interval)),
            backfill_s=min(clock.backfill_s, _on_grid(now_s, self.bf_interval)),
        )

    def following(self, clock: NextLoops, now_s: float, *, changed: bool) -> NextLoops:
        """When each pass is due next, after those of now."""
        looked = min(clock.main_s, clock.full_s) <= now_s
        last_s = now_s if looked else clock.last_s
        main_s = inf if looked else clock.main_s
        full_s, backfill_s = (inf if due_s <= now_s else due_s for due_s in (clock.full_s, clock.backfill_s))
        if changed:
            later = right_after(now_s)
            full_s = min(full_s, _on_grid(later, self.sched_interval))
            backfill_s = min(backfill_s, _on_grid(later, self.bf_interval))
        return NextLoops(last_s, main_s, full_s, backfill_s)


def _on_grid(time_s: float, interval_s: float | None) -> float:
    return inf if interval_s is None else at_or_after(time_s, interval_s)
