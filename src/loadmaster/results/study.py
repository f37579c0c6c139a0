"""The one runner of studies: many cells made by one function, each kept at once, none ever made again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from loadmaster.results.key import key_of
from loadmaster.results.store import KeptResult, Store, StoredBlocks
from loadmaster.results.watch import Watch

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

Moved = Callable[[int], None]
"""To be told how many steps of a cell are done; it may raise `Stopped`."""


def _nothing(_tasks: Any, _watch: Watch) -> None:
    """Prepare nothing."""


def _never() -> bool:
    """All cells are wanted."""
    return False


@dataclass(frozen=True)
class Work(Generic[S, T, R]):
    """What makes the cells of a study.

    Attributes:
        kind: of the results, such as `compare`; part of their keys.
        made_by: the modules whose source makes them, with all that they import; part of their keys.
        make: (shared, task, moved) -> result. Pure, and at the top of a module, so that any worker anywhere makes the
            same.
        shared: what all cells have in common; goes to each machine once.
        to_bytes, from_bytes: of a result. Every result goes through both, wherever it was made.
        prepare: called on this machine before the first of the tasks, to compile what they need.
        workers: at most so many cells at a time on this machine; None for one a core.
        steps: of each cell, for a progress bar.
        over: whether no more cells are wanted; those under way on this machine stop then.
    """

    kind: str
    made_by: tuple[str, ...]
    make: Callable[[S, T, Moved], R]
    shared: S
    to_bytes: Callable[[R], bytes]
    from_bytes: Callable[[bytes], R]
    prepare: Callable[[Sequence[T], Watch], None] = _nothing
    workers: int | None = None
    steps: int = 1
    over: Callable[[], bool] = _never

    def key(self, **shaped_by: Any) -> str:
        """The key of a result that is shaped by this, and by the source of `made_by`."""
        return key_of(self.kind, self.made_by, **shaped_by)


@dataclass(frozen=True)
class Cell(Generic[T]):
    """One cell of a study.

    Attributes:
        key: from `Work.key`; cells of the same key are made once.
        task: what `Work.make` is given for it.
        about: which one it is, for messages and the database.
        is_kept: its result may be stored and taken from the store; not where a rule has a state of its own.
    """

    key: str
    task: T
    about: Mapping[str, Any] = field(default_factory=dict)
    is_kept: bool = True

    @property
    def words(self) -> str:
        """Which one it is, in words."""
        return ", ".join(f"{name} {value}" for name, value in self.about.items()) or self.key[:12]


class CellMaker(Protocol):
    """Makes cells: on the cores of this machine (`Threads`), or elsewhere (`OnDask`)."""

    def __call__(self, work: Work[S, T, R], tasks: Sequence[T], watch: Watch) -> Iterator[tuple[int, bytes]]:
        """(index in the tasks, result as bytes) in the order in which the cells end."""
        ...


def run_study(
    work: Work[S, T, R],
    cells: Sequence[Cell[T]],
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
    tell: Callable[[R], Mapping[str, Any]] = lambda _result: {},
) -> list[R]:
    """The results of all `cells`, in their order; only those not yet in `store` are made.

    Args:
        work: what makes them.
        cells: of the study.
        store: where they are kept; None keeps none.
        pool: runs the cells.
        watch: gets the progress.
        tell: what of a result is put beside it in the database, to be read there.
    """
    results = _results(work, cells, store, pool, watch, tell)
    return [results[cell.key] for cell in cells]


def run_study_until_over(
    work: Work[S, T, R], cells: Sequence[Cell[T]], store: Store | None, pool: CellMaker, watch: Watch | None = None
) -> list[R | None]:
    """As `run_study`, until `work.over()`: None for each cell that was not made by then."""
    results = _results(work, cells, store, pool, watch, lambda _result: {})
    return [results.get(cell.key) for cell in cells]


def _results(
    work: Work[S, T, R],
    cells: Sequence[Cell[T]],
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None,
    tell: Callable[[R], Mapping[str, Any]],
) -> dict[str, R]:
    """The results by the key of their cell."""
    watcher = watch or Watch()
    by_key = {cell.key: cell for cell in cells}
    keys = [key for key, cell in by_key.items() if cell.is_kept]
    stored = store.get(keys) if store is not None else StoredBlocks({}, frozenset())
    for key in stored.damaged:
        watcher.damaged(by_key[key].words)
    blocks = dict(stored.whole)
    todo = [cell for key, cell in by_key.items() if key not in blocks]
    watcher.begin(len(todo), len(watcher.first_heard(by_key) & blocks.keys()), work.steps)
    results = {key: work.from_bytes(block) for key, block in blocks.items()}
    for index, block in pool(work, [cell.task for cell in todo], watcher) if todo else ():
        cell = todo[index]
        results[cell.key] = result = work.from_bytes(block)
        if store is not None and cell.is_kept:
            store.put(cell.key, KeptResult(work.kind, {**cell.about, **tell(result)}, block))
        watcher.finished(index)
    return results


def finished(work: Work[S, T, R], cells: Sequence[Cell[T]], store: Store) -> list[R | None]:
    """The results of `cells` that `store` has already, None for the others; nothing is made."""
    whole = store.get([cell.key for cell in cells]).whole
    return [work.from_bytes(whole[cell.key]) if cell.key in whole else None for cell in cells]
