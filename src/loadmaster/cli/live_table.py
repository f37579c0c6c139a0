"""What a person sees while a live scheduler runs: one small table, anew after every cycle."""

from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from loadmaster.live.conduct import Conduct, Report
    from loadmaster.live.ledger import Ledger
    from loadmaster.live.record import Decided

SHOWN = 5
"""The last so many starts."""


class LiveTable:
    """On stderr, in a terminal only; of a dry run, what would have been asked is printed on any stderr."""

    def __init__(self, engine: str, how: "Conduct", jobs: int | None = None) -> None:
        from rich.live import Live

        from loadmaster.report.console import for_notes

        self._engine, self._how, self._jobs = engine, how, jobs
        self._console = for_notes()
        self._live = Live(console=self._console, refresh_per_second=4, transient=True)
        self._starts: list[str] = []

    def __enter__(self) -> "LiveTable":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def show(self, now_s: float, ledger: "Ledger", decided: "Decided", report: "Report") -> None:
        """Called after every cycle."""
        fresh = [
            f"{now_s:,.0f} s: {start.id} on {', '.join(dict.fromkeys(start.hosts))}"
            for each in decided.passes for start in each.starts
        ]  # fmt: skip
        self._starts = [*self._starts, *fresh][-SHOWN:]
        if self._how.mode == "dry-run":
            for line in fresh:
                self._console.print(f"would start at {line}")
        if self._console.is_terminal:
            self._live.update(self.table(now_s, ledger, report))

    def table(self, now_s: float, ledger: "Ledger", report: "Report") -> "Table":
        """The table as it stands."""
        from rich.table import Table

        table = Table(title=f"{self._engine}, {self._how.mode}", show_header=False, title_justify="left")
        running = sum(run.running for run in ledger.runs.values())
        rows: dict[str, Any] = {
            "cycle": f"{now_s:,.0f} s, number {report.cycles:,}",
            "queue": f"{len(ledger.waiting.rows):,} may start now",
            "running": f"{running:,}, and {len(ledger.runs) - running:,} asked to start",
            "starts": f"{report.starts:,}" + (f" of {self._jobs:,} jobs" if self._jobs else ""),
            "refusals": ", ".join(f"{kind} {n:,}" for kind, n in report.refusals.items()) or "none",
            "by others": f"{report.foreign:,}",
            "skipped cycles": f"{report.skipped:,}",
            "left out": f"{len(report.left_out):,}",
            "last": "\n".join(self._starts) or "nothing yet",
        }
        for name, value in rows.items():
            table.add_row(name, value)
        return table
