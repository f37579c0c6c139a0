"""The screen of a live run: its table with forecasts at a terminal, lines in a log, and its messages."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.cli.background_forecasts import BackgroundForecasts
from loadmaster.cli.live_lines import LiveLines, is_interactive
from loadmaster.cli.live_table import LiveTable
from loadmaster.report.log_lines import LogLines

if TYPE_CHECKING:
    from loadmaster.live.queue.settings import LiveSettings
    from loadmaster.verbs.live_drive import Screen as MakeScreen
    from loadmaster.verbs.live_options import QueueOptions


def screen_of(options: "QueueOptions", as_json: bool) -> "MakeScreen":
    """What makes the screen of a run.

    Raises:
        InputError: stdout cannot be one document and lines at once.
    """
    from loadmaster.model import InputError

    if as_json and options.log_format == "json":
        rule = "--json is one document on stdout, --log-format json a line for each event"
        raise InputError("--json --log-format json", rule, fix="give one of them")
    return partial(Screen, as_json=as_json, log=LogLines(options.log_format))


class Screen:
    """See `loadmaster.verbs.live_drive.Screen`.

    Args:
        engine, how, jobs, out, ready: as there.
        as_json: stdout is for one JSON document at the end.
        log: where lines go.
    """

    def __init__(
        self,
        engine: str,
        how: "LiveSettings",
        jobs: int | None,
        out: Path,
        ready: bool,
        *,
        as_json: bool,
        log: LogLines,
    ) -> None:
        self._log = log
        on = log.form == "json" or (ready and not as_json and not is_interactive())
        self._lines = LiveLines(how, on=on, log=log)
        self._foretelling = BackgroundForecasts(out)
        self._table = LiveTable(engine, how, jobs, self._foretelling.look if ready else None, as_json=as_json)

    def __enter__(self) -> "Screen":
        self._foretelling.__enter__()
        self._table.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._table.__exit__(*error)
        self._foretelling.__exit__(*error)

    @property
    def so_far(self) -> Any:
        """What jobs have waited so far, of a shadow."""
        return self._table.so_far

    @so_far.setter
    def so_far(self, waits: Any) -> None:
        self._table.so_far = waits

    def say(self, note: str) -> None:
        """Called at once with what must be said."""
        if self._log.form == "json":
            self._log.write(note)
        else:
            self._table.say(note)

    def show(self, *cycle: Any) -> None:
        """Called after every cycle."""
        self._lines.show(*cycle)
        self._table.show(*cycle)
