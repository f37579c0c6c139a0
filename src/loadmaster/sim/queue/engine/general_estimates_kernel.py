"""What is expected of jobs that constraints bind, where that is not known before: predicted as they arrive, corrected.

The same as `loadmaster.scheduling.predictions` (rules E2 and E3), over what a run keeps for the compiled board.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks, first_after
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.estimates_kernel import NONE, corrected


@inner
def hear_end(bound, desk, job, end_s):
    """`job` has come to its end: what it took tells something of its user's next ones."""
    guess = desk.guess
    if not guess.predicts:
        return
    predict(bound, desk, end_s, False)
    user = guess.user[job]
    if desk.teaches[job] and user >= 0:
        guess.older_s[user] = guess.newer_s[user]
        guess.newer_s[user] = desk.runtime_s[job]
        guess.ended[user] += 1


@inner
def predict(bound, desk, time_s, inclusive):
    """Jobs arrive before `time_s`, or at that moment too: they are predicted by their user's last two."""
    guess = desk.guess
    if not guess.predicts:
        return
    job = guess.arrived[0]
    while job < bound.job.shape[0] - 1:
        submit_s = bound.job[job].submit_s
        if submit_s > time_s or (submit_s == time_s and not inclusive):
            break
        user = guess.user[job]
        if user >= 0 and guess.ended[user] >= 2:
            mean_s = (guess.older_s[user] + guess.newer_s[user]) / 2.0
            guess.expected_s[job] = min(mean_s, guess.expected_s[job])
            for row in range(bound.job[job].rows, bound.job[job + 1].rows):
                desk.rows.of[row].expected_s = desk.row_expected_s[row] = guess.expected_s[job]
        job += 1
    guess.arrived[0] = job


@inner
def correct(jobs, desk, log, now):
    """Expect something else of the running jobs whose expected end has come."""
    guess, ends = desk.guess, desk.ends
    if guess.corrects == NONE:
        return
    many, last = np.int64(0), np.int64(-1)
    for i in range(first_after(ends, now)):
        if desk.runs[i] != last:
            last = np.int64(desk.runs[i])
            guess.moved[many] = last
            many += 1
    for n in range(many):
        job = np.int64(guess.moved[n])
        end_s = corrected(guess, job, desk.began_s[job], desk.pace[job], now)
        if end_s != desk.expected_end_s[job]:
            row = np.int64(desk.started_as[job])
            drop_tasks(ends, desk.runs, desk.expected_end_s[job], job)
            desk.expected_end_s[job] = end_s
            kind, first = desk.rows.of[row].kind, jobs.first_task[row]
            hosts = log.host[first : first + jobs.tasks[row]]
            add_tasks(ends, desk.runs, hosts, end_s, log.start_s[job], kind, job)


@inner
def next_expiry_s(desk, now):
    """The first expected end of a running job that is not past, if that is a moment of decision; else infinite."""
    at = first_after(desk.ends, now)
    if not desk.guess.expires or at == desk.ends.many[0]:
        return np.inf
    return desk.ends.end[at].end_s
