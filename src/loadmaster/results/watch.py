"""The observer of a study's progress; the command line draws its progress bar from these calls."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


class Watch:
    """Receives the progress of a study; this class does nothing. `moved` is called from several threads."""

    def begin(self, cells: int, kept: int, steps: int) -> None:
        """`cells` of `steps` steps each (jobs, executions) are to be made; `kept` more were finished before."""

    def ahead(self, cells: int) -> None:
        """About so many cells come after the study that begins next, in others that depend on what it finds."""

    def first_heard(self, keys: Iterable[str]) -> set[str]:
        """Those of `keys` that were not passed before: a study may ask again for results of an earlier one."""
        heard: set[str] = self.__dict__.setdefault("_heard", set())
        new = {*keys} - heard
        heard |= new
        return new

    def phase(self, name: str, total: int, unit: str) -> None:
        """A part of the work begins whose progress is a number: `total` of `unit`, such as `runs`."""

    def counted(self, done: int) -> None:
        """So many of the phase are done."""

    def doing(self, words: str) -> None:
        """Something else is done for a while, such as compiling; nothing stands for the phase itself."""

    def damaged(self, what: str) -> None:
        """A kept result is no longer what was written; it is made again. `what` says which, in words."""

    @contextmanager
    def preparing(self, what: str) -> Iterator[None]:
        """Encloses the preparation of an engine, which takes seconds the first time on a machine."""
        yield

    def compiling(self, what: str) -> None:
        """In the preparation, the compilation of something begins that is then kept on disk."""

    def compiled(self, seconds: float) -> None:
        """Seconds of compilation in the preparation; 0 if all code was on disk already."""

    def moved(self, cell: int, steps: int) -> None:
        """Cell number `cell` has done `steps` steps so far."""

    def finished(self, cell: int) -> None:
        """Cell number `cell` is done and kept."""


class Advancing(Watch):
    """Passes steps on to a progress bar as they are done, those of cells kept from before at once.

    Args:
        advance: called with how many more are done.
        describe: called with what is being compiled, and with nothing once that is done.
    """

    def __init__(self, advance: Callable[[int], None], describe: Callable[[str], None] = lambda _words: None) -> None:
        self._advance = advance
        self._describe = describe
        self._steps = 0
        self._done: dict[int, int] = {}

    def begin(self, cells: int, kept: int, steps: int) -> None:
        """Count what was kept from before."""
        self._steps = steps
        if kept:
            self._advance(kept * steps)

    @contextmanager
    def preparing(self, what: str) -> Iterator[None]:
        """Show what is done again once nothing is compiled any more."""
        try:
            yield
        finally:
            self._describe("")

    def compiling(self, what: str) -> None:
        """Show that something is being compiled."""
        self._describe(f"compiling, first time only: {what}")

    def moved(self, cell: int, steps: int) -> None:
        """Count what this cell has done since it was last heard of."""
        self._advance(steps - self._done.get(cell, 0))
        self._done[cell] = steps

    def finished(self, cell: int) -> None:
        """Count what was not told of."""
        self.moved(cell, self._steps)


class Stopped(Exception):
    """A cell was told to stop before its end."""
