"""Tsafrir, Etsion and Feitelson 2007: backfilling using system-generated predictions rather than user estimates."""

from loadmaster.papers import StudyOptions
from loadmaster.papers.claim import Reproduction
from loadmaster.papers.log_sequences import (
    LogSequences,
    archive_sequences,
    lublin_sequences,
    stretches_of_jobs,
)
from loadmaster.papers.queue_runs import QueueCase, run_cases
from loadmaster.papers.tsafrir2007 import claims, figures
from loadmaster.papers.tsafrir2007.claims import SCHEDULERS
from loadmaster.report.page import Block, Heading
from loadmaster.report.progress import bar

TITLE = "Tsafrir, Etsion and Feitelson 2007: backfilling with system-generated predictions"
STRETCHES = 10
LOGS = ("CTC", "KTH", "SDSC", "BLUE")
"""The paper's logs, as they are named in `log_sequences`."""
USERS = 60
LOAD = 0.75
"""Of the synthetic logs."""


def reproduce(options: StudyOptions) -> Reproduction:
    """EASY against EASY with predictions, corrected or not, and EASY++, on stretches of the logs."""
    logs = sequences_of(options)
    cases = [
        QueueCase(log.name, part, scheduler.discipline, scheduler.estimates)
        for log in logs
        for scheduler in SCHEDULERS.values()
        for part in range(len(log.parts))
    ]
    with bar("runs", len(cases), "runs", options.watch) as progress:
        rows = run_cases("tsafrir2007", cases, logs, options.out / "tsafrir2007-records", progress, options.on)
    shown = [claim for log in logs for claim in claims.all_claims(rows, log)]
    if not any(log.credit for log in logs):
        shown.append(claims.without_logs())
    blocks: list[Block] = []
    for log in logs:
        blocks += [Heading(log.name), figures.table(rows, log), figures.improvements(rows, log)]
    return Reproduction("tsafrir2007", TITLE, shown, blocks, _notes(logs))


def sequences_of(options: StudyOptions) -> list[LogSequences]:
    """Synthetic logs whose users submit alike jobs, and stretches of the logs that the user has."""
    jobs = 2000 if options.quick else 5000
    synthetic = lublin_sequences(
        "Lublin with users (synthetic)",
        STRETCHES,
        lambda work: work,
        options.seed,
        jobs=jobs,
        cores=128,
        load=LOAD,
        estimates="tsafrir",
        users=USERS,
    )

    def cut(work):  # type: ignore[no-untyped-def]
        return stretches_of_jobs(work.take(slice(0, STRETCHES * jobs)) if options.quick else work, STRETCHES)

    return [synthetic, *archive_sequences(options.traces, LOGS, cut)]


def _notes(logs: list[LogSequences]) -> list[str]:
    counts = ", ".join(f"{log.name}: {len(log.parts)} of {log.parts[0].jobs:,} jobs" for log in logs)
    return [
        f"Each log is cut into {STRETCHES} stretches of equally many jobs, each run on an empty machine. {counts}. The "
        "paper runs whole logs; stretches give an interval.",
        "The paper's own numbers stand in its text and figures, which could not be read for this study. The claims are "
        "those of its abstract, without sizes. So the verdicts judge orderings alone.",
        "Predictions: the mean of the user's last two runtimes, at most the estimate (rule E2), corrected in steps "
        "(rule E3). Jobs run on past their estimate; the paper's schedulers kill them there.",
        f"The model of Lublin and Feitelson has no users. In the synthetic logs {USERS} users submit similar jobs "
        "in sessions, an assumption (rule W4) that favours predictions. They cannot prove the claims about "
        "predictions.",
        "Reductions are over paired stretches: 1 - the ratio of the means, with 95 % intervals of Student's t.",
        *(f"The log {log.name}: Parallel Workloads Archive ({log.credit})." for log in logs if log.credit),
    ]
