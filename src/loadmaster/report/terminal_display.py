"""A display in the terminal that is rewritten in place while something runs, and removed at the end."""

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


class OnTerminal:
    """A place on a console that is rewritten between `with` and its end; nothing where that is no terminal."""

    def __init__(self, console: "Console", first: "RenderableType" = "") -> None:
        from rich.live import Live

        self._console = console
        self._live: Any = Live(first, console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def rewrite(self, content: "RenderableType") -> None:
        """Show this from now on."""
        if self._console.is_terminal:
            self._live.update(content)
