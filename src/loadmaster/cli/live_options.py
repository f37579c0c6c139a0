"""Options that all engines of `loadmaster live` share, and the run that they come to."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from loadmaster.live.conduct import Conduct, Report
    from loadmaster.live.engine import Clock, Engine
    from loadmaster.runs import Setting

CONDUCT = "How it behaves"

Policy = Annotated[str, typer.Option(metavar="POLICY", help="Placement policy; also file.py:function and max-jobs.")]
Discipline = Annotated[str, typer.Option(metavar="DISCIPLINE", help="Queue discipline, such as multifactor+easy.")]
Interval = Annotated[str, typer.Option(metavar="TIME", help="Time between two cycles.", rich_help_panel=CONDUCT)]
Shadow = Annotated[
    bool,
    typer.Option("--shadow", help="Decide and write down; ask nothing of the engine.", rich_help_panel=CONDUCT),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="As --shadow, and print what would have been asked.", rich_help_panel=CONDUCT),
]
For = Annotated[str, typer.Option("--for", metavar="TIME", help="End after so long.", rich_help_panel=CONDUCT)]
MaxStarts = Annotated[
    int | None, typer.Option(min=0, metavar="N", help="Start no more than N jobs in all.", rich_help_panel=CONDUCT)
]
OnExit = Annotated[
    Literal["release", "hold"],
    typer.Option(help="At the end, give what waits to the engine's own scheduler, or not.", rich_help_panel=CONDUCT),
]
Others = Annotated[
    Literal["keep", "release"],
    typer.Option(help="What becomes of jobs that the model has no words for.", rich_help_panel=CONDUCT),
]
MetricsPort = Annotated[
    int | None,
    typer.Option("--metrics", min=0, max=65535, metavar="PORT", help="Serve /metrics on 127.0.0.1 while it runs."),
]
Out = Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where the record goes; an earlier one goes on.")]


def conduct(
    interval: str, shadow: bool, dry_run: bool, for_: str, max_starts: int | None, on_exit: Literal["release", "hold"],
    others: Literal["keep", "release"],
) -> "Conduct":  # fmt: skip
    """How the run is to behave.

    Raises:
        InputError: a time is none, or two options contradict each other.
    """
    from loadmaster.live.conduct import Conduct
    from loadmaster.model import InputError
    from loadmaster.model.units import parse_seconds

    interval_s = parse_seconds(interval)
    if interval_s <= 0:
        raise InputError(interval, "a live scheduler needs a time between its cycles", fix="such as --interval 5s")
    if shadow and dry_run:
        raise InputError("--shadow --dry-run", "both ask nothing of the engine", fix="give one of them")
    for_s = parse_seconds(for_) if for_ else float("inf")
    mode: Literal["live", "dry-run", "shadow"] = "shadow" if shadow else "dry-run" if dry_run else "live"
    return Conduct(interval_s, mode, for_s, max_starts, on_exit, others)


def drive(
    engine: "Engine", clock: "Clock", setting: "Setting", how: "Conduct", out: Path, *, as_json: bool,
    synthetic: bool | None = None, notes: tuple[str, ...] = (), jobs: int | None = None,
    done: Callable[[], bool] | None = None, metrics: int | None = None,
) -> None:  # fmt: skip
    """Run `setting` live on `engine`, show it, and keep it in the folder `out`."""
    from loadmaster.cli.live_table import LiveTable
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.live.agreement import agreement_of
    from loadmaster.live.kept_run import kept_run
    from loadmaster.live.loop import run_live
    from loadmaster.live.metrics import Metrics
    from loadmaster.live.record import LiveRecord, lines_of
    from loadmaster.model import InputError
    from loadmaster.runs import discipline_of, policy_of, sources_of
    from loadmaster.runs.record import write_record
    from loadmaster.schedule import Scheduler

    make_folder(out)
    sources = sources_of(setting)
    scheduler = Scheduler(policy_of(setting, sources), discipline_of(setting, sources))
    about = {"setting": setting.plain(), "sources": sources, "command": command_line()}
    record = LiveRecord(out)
    try:
        with LiveTable(engine.name, how, jobs) as table, Metrics(metrics) as served:

            def watch(*cycle: Any) -> None:
                table.show(*cycle)
                served.show(*cycle)

            report = run_live(
                engine, clock, scheduler, how, record, about=about, seed=setting.seed, watch=watch, done=done
            )
    finally:
        record.close()
        engine.close()
    try:
        kept = kept_run(lines_of(out), scheduler.discipline.order, setting, sources)
        write_record(out, kept, command=command_line(), result=_summary(report))
        notes = (*notes, *kept.case.notes)
    except InputError as error:  # nothing was there to be kept
        notes = (*notes, str(error))
    beside = {} if how.acts else agreement_of(lines_of(out)).summary()
    _show(report, beside, setting, out, as_json, synthetic, notes)


def _show(
    report: "Report",
    beside: dict[str, Any],
    setting: "Setting",
    out: Path,
    as_json: bool,
    synthetic: bool | None,
    notes: tuple[str, ...],
) -> None:
    from loadmaster.cli.run_options import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document

    summary = _summary(report) | beside
    if as_json:
        content = {"record": str(out)} | summary | {"left_out_jobs": [list(pair) for pair in report.left_out]}
        made = document(
            "live", content, command=command_line(), seed=setting.seed, synthetic=synthetic,
            notes=(*notes, *report.notes),
        )  # fmt: skip
        print_document(made)
    else:
        for name, value in summary.items():
            text = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
            text = ", ".join(text) if isinstance(text, list) else text
            for_results().print(f"{name.replace('_', ' '):32} {text if text not in ('', None) else 'none'}")
        for note in (*notes, *report.notes):
            for_notes().print(note)
    for_notes().print(f"The record: {out}; `loadmaster live --check {out}` takes its decisions again.")
    if report.stranded:
        for_notes().print(f"warning: not handed back to the engine: {', '.join(report.stranded[:20])}", style="yellow")
        raise typer.Exit(1)
    if report.ended == "stopped":
        raise typer.Exit(130)


def _summary(report: "Report") -> dict[str, Any]:
    plain = asdict(report)
    return {
        "ended": report.ended,
        **{name: plain[name] for name in ("cycles", "missed", "skipped", "starts", "foreign")},
        "refusals": dict(report.refusals),
        "lost": report.lost,
        "stranded": report.stranded,
    }
