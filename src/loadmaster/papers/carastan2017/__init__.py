"""Carastan-Santos and de Camargo 2017: obtaining dynamic scheduling policies with simulation and machine learning."""

from itertools import product

import numpy as np

from loadmaster.model import Workload
from loadmaster.papers import StudyOptions
from loadmaster.papers.carastan2017 import claims, figures
from loadmaster.papers.carastan2017.claims import CONDITIONS, ORDERS
from loadmaster.papers.claim import Reproduction
from loadmaster.papers.log_sequences import (
    DAY_S,
    LogSequences,
    archive_sequences,
    lublin_sequences,
    stretches_of_days,
)
from loadmaster.papers.queue_runs import QueueCase, run_cases
from loadmaster.report.page import Block, Heading
from loadmaster.report.progress import bar

TITLE = "Carastan-Santos and de Camargo 2017: scheduling policies from simulation and machine learning"
DAYS = 15.0
"""Of each sequence, as in the paper."""
SEQUENCES = 10
LOGS = ("CTC", "BLUE", "Curie", "Intrepid")
"""The paper's real logs, as they are named in `log_sequences`."""
MOST_JOBS = 4000
"""Jobs of the model that are more than 15 days' worth at the published rate of arrivals, some 1,400."""


def reproduce(options: StudyOptions) -> Reproduction:
    """F1 to F4 against FCFS, WFP3, UNICEF and SPT on 15-day sequences, with and without estimates and backfilling."""
    sequences = 5 if options.quick else SEQUENCES
    logs = sequences_of(options, sequences)
    cases = [
        QueueCase(log.name, part, condition.discipline(order), condition.estimates)
        for log, condition, order in product(logs, CONDITIONS, ORDERS)
        for part in range(len(log.parts))
    ]
    with bar("runs", len(cases), "runs", options.watch) as progress:
        rows = run_cases("carastan2017", cases, logs, options.out / "carastan2017-records", progress, options.on)
    shown = [claim for log in logs for condition in CONDITIONS for claim in claims.below(rows, log, condition)]
    shown += [claims.estimates_cost(rows, log) for log in logs]
    if not any(log.credit for log in logs):
        shown.append(claims.without_logs())
    blocks: list[Block] = []
    for log in logs:
        blocks += [Heading(log.name), figures.medians(rows, log), figures.slowdowns(rows, log)]
    return Reproduction("carastan2017", TITLE, shown, blocks, _notes(logs))


def sequences_of(options: StudyOptions, count: int) -> list[LogSequences]:
    """The model's sequences for each size of machine, and those of the logs that the user has."""
    machines = (256,) if options.quick else (256, 1024)
    logs = [
        lublin_sequences(
            f"Lublin, {cores} cores (synthetic)",
            count,
            first_days,
            options.seed,
            jobs=MOST_JOBS,
            cores=cores,
            classes="one",
            estimates="tsafrir",
        )
        for cores in machines
    ]
    return logs + archive_sequences(options.traces, LOGS, lambda work: stretches_of_days(work, DAYS, count))


def first_days(work: Workload) -> Workload:
    """The jobs of the first 15 days."""
    return work.take(slice(0, int(np.searchsorted(work.submit_s, DAYS * DAY_S))))


def _notes(logs: list[LogSequences]) -> list[str]:
    counts = ", ".join(
        f"{log.name}: {len(log.parts)} of {min(w.jobs for w in log.parts):,} to {max(w.jobs for w in log.parts):,} jobs"
        for log in logs
    )
    return [
        f"Sequences of {DAYS:.0f} days, one run each until the last job has ended. {counts}.",
        "The paper's own numbers stand in its text and figures, which could not be read for this study. The claims are "
        "those of its abstract: improvements, without sizes. So the verdicts judge orderings alone.",
        "The arrival term of F1 to F4 counts seconds from the start of the sequence (rule O7). A later origin makes "
        "them more like FCFS.",
        "Ratios are geometric means over sequences, with 95 % intervals of Student's t over their logarithms, paired.",
        "Synthetic sequences have the parameters of all jobs as one class, and estimates after Tsafrir et al. 2005.",
        *(f"The log {log.name}: Parallel Workloads Archive ({log.credit})." for log in logs if log.credit),
    ]
