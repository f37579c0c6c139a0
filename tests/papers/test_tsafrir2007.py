"""The study of predictions on small synthetic logs: what runs, and gates that can say no."""

import numpy as np
import pytest

from loadmaster.model import Workload
from loadmaster.papers import StudyOptions, tsafrir2007
from loadmaster.papers.log_sequences import LogSequences
from loadmaster.papers.queue_runs import QueueCase, QueueRow, run_case
from loadmaster.papers.tsafrir2007 import claims
from loadmaster.papers.tsafrir2007.claims import SCHEDULERS

LOG = LogSequences("made", 4, tuple(Workload.of(submit_s=[0], runtime_s=[9], cores=[1]) for _ in range(6)))


def rows_of(change):
    """Rows in which each scheduler has the slowdown and accuracy that `change` gives; EASY has 100 and .3."""
    rows = {}
    for name, scheduler in SCHEDULERS.items():
        slowdown, accuracy = change.get(name, (100.0, 0.3))
        for part in range(6):
            # a little noise: intervals need a spread
            rows[QueueCase("made", part, *scheduler)] = QueueRow(slowdown, slowdown + part % 2, accuracy, 0.1)
    return rows


AS_PUBLISHED = {
    "EASY with predictions": (80.0, 0.6),
    "shortest first": (80.0, 0.3),
    "EASY++": (70.0, 0.6),
    "EASY++ with perfect estimates": (50.0, 1.0),
}


def test_runs_that_are_as_published_hold():
    shown = claims.all_claims(rows_of(AS_PUBLISHED), LOG)
    assert [claim.verdict for claim in shown] == ["holds"] * len(shown)


@pytest.mark.parametrize(
    ("scheduler", "became", "words"),
    [
        ("EASY with predictions", (80.0, 0.2), "more accurate"),
        ("EASY with predictions", (120.0, 0.6), "uncorrected"),
        ("EASY++", (130.0, 0.6), "EASY++ has a lower mean wait"),
        ("shortest first", (110.0, 0.3), "shortest first"),
        ("EASY++ with perfect estimates", (90.0, 1.0), "perfect estimates has a lower"),
        ("EASY with doubled estimates", (40.0, 0.2), "misconception"),
    ],
)
def test_each_claim_differs_where_the_runs_say_the_opposite(scheduler, became, words):
    shown = claims.all_claims(rows_of({**AS_PUBLISHED, scheduler: became}), LOG)
    assert [claim.verdict for claim in shown if words in claim.claim] == ["differs"]


def test_a_run_measures_how_near_predictions_are():
    # one user whose jobs all run 100 s and request 1,000 s: the third is predicted exactly
    work = Workload.of(
        submit_s=[0, 200, 400], runtime_s=[100] * 3, cores=[1] * 3, estimate_s=[1000.0] * 3, user=[0, 0, 0]
    )
    log = LogSequences("one user", 1, (work,))
    row = run_case(QueueCase("one user", 0, "fcfs+easy", "last-two"), log)
    assert row.accuracy == pytest.approx((0.1 + 0.1 + 1.0) / 3)
    assert row.below == 0.0
    assert run_case(QueueCase("one user", 0, "fcfs+easy", "2"), log).accuracy == pytest.approx(0.05)


def test_without_logs_real_ones_are_not_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(tsafrir2007, "STRETCHES", 2)
    few = {"EASY": SCHEDULERS["EASY"], "EASY++": SCHEDULERS["EASY++"]}
    monkeypatch.setattr(tsafrir2007, "SCHEDULERS", few)
    monkeypatch.setattr(claims, "all_claims", lambda rows, log: [])
    monkeypatch.setattr(tsafrir2007.figures, "table", lambda rows, log: None)
    monkeypatch.setattr(tsafrir2007.figures, "improvements", lambda rows, log: None)
    found = tsafrir2007.reproduce(StudyOptions(quick=True, out=tmp_path))
    assert [claim.verdict for claim in found.claims] == ["not measured"]
    assert any("assumption" in note for note in found.notes)


def test_the_table_and_the_chart_show_every_scheduler():
    rows = rows_of(AS_PUBLISHED)
    table = tsafrir2007.figures.table(rows, LOG)
    assert [row[0] for row in table.rows] == list(SCHEDULERS)
    chart = tsafrir2007.figures.improvements(rows, LOG)
    assert np.isclose(claims.reduced(rows, LOG, "EASY++", "EASY", "wait_s").value, 0.3)
    assert "CTC" not in chart.caption
