"""The table at a terminal while a live scheduler runs, printed again after every cycle."""

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from loadmaster.report.terminal_display import OnTerminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from loadmaster.live.queue.ledger import Ledger
    from loadmaster.live.queue.record import CycleDecision
    from loadmaster.live.queue.settings import LiveSettings
    from loadmaster.live.session.report import Report
    from loadmaster.runs.interim_waits import InterimWaits

SHOWN = 5
"""The last so many starts."""


class LiveTable(OnTerminal):
    """On stderr, in a terminal only; of a dry run what it would have asked, on any stderr.

    What must be said is said at once: in a terminal above the table, else on stdout, or on stderr where stdout is JSON.
    """

    def __init__(
        self,
        engine: str,
        how: "LiveSettings",
        jobs: int | None = None,
        foretold: "Callable[[], str] | None" = None,
        *,
        as_json: bool = False,
    ) -> None:
        from loadmaster.live.queue.agreement import AgreementCounter
        from loadmaster.report.console import for_notes, for_results

        super().__init__(for_notes())
        self._engine, self._how, self._jobs, self._foretold = engine, how, jobs, foretold
        self._starts: list[str] = []
        self._says = self._console if as_json or self._console.is_terminal else for_results()
        self._followed: Counter[str] = Counter()
        self._agreeing = AgreementCounter()
        self.so_far: InterimWaits | None = None
        """What jobs have waited so far, of a shadow; None until that is known."""

    def show(self, now_s: float, ledger: "Ledger", decided: "CycleDecision", report: "Report") -> None:
        """Called after every cycle."""
        fresh = [
            f"{now_s:,.0f} s: {start.id} on {', '.join(dict.fromkeys(start.hosts))}"
            for each in decided.passes
            for start in each.starts
        ]
        self._starts = [*self._starts, *fresh][-SHOWN:]
        self._followed.update(
            each.options[each.chosen].member for each in decided.passes if each.options and each.chosen >= 0
        )
        if not self._how.acts:
            self._agreeing.look(now_s, ledger.listing, decided)
        if self._how.mode == "dry-run":
            for line in fresh:
                self._console.print(f"would start at {line}")
        if self._console.is_terminal:
            self.rewrite(self.table(now_s, ledger, report))

    def say(self, note: str) -> None:
        """What must be said, with the time of day."""
        self._says.print(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {note}", soft_wrap=True)
        self._says.file.flush()

    def table(self, now_s: float, ledger: "Ledger", report: "Report") -> "Table":
        """The table as it stands."""
        from loadmaster.report.console import new_table

        table = new_table(title=f"{self._engine}, {self._how.mode}", show_header=False)
        running = sum(run.running for run in ledger.runs.values())
        rows: dict[str, Any] = {
            "cycle": f"{now_s:,.0f} s, number {report.cycles:,}",
            "queue": f"{len(ledger.waiting.rows):,} may start now",
            "running": f"{running:,}, and {len(ledger.runs) - running:,} about to start",
            "starts": self._started(report.starts),
            "refusals": ", ".join(f"{kind} {n:,}" for kind, n in report.refusals.items()) or "none",
            **self._rules(),
            **({"forecast": self._foretold()} if self._foretold is not None else {}),
            "by others": f"{report.foreign:,}",
            "skipped cycles": f"{report.skipped:,}",
            "left out": f"{len(report.left_out):,}",
            "last": "\n".join(self._starts) or "nothing yet",
        }
        for name, value in rows.items():
            table.add_row(name, value)
        return table

    def _started(self, starts: int) -> str:
        most = self._how.max_starts
        if most is not None and starts >= most and self._how.acts:
            return f"{starts:,}, the limit of --max-starts: the other jobs wait until this run ends"
        return f"{starts:,}" + (f" of {self._jobs:,} jobs" if self._jobs else "")

    def _rules(self) -> dict[str, str]:
        """How far the site agrees with a shadow, and which member a meta-rule followed; nothing of other runs."""
        from loadmaster.model.units import percent

        rules = {}
        if not self._how.acts:
            agreed = self._agreeing.agreement.summary()
            theirs, job, hosts = agreed["site_starts"], agreed["same_job"], agreed["same_hosts"]
            of = f" of {theirs:,} starts of the site, {percent(hosts or 0, 0)} on the same hosts"
            rules["agreement"] = "the site has started nothing yet" if job is None else f"{percent(job, 0)}{of}"
        if self._how.mode == "shadow":
            rules["so far"] = "nothing yet" if self.so_far is None else str(self.so_far)
        if self._followed:
            rules["followed"] = ", ".join(f"{member} {count:,}" for member, count in self._followed.most_common())
        return rules
