"""A progress bar on stderr with rate and time left; nothing for what takes under two seconds."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET_S = 2.0
"""What is done sooner shows no bar."""


class Advance:
    """Moves the one line of a bar on, and says for a while that something else is done."""

    def __init__(self, progress: "Progress", name: str, total: int) -> None:
        self._progress, self._name = progress, name
        self._task = progress.add_task(name, total=total, rate="")

    def __call__(self, more: int) -> None:
        """So many more are done."""
        speed = self._progress.tasks[self._task].speed
        self._progress.update(self._task, advance=more, rate="" if speed is None else f"{speed:,.0f}/s")

    def describe(self, words: str) -> None:
        """Say what is done now; nothing stands for what the bar is of."""
        self._progress.update(self._task, description=words or self._name)


@contextmanager
def bar(name: str, total: int, unit: str) -> Iterator[Advance]:
    """A function to call with how many more are done; draws nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Left

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=20), MofNCompleteColumn(),
        TextColumn(unit + " {task.fields[rate]}"), TimeElapsedColumn(), TextColumn("left"), Left(),
    )  # fmt: skip
    progress = Progress(*columns, console=console, transient=True)
    advance = Advance(progress, name, total)
    late = threading.Timer(QUIET_S, progress.start)
    late.daemon = True

    if console.is_terminal:
        late.start()
    try:
        yield advance
    finally:
        late.cancel()
        if progress.live.is_started:
            progress.stop()
