"""The output of a live run of a queue, and of a check of an engine."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from loadmaster.report.log_lines import Format, LogLines
from loadmaster.system.counted import counted

if TYPE_CHECKING:
    from loadmaster.verbs.live_result import Lived, Looked

MOST_ROWS = 20
_PARTS = ("same_job", "same_hosts")
"""Figures that are parts of a whole."""


def show_queue(result: "Lived | Looked", as_json: bool, log_format: Format = "text") -> None:
    """Print it.

    Raises:
        Exit: see `loadmaster.cli.live_end.end`.
    """
    from loadmaster.cli.live_end import end, print_json
    from loadmaster.cli.live_findings import show
    from loadmaster.report.console import for_notes
    from loadmaster.verbs.live_result import Looked

    if isinstance(result, Looked):
        show(result, as_json)
        return
    if as_json:
        print_json(result)
    elif log_format == "json":
        about = {"record": str(result.folder), "notes": list(result.notes)}
        LogLines("json").write(f"the run has ended: {result.ended}", "end", **about, **result.figures)
    else:
        _print(result)
    fallbacks = result.figures["fallbacks"]
    if fallbacks:
        those = counted(fallbacks, "cycle")
        text = f"warning: the rule failed: in {those} first-fit decided in its place"
        for_notes().print(text, style="yellow", soft_wrap=True)
    end(result, "not handed back to the engine", failed=fallbacks > 0)


def _print(result: "Lived") -> None:
    from loadmaster.model.units import percent
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.runs.interim_waits import InterimWaits

    summary = {name: value for name, value in result.figures.items() if name != "left_out_jobs"}
    by_host = summary.pop("stranded_by_host", ())
    if "so_far" in summary:
        summary["so_far"] = str(InterimWaits.of(summary["so_far"]))
    for name, value in summary.items():
        text = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        text = ", ".join(text) if isinstance(text, list) else text
        if isinstance(text, float):
            text = percent(text, 1) if name in _PARTS else f"{text:,.10g}"
        shown = text if text not in ("", None) else "none"
        for_results().print(f"{name.replace('_', ' '):32} {shown}", soft_wrap=True)
    for line in _left_out(result.figures.get("left_out_jobs", ())):
        for_results().print(line, soft_wrap=True)
    if by_host:
        for_results().print(_stranded_table(by_host))
    for note in result.notes:
        for_notes().print(note)


def _left_out(jobs: Iterable[Sequence[str]]) -> list[str]:
    """A line for each reason why jobs were not decided on at the end, with the first of their names."""
    names: dict[str, list[str]] = {}
    for name, why in jobs:
        names.setdefault(why, []).append(name)
    return [
        f"{'not decided on':32} {', '.join(job_names[:MOST_ROWS])}"
        + (f" and {len(job_names) - MOST_ROWS:,} more" if len(job_names) > MOST_ROWS else "")
        + f": {why}"
        for why, job_names in names.items()
    ]


def _stranded_table(rows: list[dict[str, Any]]) -> Any:
    """The hosts on which the site and we differ most."""
    from loadmaster.model.units import percent
    from loadmaster.report.console import new_table

    table = new_table("host", "resource", "stranded by the site", "by us")
    for row in sorted(rows, key=lambda row: -abs(row["site"] - row["ours"]))[:MOST_ROWS]:
        table.add_row(row["host"], row["resource"], percent(row["site"], 1), percent(row["ours"], 1))
    return table
