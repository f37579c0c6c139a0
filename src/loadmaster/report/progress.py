"""A progress bar on stderr with rate and time left; nothing for what takes under two seconds."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loadmaster.results.watch import Watch

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET_S = 2.0
"""What is done sooner shows no bar."""


class Advance:
    """Moves the one line of a bar on, and says for a while that something else is done."""

    def __init__(self, progress: "Progress", name: str, total: int, watch: Watch = Watch()) -> None:
        self._progress, self._name, self._watch, self._done = progress, name, watch, 0
        self._task = progress.add_task(name, total=total, rate="")

    def __call__(self, more: int) -> None:
        """So many more are done."""
        self._done += more
        self._watch.counted(self._done)
        speed = self._progress.tasks[self._task].speed
        self._progress.update(self._task, advance=more, rate="" if speed is None else f"{speed:,.0f}/s")

    def describe(self, words: str) -> None:
        """Say what is done now; nothing stands for what the bar is of."""
        self._watch.doing(words)
        self._progress.update(self._task, description=words or self._name)


@contextmanager
def bar(name: str, total: int, unit: str, watch: Watch | None = None) -> Iterator[Advance]:
    """A function to call with how many more are done; draws nothing where stderr is no terminal.

    Args:
        name: of what is done.
        total: of all steps.
        unit: of a step, in the plural.
        watch: told as well.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Left

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn(unit + " {task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        Left(),
    )
    progress = Progress(*columns, console=console, transient=True)
    watcher = watch or Watch()
    watcher.phase(name, total, unit)
    advance = Advance(progress, name, total, watcher)
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
