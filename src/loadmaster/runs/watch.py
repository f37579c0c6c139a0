"""Who is told how a sweep gets on; the command line draws its progress bar from these calls."""

from collections.abc import Iterator
from contextlib import contextmanager


class Watch:
    """Told of a sweep's progress; this one says nothing. `moved` is called from several threads."""

    def begin(self, cells: int, kept: int, jobs: int) -> None:
        """`cells` runs of `jobs` jobs each are to be made; `kept` more were finished before."""

    @contextmanager
    def compiling(self, what: str) -> Iterator[None]:
        """Around the preparation of an engine, which takes seconds the first time on a machine."""
        yield

    def compiled(self, seconds: float) -> None:
        """So long something was compiled in the preparation; 0 if all of it was kept from before."""

    def moved(self, cell: int, jobs: int) -> None:
        """Run number `cell` has started `jobs` jobs so far."""

    def finished(self, cell: int) -> None:
        """Run number `cell` is done and kept."""


class Stopped(Exception):
    """A run was told to stop before its end."""
