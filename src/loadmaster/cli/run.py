"""`loadmaster run`: executes a file of shell commands on machines that a sizer rents and gives back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli.dask_options import TlsCa, TlsCert, TlsKey

if TYPE_CHECKING:
    from loadmaster.live.terms import Report, Terms


def run(
    context: typer.Context,
    commands: Annotated[
        Path, typer.Argument(help="A file with one shell command a line; lines with # are passed over.")
    ],
    on: Annotated[
        str, typer.Option(help="local, slurm, or the address of a Dask scheduler (tls://HOST:PORT or tcp://...).")
    ] = "local",
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="Open Dask's dashboard, to all users of this machine, on loopback.")
    ] = False,
    sizer: Annotated[str, typer.Option(help="planner, silva, all-at-once or a number of machines.")] = "planner",
    budget: Annotated[
        float | None, typer.Option(help="Money that may be spent, over all starts; ends as soon as it allows.")
    ] = None,
    deadline: Annotated[
        str | None, typer.Option(help="Such as 2h from the first start; kept as cheaply as possible.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="With which budget or deadline are to be kept.")] = 0.9,
    guess: Annotated[str | None, typer.Option(help="Duration of one command, if you have an idea: 5min.")] = None,
    prices: Annotated[Path | None, typer.Option(help="Table of machine types.")] = None,
    machine_type: Annotated[
        str | None, typer.Option("--type", help="The machine type of that table to rent, if it has several.")
    ] = None,
    billing: Annotated[str | None, typer.Option(help="second, minute, hour, or a duration.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Machines at the same time; on local: as many as processors.")
    ] = None,
    copies: Annotated[
        bool, typer.Option("--copies", help="Start the last stragglers a second time; the first to end counts.")
    ] = False,
    retries: Annotated[int, typer.Option(min=0, help="How often a failing command is tried again.")] = 0,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try again what failed for good in an earlier run of the same file.")
    ] = False,
    timeout: Annotated[str | None, typer.Option(help="A command is killed after this time, such as 10min.")] = None,
    slurm_option: Annotated[list[str] | None, typer.Option(help="For SLURMCluster, such as queue=short.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder of log and output; default COMMANDS.run.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Run a bag of shell commands for real on Dask; started again, it goes on where it stopped."""
    import dataclasses
    import math

    from rich.console import Console

    from loadmaster.cli.bag_options import chosen_sizer, chosen_type
    from loadmaster.cli.bag_progress import BagProgress
    from loadmaster.cli.dask_options import certificates
    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.compiled import timing_compilation
    from loadmaster.live.bag_runner import run_commands
    from loadmaster.live.place import Place, machines
    from loadmaster.live.terms import Terms
    from loadmaster.process import usable_cores
    from loadmaster.report.document import document, print_document

    if budget is None and deadline is None:
        refuse_idle(context, ["confidence"], "it is for a budget or a deadline")
    lines = read_commands(commands)
    console = Console(stderr=True)
    kind = chosen_type(prices, billing, machine_type)
    most = limit or (usable_cores() if on == "local" else len(lines))
    kind = dataclasses.replace(kind, limit=min(kind.limit, most))
    chosen = chosen_sizer(sizer, kind, len(lines), budget, deadline, confidence, guess, copies)
    folder = out or commands.with_suffix(commands.suffix + ".run")
    boot_limit_s = 120.0 if on == "local" else math.inf  # a Slurm job may wait in the queue for hours
    terms = Terms(folder, chosen, kind, retries, time_limit(timeout), boot_limit_s, retry_failed)
    where = Place(
        on, slurm_options(on, slurm_option or []), certificates(on, tls_ca, tls_cert, tls_key), folder, dashboard
    )
    make_folder(folder)
    progress = BagProgress(console, len(lines))
    try:
        with machines(where) as place, progress, timing_compilation(progress.compiling):
            if dashboard:
                progress.say(f"dashboard, open to all users of this machine: {place.client.dashboard_link}")
            report = run_commands(lines, terms, place, progress.show, progress.say)
    except KeyboardInterrupt:
        console.print(
            f"what is done is kept in {folder}",
            soft_wrap=True,
            highlight=False,
            markup=False,
        )
        raise
    summary = {
        "tasks": len(lines), "done": len(report.exits) - len(report.failed), "failed": report.failed,
        "unpaid": report.unpaid, "skipped": report.skipped, "again": [list(pair) for pair in report.again],
        "left_behind": [list(pair) for pair in report.left_behind], "span_s": report.span_s,
        "since_first_start_s": report.elapsed_s, "cost": report.cost, "spent_before": report.spent_before,
        "spent": report.spent, "budget": terms.budget, "deadline_s": terms.deadline_s, "machines": report.hosts,
        "folder": str(folder),
    }  # fmt: skip
    if as_json:
        print_document(document("run", summary, command=command_line()))
    else:
        print("\n".join(summary_lines(report, terms, len(lines))))
    if report.failed or report.unpaid:
        raise typer.Exit(1)


