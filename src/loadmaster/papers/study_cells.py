"""How every paper's study is run: cells on the cores of this machine or on a cluster, each kept in a folder at once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.on_dask import pool_on
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, R, S, T, Work, run_study
from loadmaster.results.watch import Advancing


def run_kept(
    work: Work[S, T, R],
    cells: Sequence[Cell[T]],
    folder: Path | None = None,
    progress: Callable[[int], None] | None = None,
    on: DaskAddress | None = None,
) -> list[R]:
    """The results of all `cells`, in their order; what `folder` has of them is read, not made again.

    Args:
        work: what makes them.
        cells: of the study.
        folder: where finished cells are kept; None keeps none.
        progress: told how many more steps are done.
        on: a Dask scheduler; None uses the cores of this machine.
    """
    watch = Advancing(progress) if progress is not None else None
    with records_in(folder) as store:
        return run_study(work, cells, store, pool_on(on), watch)


@contextmanager
def records_in(folder: Path | None) -> Iterator[Store | None]:
    """The store of a paper's finished cells in `folder`, which is made; closed at the end. None keeps none."""
    if folder is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    store = Store.in_folder(folder)
    try:
        yield store
    finally:
        store.close()
