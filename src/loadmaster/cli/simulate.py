"""`loadmaster simulate`: one run, and its record; or a recorded run once more."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadmaster.cli import options as o
from loadmaster.cli import run_options as r
from loadmaster.cli import site_options as s

if TYPE_CHECKING:
    from loadmaster.runs import Case, Outcome, Setting

OF_A_RECORD = {"again", "trust", "as_json"}
"""Parameters that mean something when a recorded run is made again; the record says all else."""


def simulate(
    context: typer.Context,
    trace: o.OptionalTrace = None,
    hosts: o.Hosts = None,
    site: s.Site = None,
    site_accounts: s.SiteAccounts = None,
    policy: Annotated[
        str, typer.Option(metavar="POLICY", help="Placement policy; also file.py:function and max-jobs.")
    ] = "mix-fit",
    discipline: Annotated[str, typer.Option(metavar="DISCIPLINE", help="Queue discipline.")] = "netbatch",
    load: Annotated[str, typer.Option(metavar="LOAD", help="Offered load to scale the log to.")] = "",
    beta: Annotated[str, typer.Option(metavar="B", help="Factor on the times between arrivals.")] = "",
    interval: r.Interval = "30s",
    reservations: r.Reservations = "all",
    lookahead: r.Lookahead = "all",
    shares: r.Shares = "",
    max_jobs_members: r.MaxJobsMembers = "",
    max_jobs_target: r.MaxJobsTarget = "jobs",
    estimates: r.Estimates = "user",
    overrun: r.Overrun = "run",
    seed: o.Seed = 0,
    spread: o.SpreadOption = "auto",
    format: o.Format = "auto",
    swf_memory: o.SwfMemoryOption = "per-processor",
    swf_partition: o.SwfPartitionOption = "16",
    swf_feedback: o.SwfFeedbackOption = "ignore",
    ignore: o.Ignore = None,
    memory_unit: o.MemoryUnit = None,
    columns: o.Columns = None,
    limit: o.Limit = None,
    strict: o.Strict = False,
    check: r.Check = False,
    again: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Do the run recorded in DIR again, and compare to the bit.")
    ] = None,
    trust: o.Trust = False,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where the run's record goes.")] = Path("run"),
    as_json: o.AsJson = False,
) -> None:
    """Simulate one run and write its record, from which `explain` works and the run can be repeated."""
    from loadmaster.cli.idle import refuse_idle, refuse_idle_foresight, refuse_idle_settings, refuse_reading, typed

    if again is not None:
        others = set(typed(context)) - OF_A_RECORD
        refuse_idle(context, others, "the record says how the run was made", "leave it out, or leave out --again")
        _again(again, trust, as_json)
        return
    if trust:
        from loadmaster.model import InputError

        raise InputError("--trust", "it concerns a record that is run again", fix="give it with --again DIR")
    from loadmaster.cli.load import load as load_case
    from loadmaster.cli.load import remarks

    refuse_reading(context, trace)
    at = s.site_of(site, site_accounts, hosts)
    policy, discipline = s.usual(typed(context), policy, discipline, at)

    def wanted(betas: list[float]) -> "Setting":
        return r.only(r.settings(
            policy, discipline, betas, interval=interval, seed=seed, reservations=reservations,
            lookahead=lookahead, shares=shares, members=max_jobs_members, target=max_jobs_target,
            site=at.discipline if at is not None else "", estimates=estimates, overrun=overrun,
        ))  # fmt: skip

    refuse_idle_settings(context, [wanted([1.0])])
    r.make_folder(out)
    reading = o.read_options(
        format, swf_memory, memory_unit, columns, limit, strict, hosts,
        swf_partition=swf_partition, swf_feedback=swf_feedback, ignore=ignore,
    )  # fmt: skip
    case = load_case(trace, hosts, reading, spread, at)
    setting = wanted(r.betas(case, load, beta))
    refuse_idle_foresight(context, case, [setting])
    case = r.noting_runs(case, [setting])
    inputs = [Path(name) for name in (trace, hosts, site, site_accounts) if name is not None and Path(name).is_file()]
    r.warn_of_plain(case, [setting])
    outcome = _run(case, setting, check, out, inputs)
    if as_json:
        from loadmaster.report.document import print_document

        print_document(_document(case, setting, outcome, {"record": str(out)}))
    _show(outcome, remarks(case), out, as_json)


def _document(
    case: "Case", setting: "Setting", outcome: "Outcome", content: dict[str, Any], notes: tuple[str, ...] = ()
) -> dict[str, Any]:
    """What `--json` prints of a run: the row that `compare` has for it, and where it is kept."""
    from loadmaster.report.comparison import warnings
    from loadmaster.report.document import document, left_out

    content |= {"warnings": warnings(outcome), "rejected_jobs": left_out(case.rejected), **outcome.row()}
    return document(
        "simulate", content, command=r.command_line(), seed=setting.seed, synthetic=case.workload.synthetic,
        notes=(*case.notes, *notes), left_out=left_out(case.skipped),
    )  # fmt: skip


def _run(case: "Case", setting: "Setting", check: bool, out: Path, inputs: list[Path]) -> "Outcome":
    from loadmaster.cli.progress import Bar
    from loadmaster.runs import run_fully, sources_of
    from loadmaster.runs.prepare import compile_first
    from loadmaster.runs.record import Record, write_record

    sources = sources_of(setting)
    with Bar() as bar:
        bar.begin(1, 0, case.workload.jobs)
        compile_first(case, [setting], bar)
        schedule, outcome = run_fully(case, setting, sources, check=check, progress=lambda n, _: bar.moved(0, n))
        bar.finished(0)
    workload = case.workload if setting.beta == 1.0 else case.workload.scaled(setting.beta)
    record = Record(case, setting, workload, schedule, sources)
    write_record(out, record, command=r.command_line(), inputs=tuple(inputs), result=outcome.row())
    return outcome


def _again(folder: Path, trust: bool, as_json: bool) -> None:
    from loadmaster.cli.progress import Bar
    from loadmaster.report.console import for_results
    from loadmaster.report.document import print_document
    from loadmaster.runs.again import again
    from loadmaster.runs.prepare import compile_first
    from loadmaster.runs.record import read_record
    from loadmaster.runs.trust import check_trust

    record = read_record(folder)
    check_trust(record, trust)
    with Bar() as bar:
        bar.begin(1, 0, record.workload.jobs)
        compile_first(record.case, [record.setting], bar, record.sources)
        told = again(record, progress=lambda n, _: bar.moved(0, n), trust=trust)
        bar.finished(0)
    if as_json:
        content = {"again": str(folder), "same": told.same, "differing_jobs": max(told.differing_jobs, 0)}
        print_document(_document(record.case, record.setting, told.outcome, content, told.notes))
    else:
        verdict = (
            f"Identical to the bit: {record.workload.jobs:,} jobs with the same starts and hosts, and the same cycles."
            if told.same
            else f"Different: {told.differing_jobs:,} jobs have another start or host."
            if told.differing_jobs > 0
            else "Different: all jobs have the same start and host, but the cycles differ."
        )
        for line in (verdict, *told.notes):
            for_results().print(line, soft_wrap=True)
    if not told.same:
        raise typer.Exit(1)


def _show(outcome: "Outcome", remarks: list[str], out: Path, as_json: bool) -> None:
    from loadmaster.report.comparison import warnings
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.rules.find import given

    notes = for_notes()
    if not as_json:
        for line in _lines(outcome.row()):
            for_results().print(line)
    trust = " --trust" if given(outcome.setting.specs) else ""
    where = f"The record: {out}; `loadmaster explain {out} JOB{trust}` asks it about a job."
    for line in (*(f"warning: {text}" for text in warnings(outcome)), *remarks, where):
        notes.print(line)
    if outcome.faults:
        raise typer.Exit(1)


def _lines(row: dict[str, Any]) -> list[str]:
    from loadmaster.model.units import show_seconds
    from loadmaster.report.columns import short

    lines = []
    for name, value in row.items():
        if isinstance(value, dict):
            lines += [f"{name.replace('_', ' ') + ' ' + part:32} {_part(share)}" for part, share in value.items()]
        elif name.endswith("_s") and isinstance(value, float) and "per" not in name:
            seconds = f"{short(value / 3600)} core hours" if name == "lost_core_s" else show_seconds(value)
            lines.append(f"{name.removesuffix('_s').replace('_', ' '):32} {seconds}")
        else:
            text = short(value) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
            lines.append(f"{name.replace('_', ' '):32} {text}")
    return lines


def _part(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value * 100:.1f} %"
