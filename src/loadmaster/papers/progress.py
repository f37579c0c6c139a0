"""A progress bar on stderr with rate and time left, for the long runs of papers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(name: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """A function to call with how many more are done; draws nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn(unit + " {task.fields[rate]}"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(name, total=total, rate="")

        def advance(more: int) -> None:
            speed = progress.tasks[task].speed
            progress.update(task, advance=more, rate="" if speed is None else f"{speed:,.0f}/s")

        yield advance
