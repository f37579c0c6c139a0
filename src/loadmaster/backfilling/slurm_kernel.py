"""Slurm's two loops, compiled: the passes that are due, and the main pass of them (rules Q13 and Q14)."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.pass_arrays import NOTED
from loadmaster.backfilling.pass_rows_kernel import lacks_cluster_wide_alone, next_row, walk_again, within_limits
from loadmaster.backfilling.scheduling_pass_kernel import begin_pass, start
from loadmaster.backfilling.slurm_arrays import BACKFILL, MAIN_MOST
from loadmaster.backfilling.slurm_backfill_kernel import backfill_pass
from loadmaster.backfilling.slurm_reservation_kernel import waits_for_now_only
from loadmaster.jit.kernels import inner
from loadmaster.place.room_kernel import close, is_exhausted, reopen


def serve_slurm(view, standing, shadow_times, availability, scan, rate, now, rules):
    """The same as `Slurm.serve`, but for its clock; `rules` are a `SlurmPass`."""
    slurm = rules
    begin_pass(view, None, availability, now)
    view.this_pass.tally[NOTED] = 1
    if slurm.due[MAIN_MOST] != -2:
        _main_pass(view, availability, scan, rate, now, slurm)
    if slurm.due[BACKFILL]:
        if slurm.due[MAIN_MOST] != -2:
            reopen(view.room)
        view.this_pass.array_passed[:] = 0
        walk_again(view.this_pass)
        backfill_pass(view, availability, scan, rate, now, slurm)


@inner
def _main_pass(view, availability, scan, rate, now, slurm):
    """The same as `slurm_main.main_pass`."""
    tried, started, most, rules = 0, 0, slurm.due[MAIN_MOST], slurm.rules
    row = next_row(view.rows, view.this_pass, now, True, False)
    while row >= 0 and not is_exhausted(view.room):
        part = view.rows.of[row].partition
        slurm.tried[part].seen += 1
        if rules.depth == 0 or slurm.tried[part].seen <= rules.depth:
            if 0 <= most <= tried:
                return
            tried += 1
            if not slurm.tried[part].blocked:
                if not within_limits(view.rows, view.this_pass, row, 0):
                    licences_alone = lacks_cluster_wide_alone(view.rows, view.this_pass, now, row)
                    slurm.tried[part].blocked = rules.limit_stop and not licences_alone
                elif start(view, None, availability, scan, rate, now, row, view.this_pass.everywhere):
                    started += 1
                    if started == rules.max_start:
                        return
                elif not waits_for_now_only(view.rows, now, slurm, row):
                    slurm.tried[part].blocked = True
                    if slurm.partitions.shape[0] > 0:
                        close(view.room, slurm.partitions[part])
                    else:
                        close(view.room, view.hosts.allowed[view.rows.of[row].hosts])
        row = next_row(view.rows, view.this_pass, now, True, False)
