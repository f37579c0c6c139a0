"""Expected runtimes that are not known before the run: predicted as jobs arrive, corrected as time passes.

The same as `loadmaster.scheduling.predictions`, on hosts of speed 1 (rules E2 and E3).
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inner
from loadmaster.sim.queue.engine.expected_ends_kernel import add_end, next_end

NONE, STEPS, USER, DOUBLE = range(4)
"""How an estimate is corrected once it has passed."""
DOUBLINGS = 64


class Estimates(NamedTuple):
    """J jobs of U users; arrays of one element where nothing is predicted or corrected.

    Attributes:
        predicts: by the last two jobs of the user; corrects: as the constants above say; expires: an expected end that
            passes is a moment of decision.
        expected_s: float64[J], the first prediction: orders, queue and reservations read it too.
        user_s: float64[J], the user's own estimate.
        user: int32[J], -1 where unknown.
        older_s, newer_s: float64[U], the runtimes of each user's last two jobs; ended: int64[U], how many have ended.
        steps_s: float64[S], what is added to a first prediction.
        moved: int32[J], jobs whose expected end moves now.
        arrived: int64[1], how many jobs were predicted; last_s: float64[1], the moment before this one.
    """

    predicts: bool
    corrects: int
    expires: bool
    expected_s: NDArray[np.float64]
    user_s: NDArray[np.float64]
    user: NDArray[np.int32]
    older_s: NDArray[np.float64]
    newer_s: NDArray[np.float64]
    ended: NDArray[np.int64]
    steps_s: NDArray[np.float64]
    moved: NDArray[np.int32]
    arrived: NDArray[np.int64]
    last_s: NDArray[np.float64]


@inner
def predict_until(jobs, estimates, time_s, inclusive):
    """Predict the jobs that arrive before `time_s`, or at that moment too."""
    job = estimates.arrived[0]
    while job < jobs.submit_s.shape[0] and (
        jobs.submit_s[job] < time_s or (inclusive and jobs.submit_s[job] == time_s)
    ):
        user = estimates.user[job]
        if user >= 0 and estimates.ended[user] >= 2:
            mean_s = (estimates.older_s[user] + estimates.newer_s[user]) / 2.0
            estimates.expected_s[job] = min(mean_s, estimates.expected_s[job])
        job += 1
    estimates.arrived[0] = job


@inner
def note_end(jobs, estimates, job, end_s):
    """Record the end of `job` for its user's next predictions."""
    predict_until(jobs, estimates, end_s, False)
    user = estimates.user[job]
    if user >= 0:
        estimates.older_s[user] = estimates.newer_s[user]
        estimates.newer_s[user] = jobs.runtime_s[job]
        estimates.ended[user] += 1


@inner
def next_expiry(estimates, ends):
    """The first expected end of a running job that was not yet past at the moment before this one."""
    end_s, job, i, k = next_end(ends, ends.size[0], np.int64(0))
    while job >= 0 and end_s <= estimates.last_s[0]:
        end_s, job, i, k = next_end(ends, i, k)
    return end_s


@inner
def correct(estimates, ends, log, now):
    """Correct the estimates of running jobs whose expected end has come, as long as a later one is left."""
    moved = np.int64(0)
    at = ends.size[0]
    while at < ends.size[1] and ends.main_s[at] <= now:
        at += 1
    # overdue jobs of the long list: those without a later estimate stay, in order
    kept = at
    for i in range(at - 1, ends.size[0] - 1, -1):
        job = ends.main[i]
        if ends.running[job]:
            if corrected(estimates, job, log.start_s[job], 1.0, now) > now:
                estimates.moved[moved] = job
                moved += 1
            else:
                kept -= 1
                ends.main_s[kept] = ends.main_s[i]
                ends.main[kept] = job
    ends.size[0] = kept
    late = np.int64(0)
    for k in range(ends.size[2]):
        job = ends.late[k]
        passed = ends.running[job] and ends.late_s[k] <= now
        if passed and corrected(estimates, job, log.start_s[job], 1.0, now) > now:
            estimates.moved[moved] = job
            moved += 1
        else:
            ends.late_s[late] = ends.late_s[k]
            ends.late[late] = job
            late += 1
    ends.size[2] = late
    for n in range(moved):
        job = np.int64(estimates.moved[n])
        # corrected jobs are entered again only now, so no list changes during the walk
        add_end(ends, corrected(estimates, job, log.start_s[job], 1.0, now), job)


@inner
def corrected(estimates, job, begin_s, speed, now):
    """The expected end of a job that runs since `begin_s` at that speed: after `now`, if any estimate is."""
    first_s, user_s = estimates.expected_s[job], estimates.user_s[job]
    most_s = user_s if user_s > first_s else np.inf
    end_s = begin_s + first_s / speed
    if estimates.corrects == STEPS:
        for step_s in estimates.steps_s:
            if end_s > now:
                break
            end_s = begin_s + min(first_s + step_s, most_s) / speed
    elif estimates.corrects == DOUBLE:
        longer_s = max(first_s, 1.0)
        for _ in range(1, DOUBLINGS):
            if end_s > now:
                break
            longer_s *= 2.0
            end_s = begin_s + min(longer_s, most_s) / speed
    elif end_s <= now and user_s > first_s:
        end_s = begin_s + user_s / speed
    return end_s
