"""The study of fitted policies: what runs on which sequences, and gates that can say no."""

from itertools import product

import pytest

from loadmaster.model import Workload
from loadmaster.papers import StudyOptions, carastan2017
from loadmaster.papers.carastan2017 import claims, figures
from loadmaster.papers.carastan2017.claims import CONDITIONS, FITTED, KNOWN, ORDERS
from loadmaster.papers.log_sequences import DAY_S, LogSequences
from loadmaster.papers.queue_runs import QueueCase, QueueRow, run_cases
from loadmaster.scheduling import discipline_named

LOG = LogSequences("made", 4, tuple(Workload.of(submit_s=[0], runtime_s=[9], cores=[1]) for _ in range(5)))


def rows_of(slowdown):
    """Rows with these slowdowns, order -> value; sequences differ a little."""
    return {
        QueueCase("made", part, c.discipline(order), c.estimates): QueueRow(
            1.0, slowdown[order] * (1 + part / 50), 1, 0
        )
        for c, order, part in product(CONDITIONS, ORDERS, range(5))
    }


LOWER = dict.fromkeys(KNOWN, 100.0) | dict.fromkeys(FITTED, 40.0)


def test_fitted_policies_that_are_lower_hold_everywhere():
    shown = [claim for c in CONDITIONS for claim in claims.below(rows_of(LOWER), LOG, c)]
    assert [claim.verdict for claim in shown] == ["holds"] * 12
    assert "F1 40 % [40, 40], F2" in shown[0].ours


@pytest.mark.parametrize(("order", "value", "differ"), [("f3", 120.0, KNOWN), ("sjf", 30.0, ("sjf",))])
def test_one_policy_that_is_not_lower_makes_the_claim_differ_and_is_named(order, value, differ):
    shown = claims.below(rows_of({**LOWER, order: value}), LOG, CONDITIONS[2])
    verdicts = dict(zip(KNOWN, [claim.verdict for claim in shown], strict=True))
    assert [known for known in KNOWN if verdicts[known] == "differs"] == list(differ)
    note = next(claim.note for claim in shown if claim.verdict == "differs")
    assert "F3" in note


def test_the_cost_of_estimates_is_judged_against_fcfs():
    assert claims.estimates_cost(rows_of(LOWER), LOG).verdict == "holds"
    assert claims.estimates_cost(rows_of({**LOWER, "f1": 200.0}), LOG).verdict == "differs"


def test_the_tables_have_the_medians():
    table = figures.medians(rows_of(LOWER), LOG)
    assert table.rows[0][1] == "104.0"
    assert len(table.rows) == len(CONDITIONS)


def test_all_disciplines_of_the_study_can_be_named():
    for condition, order in product(CONDITIONS, ORDERS):
        discipline_named(condition.discipline(order))


def test_sequences_last_15_days_and_say_that_they_are_synthetic():
    logs = carastan2017.sequences_of(StudyOptions(quick=True), 2)
    assert [log.name for log in logs] == ["Lublin, 256 cores (synthetic)"]
    assert all(13 * DAY_S < part.span_s < 15 * DAY_S for part in logs[0].parts)


def test_sjf_is_below_fcfs_on_a_queue_of_long_and_short_jobs():
    # a long job runs; a second long one and three short ones wait: shortest first serves the short ones first
    work = Workload.of(submit_s=[0, 1, 2, 3, 4], runtime_s=[100, 100, 5, 5, 5], cores=[1] * 5)
    log = LogSequences("queue", 1, (work,))
    cases = [QueueCase("queue", 0, f"{order}+none", "exact") for order in ("fcfs", "sjf")]
    rows = run_cases("test", cases, [log])
    assert rows[cases[1]].bounded_slowdown < rows[cases[0]].bounded_slowdown