def summary_lines(report: "Report", terms: "Terms", tasks: int) -> list[str]:
    """What became of a bag of so many commands, of this start and of all starts."""
    from loadmaster.model.units import show_seconds

    kind = terms.kind
    lines = [
        f"{len(report.exits) - len(report.failed)} of {tasks} commands ended well in {show_seconds(report.span_s)}"
        f" on {report.hosts} machines for {report.cost:.4g} ({kind.name}, {kind.price_per_h:g} an hour)"
        + (f"; {report.skipped} were done before" if report.skipped else "")
    ]
    if report.elapsed_s > report.span_s:
        since = show_seconds(report.elapsed_s)
        lines.append(f"in all starts: {report.spent:.4g} spent, the first one began {since} ago")
    if report.failed:
        failed = ", ".join(map(str, report.failed))
        lines.append(f"failed: {failed}; see {terms.folder}/tasks; --retry-failed tries again")
    if report.unpaid:
        left = f"{len(report.unpaid)} commands are not done"
        how = f"is spent ({report.spent:.4g})" if report.spent else "does not pay for one machine"
        lines.append(f"the budget of {terms.budget:g} {how}, {left}; a higher --budget goes on")
    if terms.deadline_s is not None and report.elapsed_s > terms.deadline_s:
        lines.append(f"the deadline passed {show_seconds(report.elapsed_s - terms.deadline_s)} before the end")
    return lines


def read_commands(path: Path) -> list[str]:
    """The commands of a file, without empty lines and comments.

    Raises:
        InputError: no such file, or nothing in it that can be run.
    """
    from loadmaster.model.errors import InputError

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, "cannot be read as text", fix="give a file with one shell command a line") from error
    lines = [line.strip() for line in text.split("\n")]  # splitlines would cut commands at form feeds and the like
    found = [line for line in lines if line and not line.startswith("#")]
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise InputError(line[:40], "a command cannot hold a zero byte", where=f"{path}:{number}")
    if not found:
        raise InputError(path, "holds no command", fix="write one shell command a line")
    return found


def time_limit(text: str | None) -> float | None:
    """Seconds after which a command is killed, None for never.

    Raises:
        InputError: not a duration above 0.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds

    seconds = parse_seconds(text) if text is not None else None
    if seconds is not None and seconds <= 0:
        raise InputError(text, "a command needs some time: --timeout must be above 0", fix="write it like 10min")
    return seconds


def slurm_options(on: str, given: list[str]) -> dict[str, str]:
    """What `--slurm-option` says, by name.

    Raises:
        InputError: the run is not on Slurm, or an option is not NAME=VALUE.
    """
    from loadmaster.model.errors import InputError

    if given and on != "slurm":
        raise InputError(f"--on {on}", "--slurm-option needs --on slurm", fix="leave one of them out")
    for option in given:
        if not option.partition("=")[0] or "=" not in option:
            raise InputError(option, "--slurm-option takes NAME=VALUE", fix="such as --slurm-option queue=short")
    return dict(option.split("=", 1) for option in given)
