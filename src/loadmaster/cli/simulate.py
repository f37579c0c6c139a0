"""`loadmaster simulate`: one run, kept with everything needed to repeat it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.system.counted import counted
from loadmaster.verbs.simulate import SimulateOptions

if TYPE_CHECKING:
    from loadmaster.runs import Case, Outcome, Setting
    from loadmaster.verbs.simulate import Simulated


@taking(SimulateOptions, out=Path("run"))
def simulate(
    options: SimulateOptions,
    again: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Repeat the run recorded in DIR, and compare the two bit by bit.")
    ] = None,
    trust: o.Trust = False,
    as_json: o.AsJson = False,
) -> None:
    """Simulate one run and write its record, from which `explain` works and the run can be repeated."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.verbs.progress import Bar
    from loadmaster.verbs.simulate import simulate_with
    from loadmaster.verbs.unused_options import refuse_all_but

    if again is not None:
        refuse_all_but(options, (), "the record says how the run was made", "leave it out, or leave out --again")
        _rerun(again, trust, as_json)
        return
    if trust:
        from loadmaster.model import InputError

        raise InputError("--trust", "it works only with --again", fix="give it with --again DIR")
    with Bar() as bar:
        result = simulate_with(options, bar, command_line())
    case, out = result.record.case, Path(options.out or "")
    if as_json:
        from loadmaster.report.document import print_document

        closures = {} if result.effect is None else {"closures": result.effect.row()}
        beside = {"record": str(out), **closures, **_breakdown(result)}
        print_document(_document(case, result.record.setting, result.outcome, beside))
    elif result.effect is not None:
        from loadmaster.report.console import for_results

        for line in result.effect.sentences:
            for_results().print(line, soft_wrap=True)
    if result.groupings and not as_json:
        from loadmaster.report.breakdown_terminal import print_breakdown
        from loadmaster.report.console import for_results

        print_breakdown(for_results(), result.rule_groups, result.groupings)
    _show(result.outcome, case, out, as_json, result.metrics)


def _breakdown(result: "Simulated") -> dict[str, Any]:
    from loadmaster.report.breakdown import breakdown_rows

    return {"by": list(result.groupings), "breakdown": breakdown_rows(result.rule_groups, result.groupings)}


def _document(
    case: "Case", setting: "Setting", outcome: "Outcome", content: dict[str, Any], notes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """What `--json` prints of a run: the row that `compare` has for it, and where it is kept."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.comparison import warnings
    from loadmaster.report.document import document, left_out, rejected_jobs

    content |= {"warnings": warnings(outcome), **rejected_jobs(case.rejected), **outcome.row()}
    return document(
        "simulate",
        content,
        command=command_line(),
        seed=setting.seed,
        synthetic=case.workload.synthetic,
        notes=(*case.notes, *notes),
        left_out=left_out(case.skipped),
    )


def _rerun(folder: Path, trust: bool, as_json: bool) -> None:
    from loadmaster.report.console import for_results
    from loadmaster.report.document import print_document
    from loadmaster.runs.prepare import compile_first
    from loadmaster.runs.record import read_record
    from loadmaster.runs.rerun import rerun
    from loadmaster.runs.trust import check_trust
    from loadmaster.verbs.progress import Bar

    record = read_record(folder)
    check_trust(record, trust)
    with Bar() as bar:
        bar.begin(1, 0, record.workload.jobs)
        compile_first(record.case, [record.setting], bar, record.sources)
        outcome = rerun(record, progress=lambda n, _: bar.moved(0, n), trust=trust)
        bar.finished(0)
    if as_json:
        content = {"again": str(folder), "same": outcome.same, "differing_jobs": max(outcome.differing_jobs, 0)}
        print_document(_document(record.case, record.setting, outcome.outcome, content, outcome.notes))
    else:
        verdict = (
            f"Identical to the bit: {counted(record.workload.jobs, 'job')} with the same starts and hosts, and "
            f"the same cycles."
            if outcome.same
            else f"Different: {counted(outcome.differing_jobs, 'job has', 'jobs have')} another start or host."
            if outcome.differing_jobs > 0
            else "Different: all jobs have the same start and host, but the cycles differ."
        )
        for line in (verdict, *outcome.notes):
            for_results().print(line, soft_wrap=True)
    if not outcome.same:
        raise typer.Exit(1)


def _show(outcome: "Outcome", case: "Case", out: Path, as_json: bool, metrics: tuple[str, ...] = ()) -> None:
    from loadmaster.report.comparison import warnings
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.rules.find import given
    from loadmaster.verbs.notes import remarks

    notes = for_notes()
    if not as_json:
        if case.left_out:
            for_results().print(f"{case.left_out_first}The figures are those of the rest.", soft_wrap=True)
        for line in _lines(_chosen_metrics(outcome.row(), metrics)):
            for_results().print(line)
    trust = " --trust" if given(outcome.setting.specs) else ""
    where = f"The record: {out}; `loadmaster explain {out} JOB{trust}` explains one of its jobs."
    for line in (*(f"warning: {text}" for text in warnings(outcome)), *remarks(case), where):
        notes.print(line)
    if outcome.faults:
        raise typer.Exit(1)


def _lines(row: dict[str, Any]) -> list[str]:
    from loadmaster.measure.metric import shown_as
    from loadmaster.report.columns import metric_text, short

    lines = []
    for name, value in row.items():
        if isinstance(value, dict):
            words = "chosen or tied" if name == "chosen" else name.replace("_", " ")
            lines += [f"{words + ' ' + part:32} {_part(share)}" for part, share in value.items()]
        elif isinstance(value, float) and "per" not in name and shown_as(name).unit in ("s", "core_s", "part"):
            lines.append(f"{name.removesuffix('_s').replace('_', ' '):32} {metric_text(name, value)}")
        elif value is not None:
            text = short(value) if isinstance(value, float) else f"{value:,}" if type(value) is int else value
            lines.append(f"{name.replace('_', ' '):32} {text}")
    return lines


def _chosen_metrics(row: dict[str, Any], metrics: tuple[str, ...]) -> dict[str, Any]:
    """The row with its metrics beside the rest; of several metrics only those that were chosen, zeros among them."""
    from loadmaster.measure.metric import METRICS

    values = row["metrics"]
    if metrics:
        shown = {name: row[name] for name in ("policy", "discipline", "load", "jobs", "mean_wait_s")}
        return shown | {name.rpartition(":")[2]: values[name] for name in metrics}
    more = {name: value for name, value in values.items() if value and name in METRICS and name not in row}
    return {name: value for name, value in row.items() if name != "metrics"} | more


def _part(value: float) -> str:
    from loadmaster.model.units import percent

    return f"{value:,}" if isinstance(value, int) else percent(value, 1)
