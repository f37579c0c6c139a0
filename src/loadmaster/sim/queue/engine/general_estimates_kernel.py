"""Expected runtimes of jobs with constraints that are not known before: predicted at arrival, corrected later.

The same as `loadmaster.scheduling.predictions` (rules E2 and E3), over the state of the general pass.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks, first_after, note_cards
from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.estimates_kernel import NONE, corrected


@inner
def record_end(bound, general, job, end_s):
    """Record the end of `job`: its runtime predicts its user's next jobs."""
    estimates = general.estimates
    if not estimates.predicts:
        return
    predict(bound, general, end_s, False)
    user = estimates.user[job]
    if general.teaches[job] and user >= 0:
        estimates.older_s[user] = estimates.newer_s[user]
        estimates.newer_s[user] = general.runtime_s[job]
        estimates.ended[user] += 1


@inner
def predict(bound, general, time_s, inclusive):
    """Predict the jobs that arrive before `time_s`, or at that moment too, by their user's last two jobs."""
    estimates = general.estimates
    if not estimates.predicts:
        return
    job = estimates.arrived[0]
    while job < bound.job.shape[0] - 1:
        submit_s = bound.job[job].submit_s
        if submit_s > time_s or (submit_s == time_s and not inclusive):
            break
        user = estimates.user[job]
        if user >= 0 and estimates.ended[user] >= 2:
            mean_s = (estimates.older_s[user] + estimates.newer_s[user]) / 2.0
            estimates.expected_s[job] = min(mean_s, estimates.expected_s[job])
            for row in range(bound.job[job].rows, bound.job[job + 1].rows):
                general.rows.of[row].expected_s = general.row_expected_s[row] = estimates.expected_s[job]
        job += 1
    estimates.arrived[0] = job


@inner
def correct(jobs, general, log, now):
    """Correct the estimates of running jobs whose expected end has come."""
    estimates, ends = general.estimates, general.ends
    if estimates.corrects == NONE:
        return
    many, last = np.int64(0), np.int64(-1)
    for i in range(first_after(ends, now)):
        if general.runs[i] != last:
            last = np.int64(general.runs[i])
            estimates.moved[many] = last
            many += 1
    for n in range(many):
        job = np.int64(estimates.moved[n])
        end_s = corrected(estimates, job, general.began_s[job], general.slowest_speed[job], now)
        if end_s != general.expected_end_s[job]:
            row = np.int64(general.started_as[job])
            drop_tasks(ends, general.runs, general.expected_end_s[job], job)
            general.expected_end_s[job] = end_s
            kind, first = general.rows.of[row].kind, jobs.first_task[row]
            hosts = log.host[first : first + jobs.tasks[row]]
            add_tasks(ends, general.runs, hosts, end_s, log.start_s[job], kind, job)
            if general.cards is not None:
                note_cards(ends, general.runs, end_s, job, general.cards.taken[first : first + jobs.tasks[row]])


@inner
def next_expiry_s(general, now):
    """The next expected end of a running job, if that is a moment of decision; else infinite."""
    at = first_after(general.ends, now)
    if not general.estimates.expires or at == general.ends.many[0]:
        return np.inf
    return general.ends.end[at].end_s
