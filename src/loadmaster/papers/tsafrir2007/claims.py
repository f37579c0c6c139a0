"""The paper's claims beside our runs: predictions are better than estimates, once corrected and used well."""

from typing import NamedTuple

from loadmaster.papers.claim import Claim, exceeds
from loadmaster.papers.estimate import Estimate, mean_of, reduction
from loadmaster.papers.log_sequences import LogSequences
from loadmaster.papers.queue_runs import Rows, over_parts

WHAT = {"wait_s": "mean wait", "bounded_slowdown": "mean bounded slowdown"}


class EasyScheduler(NamedTuple):
    """One of the paper's schedulers: discipline and estimates as `compare` takes them."""

    discipline: str
    estimates: str


SCHEDULERS = {
    "EASY": EasyScheduler("fcfs+easy", "user"),
    "EASY with perfect estimates": EasyScheduler("fcfs+easy", "exact"),
    "EASY with doubled estimates": EasyScheduler("fcfs+easy", "2"),
    "EASY with predictions, uncorrected": EasyScheduler("fcfs+easy", "last-two(correct=none)"),
    "EASY with predictions": EasyScheduler("fcfs+easy", "last-two"),
    "shortest first": EasyScheduler("fcfs+easy(fill=shortest)", "user"),
    "EASY++": EasyScheduler("fcfs+easy(fill=shortest)", "last-two"),
    "EASY++ with perfect estimates": EasyScheduler("fcfs+easy(fill=shortest)", "exact"),
}
"""EASY++ fills with the shortest predicted job first."""


def all_claims(rows: Rows, log: LogSequences) -> list[Claim]:
    """What the abstract says, on one log."""
    return [
        accuracy(rows, log),
        _better(
            rows, log, "EASY with predictions", "EASY with predictions, uncorrected", "predictions must be corrected"
        ),
        *(_better(rows, log, "EASY++", "EASY", "significant improvement", field) for field in WHAT),
        _better(rows, log, "shortest first", "EASY", "improvement"),
        _better(rows, log, "EASY++ with perfect estimates", "EASY++", "accuracy improves performance"),
        inaccuracy(rows, log),
    ]


def reduced(rows: Rows, log: LogSequences, ours: str, theirs: str, field: str) -> Estimate:
    """By how much `ours` has a lower mean of `field` than `theirs`, as a part, over paired stretches."""
    one, other = (over_parts(rows, log, *SCHEDULERS[name], field) for name in (ours, theirs))
    return reduction(one, other)


def accuracy(rows: Rows, log: LogSequences) -> Claim:
    """Predictions are nearer to the runtimes than estimates."""
    ours, users = (over_parts(rows, log, *SCHEDULERS[name], "accuracy") for name in ("EASY with predictions", "EASY"))
    gain = mean_of(ours - users)
    below = over_parts(rows, log, *SCHEDULERS["EASY with predictions"], "below")
    return Claim(
        log.name,
        "predictions from the last two jobs of a user are more accurate than the user's estimates",
        "significantly better",
        f"accuracy {ours.mean():.2f} against {users.mean():.2f}, {gain.show()} more; "
        f"{100 * below.mean():.0f} % of the jobs are predicted too short",
        exceeds(gain),
        "the interval of the paired difference lies above 0",
        gain.n,
        "accuracy: the smaller of runtime and prediction over the larger, mean over the jobs",
    )


def inaccuracy(rows: Rows, log: LogSequences) -> Claim:
    """With shortest first, doubling estimates is no way to better schedules; under plain EASY it may seem one."""
    perfect = reduced(rows, log, "EASY++ with perfect estimates", "EASY with doubled estimates", "bounded_slowdown")
    return Claim(
        log.name,
        "that inaccurate estimates improve performance is a misconception: perfect ones, used well, beat doubled ones",
        "perfect estimates are better",
        f"{perfect.percent(0)} lower mean bounded slowdown",
        exceeds(perfect),
        "the interval of the reduction lies above 0",
        perfect.n,
    )


def without_logs() -> Claim:
    """What stands where no real log was given."""
    return Claim(
        "real logs",
        "EASY++ improves on EASY",
        "significant improvement",
        "",
        "not measured",
        note="give --traces with logs of the Parallel Workloads Archive, such as CTC-SP2-1996",
    )


def _better(
    rows: Rows, log: LogSequences, ours: str, theirs: str, published: str, field: str = "bounded_slowdown"
) -> Claim:
    found = reduced(rows, log, ours, theirs, field)
    return Claim(
        log.name,
        f"{ours} has a lower {WHAT[field]} than {theirs}",
        published,
        f"{found.percent(0)} lower",
        exceeds(found),
        "the interval of the reduction lies above 0",
        found.n,
    )
