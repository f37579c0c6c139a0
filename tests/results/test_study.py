"""A study makes each cell once, keeps it at once, and makes again only what is no longer whole."""

import sqlite3

import pytest

from loadmaster import __version__
from loadmaster.model import InputError
from loadmaster.results.on_dask import _require_workers, worker_source
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, Work, run_study
from loadmaster.results.threads import Threads
from loadmaster.results.watch import Advancing, Watch

made = []


def square(shared, task, moved):
    if task == shared:
        raise ValueError("this one fails")
    made.append(task)
    moved(1)
    moved(2)
    return task * task


def work(fails_at=None, kind="squares", made_by=("loadmaster.place",)):
    return Work(kind, made_by, square, fails_at, lambda n: str(n).encode(), int, steps=2)


def cells(*tasks, of=None):
    return [Cell((of or work()).key(task=task), task, {"task": task}) for task in tasks]


@pytest.fixture(autouse=True)
def _nothing_made():
    made.clear()


def test_results_come_in_the_order_of_the_cells_each_made_once(tmp_path):
    store = Store.in_folder(tmp_path)
    assert run_study(work(), cells(3, 1, 3, 2), store, Threads(2)) == [9, 1, 9, 4]
    assert sorted(made) == [1, 2, 3]
    assert run_study(work(), cells(2, 4), store, Threads(2)) == [4, 16]
    assert sorted(made) == [1, 2, 3, 4]


class Counting(Watch):
    """Adds up what it is told as studies begin."""

    made = kept = 0

    def begin(self, cells, kept, steps):
        self.made, self.kept = self.made + cells, self.kept + kept


def test_what_a_study_finds_of_one_just_before_it_was_not_kept_from_before(tmp_path):
    store, watch, later = Store.in_folder(tmp_path), Counting(), Counting()
    for looked_at in ((1, 2), (1, 2, 3), (3,)):  # as races and searches do
        run_study(work(), cells(*looked_at), store, Threads(1), watch)
    run_study(work(), cells(1, 2), store, Threads(1), later)
    run_study(work(), cells(2, 3), store, Threads(1), later)
    assert (watch.made, watch.kept) == (3, 0)
    assert (later.made, later.kept) == (0, 3)


def test_a_study_without_a_store_keeps_nothing():
    assert run_study(work(), cells(2), None, Threads(1)) == run_study(work(), cells(2), None, Threads(1)) == [4]
    assert made == [2, 2]


def test_what_was_finished_before_a_failure_is_kept(tmp_path):
    store = Store.in_folder(tmp_path)
    with pytest.raises(ValueError, match="this one fails"):
        run_study(work(fails_at=3), cells(1, 2, 3), store, Threads(1))
    assert run_study(work(), cells(1, 2, 3), store, Threads(1)) == [1, 4, 9]
    assert sorted(made) == [1, 2, 3]


def test_a_damaged_result_is_named_and_made_again(tmp_path):
    store = Store.in_folder(tmp_path)
    run_study(work(), cells(1, 2), store, Threads(1))
    with sqlite3.connect(tmp_path / "results.sqlite") as database:
        database.execute("update results set result = x'39' where about like '%2%'")
    database.close()
    told = []

    class Listening(Watch):
        def damaged(self, what):
            told.append(what)

    assert run_study(work(), cells(1, 2), store, Threads(1), Listening()) == [1, 4]
    assert (made, told) == ([1, 2, 2], ["task 2"])


def test_a_bar_is_advanced_by_every_step_once(tmp_path):
    store, steps = Store.in_folder(tmp_path), []
    run_study(work(), cells(1, 2), store, Threads(1), Advancing(steps.append))
    assert sum(steps) == 4
    steps.clear()
    run_study(work(), cells(1, 2, 3), store, Threads(1), Advancing(steps.append))
    assert (steps[0], sum(steps)) == (4, 6)


def test_a_key_knows_the_kind_the_source_and_all_that_is_said_of_the_cell():
    keys = {
        work().key(task=1),
        work().key(task=2),
        work(kind="cubes").key(task=1),
        work(made_by=("loadmaster.order",)).key(task=1),
        work().key(task=1, text="x"),
    }
    assert len(keys) == 5


def test_a_key_refuses_what_it_cannot_tell_apart():
    with pytest.raises(TypeError, match="cannot be part of a key"):
        work().key(task=object())


def test_a_key_knows_the_version(monkeypatch):
    before = work().key(task=1)
    monkeypatch.setattr("loadmaster.results.key.__version__", "0.0")
    assert work().key(task=1) != before


class OtherWorkers:
    """A cluster whose one worker has source of its own."""

    def __init__(self, version, stamp):
        self.answer = (version, stamp)

    def wait_for_workers(self, count, timeout):
        pass

    def run(self, asked, made_by, on_error):
        return {"tcp://worker": self.answer}


@pytest.mark.parametrize(
    ("version", "words"), [("0.0", "has 0.0"), (__version__, f"has other source of {__version__}")]
)
def test_a_worker_that_would_run_other_code_is_refused(version, words):
    with pytest.raises(InputError, match=words):
        _require_workers(OtherWorkers(version, "0" * 16), "tcp://scheduler", ("loadmaster.place",))
    same = OtherWorkers(*worker_source(("loadmaster.place",)))
    _require_workers(same, "tcp://scheduler", ("loadmaster.place",))
