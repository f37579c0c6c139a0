"""Slurm's two loops, compiled: the passes that are due, and the main pass of them (rules Q13 and Q14)."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.backfilling.board_arrays import NOTED
from loadmaster.backfilling.board_kernel import begin_pass, start
from loadmaster.backfilling.rows_kernel import next_row, walk_again, within_limits
from loadmaster.backfilling.slurm_arrays import BACKFILL, MAIN_MOST
from loadmaster.backfilling.slurm_backfill_kernel import backfill_pass, waits_for_now_only
from loadmaster.kernels import inner
from loadmaster.lent import lend
from loadmaster.place.room_kernel import close, reopen


def serve_slurm(rows, hosts, ends, calendar, room, board, standing, moments, outlook, scores, scan, rate, now, rules):
    """The same as `Slurm.serve`, but for its clock; `rules` are a `SlurmPass`."""
    rows, hosts, ends, calendar = lend(rows), lend(hosts), lend(ends), lend(calendar)
    room, board, outlook, scores = lend(room), lend(board), lend(outlook), lend(scores)
    now, slurm = lend(now), lend(rules)
    begin_pass(rows, hosts, ends, room, board, None, outlook, now)
    board.tally[NOTED] = 1
    if slurm.due[MAIN_MOST] != -2:
        _main_pass(rows, hosts, calendar, room, board, outlook, scores, scan, rate, now, slurm)
    if slurm.due[BACKFILL]:
        reopen(room)
        board.array_passed[:] = 0
        walk_again(board)
        backfill_pass(rows, hosts, ends, calendar, room, board, outlook, scores, scan, rate, now, slurm)


@inner
def _main_pass(rows, hosts, calendar, room, board, outlook, scores, scan, rate, now, slurm):
    """The same as `slurm_main.main_pass`."""
    tried, started, most, rules = 0, 0, slurm.due[MAIN_MOST], slurm.rules
    row = next_row(rows, board, now, True, False)
    while row >= 0:
        part = rows.of[row].partition
        slurm.tried[part].seen += 1
        if rules.depth == 0 or slurm.tried[part].seen <= rules.depth:
            if 0 <= most <= tried:
                return
            tried += 1
            if not slurm.tried[part].blocked:
                if not within_limits(rows, board, row):
                    slurm.tried[part].blocked = rules.limit_stop
                elif start(
                    rows, hosts, calendar, room, board, None, outlook, scores, scan, rate, now, row, board.everywhere
                ):  # fmt: skip
                    started += 1
                    if started == rules.max_start:
                        return
                elif not waits_for_now_only(rows, now, slurm, row):
                    slurm.tried[part].blocked = True
                    if slurm.partitions.shape[0] > 0:
                        close(room, slurm.partitions[part])
                    else:
                        close(room, hosts.allowed[rows.of[row].hosts])
        row = next_row(rows, board, now, True, False)
