"""Why a job is not started, shown beside it: once, and taken away when it is over."""

from types import SimpleNamespace

from loadmaster.live.queue.shown_reasons import MOST
from loadmaster.live.slurm.listing import COLUMNS, ListedJob
from loadmaster.live.slurm.mark import mark, of_owner
from loadmaster.live.slurm.reasons import Reasons
from loadmaster.live.slurm.work import OURS
from loadmaster.model.actions import Explain


def ledger(jobs, *left_out):
    return SimpleNamespace(rows=dict.fromkeys(jobs), left_out=lambda: list(left_out))


def test_a_reason_is_asked_for_once_and_anew_when_it_changes_or_is_over():
    reasons = Reasons()
    assert reasons(ledger("ab", ("a", "too large")), []) == [Explain("a", "too large")]
    assert reasons(ledger("ab", ("a", "too large")), []) == []
    assert reasons(ledger("ab", ("a", "busy"), ("b", "x")), []) == [Explain("a", "busy"), Explain("b", "x")]
    assert reasons(ledger("b", ("b", "x")), []) == []  # a has gone
    assert reasons(ledger("b"), []) == [Explain("b", "")]
    assert reasons(ledger("b"), []) == []


def test_the_mark_of_a_reason_is_read_as_ours_whatever_it_says():
    text = mark("0a1b2c", 'no "host"\nhas $it, ' + "x" * 200)
    assert text.startswith("loadmaster:0a1b2c no hosthas it, xxx")
    assert len(text) < COLUMNS["admin_comment"]
    row = ListedJob("7", dict.fromkeys(COLUMNS, "") | {"admin_comment": text})
    assert of_owner(row, "0a1b2c")["admin_comment"] == OURS


def test_tasks_of_arrays_and_jobs_without_words_are_passed_over_and_no_cycle_asks_too_much():
    assert Reasons()(ledger(["7_1"], ("7_1", "too large"), ("8", "licences")), []) == []
    jobs = [str(number) for number in range(3 * MOST)]
    reasons, left_out = Reasons(), [(name, "too large") for name in jobs]
    assert [len(reasons(ledger(jobs, *left_out), [])) for _ in range(4)] == [MOST, MOST, MOST, 0]
