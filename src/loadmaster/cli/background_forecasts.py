"""Forecasts beside a live scheduler, made in a separate process: no cycle waits for a forecast."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loadmaster.verbs.record_reader_process import LiveReader

SAMPLES = 10


class BackgroundForecasts(LiveReader):
    """Reads the record again and again, as `live --forecast all` does.

    Args:
        folder: of the record.
        program: for tests; None: this one.
    """

    def __init__(self, folder: Path, program: Sequence[str] | None = None) -> None:
        super().__init__(("--forecast", "all", "--record", str(folder), "--samples", str(SAMPLES)), program)
        self.text = "nothing yet"

    def look(self) -> str:
        """What was foretold last; never waits. To be called after every cycle."""
        news = self.news()
        if news is not None:
            self.text = _forecast_line(news)
        return self.text


def _forecast_line(news: dict[str, Any]) -> str:
    """In a line: the next start, when all waiting jobs have started, how good earlier forecasts were."""
    if not news:
        return "none yet: too few jobs have ended"
    rows, judged = news["forecasts"], news["judged"]
    if not rows:
        return "no job waits"
    from loadmaster.model.units import percent, show_seconds

    first = rows[0]
    parts = []
    if first["start_s"] is not None:
        start, low, high = (
            "never" if first[name] is None else show_seconds(max(0.0, first[name] - first["at_s"]))
            for name in ("start_s", "low_s", "high_s")
        )
        parts.append(f"{first['job']} starts in {start} ({low} to {high})")
    last = [row["start_s"] - row["at_s"] for row in rows if row["start_s"] is not None]
    if last:
        parts.append(f"the last of {len(rows):,} waiting jobs in {show_seconds(max(0.0, max(last)))}")
    if judged["jobs"]:
        parts.append(
            f"{percent(judged['inside'] / judged['jobs'], 0)} of {judged['jobs']} earlier starts were "
            "inside the interval"
        )
    return "; ".join(parts) or "no waiting job can ever start"
