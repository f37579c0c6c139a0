"""Progress on stderr: a sweep's runs done, jobs a second, time left; nothing for what takes under two seconds."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from loadmaster.model import LoadmasterError
from loadmaster.results.watch import Watch
from loadmaster.system.counted import counted

if TYPE_CHECKING:
    from loadmaster.traces import ReadOptions, Trace

QUIET_S = 2.0
"""What is done sooner shows no bar."""


class Bar(Watch):
    """Draws a bar while it is open, if stderr is a terminal; says at the end what was done.

    Args:
        summary: say so.

    Example:
        >>> with Bar() as bar:
        ...     bar.begin(cells=0, kept=0, steps=10)
    """

    def __init__(self, *, summary: bool = True) -> None:
        self._summary = summary
        self._console = Console(file=sys.stderr)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._task = self._bar.add_task("reading", total=None, rate="")
        self._delay = threading.Timer(QUIET_S, self._bar.start)
        self._delay.daemon = True
        self._moved: dict[int, int] = {}
        self._cells = self._jobs = self._kept = self._done = self._before = self._ahead = 0
        self._began = time.monotonic()
        self._prepared_s = self._compiled_s = 0.0

    def __enter__(self) -> "Bar":
        if self._console.is_terminal:
            self._delay.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._delay.cancel()
        if self._bar.live.is_started:
            self._bar.stop()
        if (
            self._summary and (self._cells or self._kept) and not isinstance(error, LoadmasterError)
        ):  # bad input gets its one line alone
            self._console.print(self._last_line(), highlight=False, markup=False, soft_wrap=True)

    def begin(self, cells: int, kept: int, steps: int) -> None:
        """Show `cells` runs to be made."""
        self._before = self._cells  # of studies that came before: the runs on the log itself, earlier samples
        self._cells, self._kept, self._jobs = self._cells + cells, self._kept + kept, steps
        if self._before:
            self._bar.update(self._task, total=self._in_all * steps)
            return
        self._began = time.monotonic()
        self._bar.update(self._task, description=f"run 0 of {self._in_all}", total=self._in_all * steps)

    def ahead(self, cells: int) -> None:
        """Count them among those to be made, from the next study on."""
        self._ahead = cells

    def damaged(self, what: str) -> None:
        """Say which result is made again."""
        self._console.print(f"A kept result is damaged and is made again: {what}", highlight=False, soft_wrap=True)

    @contextmanager
    def preparing(self, what: str) -> Iterator[None]:
        """Show that an engine is made ready."""
        began = time.monotonic()
        self._bar.update(self._task, description=f"preparing: {what}")
        yield
        self._prepared_s += time.monotonic() - began
        self._bar.update(self._task, description=f"run {self._done} of {self._in_all}")
        self._bar.reset(self._task, total=self._in_all * self._jobs, completed=self._steps, rate="")

    def compiling(self, what: str) -> None:
        """Show that an engine is being compiled."""
        self._bar.update(self._task, description=f"compiling the engine, first time only: {what}")

    def compiled(self, seconds: float) -> None:
        """Remember what was compiled, for the last line."""
        self._compiled_s += seconds

    def moved(self, cell: int, steps: int) -> None:
        """Count the jobs started."""
        self._moved[self._before + cell] = steps
        self._show()

    def finished(self, cell: int) -> None:
        """Count the run."""
        self._done += 1
        self._moved[self._before + cell] = self._jobs
        self._show()

    def _show(self) -> None:
        started = self._steps
        elapsed = time.monotonic() - self._began - self._prepared_s
        rate = f"{show_rate(started / elapsed)} jobs/s" if elapsed > 0.5 else ""
        now = min(self._done + 1, self._cells)
        self._bar.update(self._task, description=f"run {now} of {self._in_all}", completed=started, rate=rate)

    @property
    def _in_all(self) -> int:
        """Runs that are to be made, with those of studies that have not begun."""
        return self._cells + self._ahead

    @property
    def _steps(self) -> int:
        """Jobs started so far."""
        return sum(self._moved.copy().values())

    def _last_line(self) -> str:
        elapsed = time.monotonic() - self._began
        running = max(elapsed - self._prepared_s, 1e-9)
        parts = []
        if self._kept:
            parts.append(f"{self._kept} of {self._kept + self._cells} runs were kept from before")
        if self._done:
            rate = show_rate(self._done * self._jobs / running)
            jobs = counted(self._jobs, "job")
            parts.append(f"{self._done} {_runs(self._done)} of {jobs} in {running:.1f} s ({rate} jobs/s)")
        if self._done < self._cells:
            parts.append(f"{self._cells - self._done} still to be made")
        if self._compiled_s > QUIET_S:
            parts.append(f"compiling the engine, first time only: {self._compiled_s:.0f} s")
        return "; ".join(parts)


@contextmanager
def watching(watch: Watch | None) -> Iterator[Watch]:
    """`watch`, or without it a bar at a terminal."""
    if watch is not None:
        yield watch
        return
    with Bar(summary=False) as bar:
        yield bar


@contextmanager
def at_work(what: str) -> Iterator[Callable[[str], None]]:
    """A spinner with the time passed, for what cannot say how much is left to do; from two seconds on.

    It gives a function that changes the text.

    Example:
        >>> with at_work("packing") as show:
        ...     show("packing: 8 hosts")
    """
    console = Console(stderr=True)
    text = TextColumn("{task.description}", markup=False)
    line = Progress(SpinnerColumn(), text, TimeElapsedColumn(), console=console, transient=True)
    task = line.add_task(what, total=None)
    delay = threading.Timer(QUIET_S, line.start)
    delay.daemon = True
    if console.is_terminal:
        delay.start()
    try:
        yield lambda text: line.update(task, description=text)
    finally:
        delay.cancel()
        if line.live.is_started:
            line.stop()


@contextmanager
def anytime_search(what: str) -> Iterator[Callable[[float, int], None]]:
    """A bar for a search with a time limit: gives a function that is told the part that has passed and the best value.

    Example:
        >>> with anytime_search("best cost") as progress:
        ...     progress(0.5, 1_000)
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    line = Progress(*columns, console=console, transient=True)
    task = line.add_task(what, total=1.0)
    delay = threading.Timer(QUIET_S, line.start)
    delay.daemon = True
    if console.is_terminal:
        delay.start()
    try:
        yield lambda part, best: line.update(task, completed=part, description=f"{what} {best:,}")
    finally:
        delay.cancel()
        if line.live.is_started:
            line.stop()


def reading(path: Path, options: "ReadOptions") -> "Trace":
    """`read_trace` with a bar on stderr where a person is watching.

    Raises:
        InputError: no such file, or it cannot be read.
    """
    from dataclasses import replace

    from loadmaster.traces import read_trace

    console = Console(stderr=True)
    columns = (
        TextColumn("reading {task.description}", markup=False),
        BarColumn(),
        "{task.percentage:.0f} %",
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(path.name, total=1.0)
        return read_trace(path, replace(options, progress=lambda part: bar.update(task, completed=part)))


def show_rate(rate: float) -> str:
    """`rate` in three digits.

    Example:
        >>> show_rate(1_234_567), show_rate(45_600), show_rate(321.4)
        ('1.23 M', '45.6 k', '321')
    """
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.0f}"


def _runs(count: int) -> str:
    return "run" if count == 1 else "runs"
