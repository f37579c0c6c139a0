"""A progress bar on stderr with rate and time left; nothing for what takes under two seconds."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

QUIET_S = 2.0
"""What is done sooner shows no bar."""


@contextmanager
def bar(name: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
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
    task = progress.add_task(name, total=total, rate="")
    late = threading.Timer(QUIET_S, progress.start)
    late.daemon = True

    def advance(more: int) -> None:
        speed = progress.tasks[task].speed
        progress.update(task, advance=more, rate="" if speed is None else f"{speed:,.0f}/s")

    if console.is_terminal:
        late.start()
    try:
        yield advance
    finally:
        late.cancel()
        if progress.live.is_started:
            progress.stop()
