"""`loadmaster live --forecast JOB`: when a waiting job starts, with an interval, and how good such intervals were."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadmaster.live.queue.forecast import ForecastReport


def show_forecast(folder: Path, job: str, samples: int, trust: bool, as_json: bool) -> None:
    """Foretell from the record in `folder`, and print it.

    Raises:
        InputError: see `forecast_starts`.
    """
    from loadmaster.cli.command_line import command_line
    from loadmaster.live.queue.forecast import forecast_starts
    from loadmaster.report.console import for_notes
    from loadmaster.report.document import document, print_document

    foretold = forecast_starts(folder, job, samples=samples, trust=trust)
    if as_json:
        print_document(document("live", _content(folder, foretold), command=command_line(), notes=foretold.notes))
        return
    _print(foretold)
    for note in foretold.notes:
        for_notes().print(note)


def _content(folder: Path, foretold: "ForecastReport") -> dict[str, Any]:
    from dataclasses import asdict
    from math import isfinite

    rows = [
        {
            name: value if not isinstance(value, float) or isfinite(value) else None
            for name, value in asdict(each).items()
        }
        for each in foretold.forecasts
    ]
    return {
        "record": str(folder),
        "forecasts": rows,
        "judged": asdict(foretold.judged),
        "launch_s": foretold.launch_s,
        "ended_jobs": foretold.ended,
    }


def _print(foretold: "ForecastReport") -> None:
    from loadmaster.measure.forecast_calibration import LEVEL
    from loadmaster.model.units import percent
    from loadmaster.report.console import for_results, new_table

    console, judged = for_results(), foretold.judged
    if not foretold.forecasts:
        console.print("No job waits.")
    if foretold.forecasts:
        shown = new_table()
        for name in ("job", "starts in", f"from ({percent(LEVEL, 0)})", "to", "at about"):
            shown.add_column(name, justify="left" if name == "job" else "right")
        for each in foretold.forecasts:
            if not each.why:
                spans = (_span(moment - each.at_s) for moment in (each.start_s, each.low_s, each.high_s))
                shown.add_row(each.job, *spans, _moment(each.start_s))
        if shown.row_count:
            console.print(shown)
        for each in foretold.forecasts:
            if each.why:
                console.print(f"{each.job} has no forecast start: {each.why}.", soft_wrap=True)
    if judged.jobs:
        error = (
            ""
            if judged.error_s is None
            else f"; on average they started {_span(abs(judged.error_s))} "
            + ("later" if judged.error_s > 0 else "earlier")
        )
        share = f"{percent(judged.inside / judged.jobs, 0)}; {percent(LEVEL, 0)} is the target"
        console.print(
            f"Of {judged.jobs} earlier jobs, forecast as they arrived, {judged.inside} started within such an interval "
            f"({share}){error}. The samples alone held {judged.inside_plain}: intervals are wider by "
            f"{percent(judged.widened, 0)} of the wait.",
            soft_wrap=True,
        )
    if foretold.launch_s is not None:
        console.print(f"From decision to start a job takes {foretold.launch_s:.3g} s (median).")


def _span(seconds: float) -> str:
    from loadmaster.model.units import show_seconds

    return "never" if seconds == float("inf") else show_seconds(seconds)


def _moment(at_s: float) -> str:
    """A moment of the real clock in local time; of a clock of its own, such as a fake's, nothing."""
    from datetime import datetime
    from math import isfinite

    if not isfinite(at_s) or at_s < 1e9:
        return ""
    return datetime.fromtimestamp(at_s).astimezone().strftime("%Y-%m-%d %H:%M")
