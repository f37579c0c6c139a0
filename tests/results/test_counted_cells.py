"""Cells that are made are counted, those that were kept are not."""

from loadmaster.results.counted_cells import CountedCells
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, Work, run_study
from loadmaster.results.threads import Threads


def doubled(_shared, task, _moved):
    return 2 * task


def test_what_was_kept_from_before_is_not_counted(tmp_path):
    work = Work("count", ("loadmaster.results.study",), doubled, None, lambda n: str(n).encode(), int)
    cells = [Cell(work.key(number=number), number) for number in range(5)]
    counted = CountedCells(Threads())
    store = Store.in_folder(tmp_path)
    assert run_study(work, cells[:3], store, counted) == [0, 2, 4]
    assert counted.made == 3
    assert run_study(work, cells, store, counted) == [0, 2, 4, 6, 8]
    assert counted.made == 5
    store.close()
