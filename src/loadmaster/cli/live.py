"""`loadmaster live ENGINE`: the scheduler that was simulated, on a real cluster. A new engine is one line here."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli import options as o
from loadmaster.cli.examples import shown_below
from loadmaster.cli.live_cgroup import cgroup
from loadmaster.cli.live_fake import fake
from loadmaster.cli.live_forecast import show_forecast
from loadmaster.cli.live_kubernetes import kubernetes
from loadmaster.cli.live_libvirt import libvirt
from loadmaster.cli.live_slurm import slurm

if TYPE_CHECKING:
    from loadmaster.live.session.check import ReplayedDecisions

ENGINES: dict[str, Callable[..., None]] = {
    "fake": fake, "slurm": slurm, "kubernetes": kubernetes, "cgroup": cgroup, "libvirt": libvirt,
}  # fmt: skip
"""Every engine by its name on the command line, and the function whose parameters are its options."""

live = typer.Typer(help="Run the scheduler that was simulated on a real cluster; --shadow first.")
for name, command in ENGINES.items():
    live.command(name, epilog=shown_below(f"live {name}"))(command)


@live.callback(invoke_without_command=True)
def check(
    context: typer.Context,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="DIR", help="Repeat every decision of the record in DIR, and simulate it."),
    ] = None,
    forecast: Annotated[
        str,
        typer.Option(
            "--forecast", metavar="JOB", help="Forecast when JOB starts, from a record; all: every waiting job."
        ),
    ] = "",
    record: Annotated[
        Path, typer.Option("--record", metavar="DIR", help="Record for --forecast; its run may still be active.")
    ] = Path("live"),
    so_far: Annotated[
        Path | None,
        typer.Option(
            "--so-far",
            metavar="DIR",
            help="Waits so far of the jobs of the shadow run in DIR: at the site, and under the rule.",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=5, max=10_000, metavar="N", help="Number of simulated futures for --forecast.")
    ] = 30,
    trust: o.Trust = False,
    as_json: o.AsJson = False,
) -> None:
    """Run the scheduler that was simulated on a real cluster; try --shadow first."""
    from loadmaster.cli.signature import typed
    from loadmaster.cli.unused_options import option, refuse_unused

    if context.invoked_subcommand is not None:
        if given := typed(context):
            from loadmaster.model import InputError

            fix = f"leave it out, or write it after live {context.invoked_subcommand}"
            raise InputError(option(context, given[0]), "this option cannot be given before an engine", fix=fix)
        return
    from loadmaster.model import InputError

    alone = {"--check": check is not None, "--forecast": bool(forecast), "--so-far": so_far is not None}
    if sum(alone.values()) > 1:
        words = " ".join(name for name, on in alone.items() if on)
        raise InputError(words, "only one of these options can be given", fix="give one of them")
    if forecast:
        show_forecast(record, forecast, samples, trust, as_json)
        return
    refuse_unused(context, ("record", "samples"), "it works only with --forecast")
    if so_far is not None:
        _so_far(so_far, trust, as_json)
        return
    if check is None:
        fix = f"name an engine ({', '.join(ENGINES)}), or give --check DIR, --forecast JOB or --so-far DIR"
        raise InputError("live", "no engine is named", fix=fix)
    _check(check, trust, as_json)


def _so_far(folder: Path, trust: bool, as_json: bool) -> None:
    from loadmaster.cli.command_line import command_line
    from loadmaster.live.queue.shadow_waits import interim_waits_in
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    waits = interim_waits_in(folder, trust=trust)
    if as_json:
        print_document(document("live", {"record": str(folder), "so_far": waits.plain()}, command=command_line()))
    else:
        for_results().print(str(waits), soft_wrap=True)


def _check(folder: Path, trust: bool, as_json: bool) -> None:
    from dataclasses import asdict

    from loadmaster.cli.command_line import command_line
    from loadmaster.live.guests.check import FILE as GUESTS
    from loadmaster.live.guests.check import check_guests
    from loadmaster.live.queue.check import check_live
    from loadmaster.live.shares.check import FILE as SHARES
    from loadmaster.live.shares.check import check_shares
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    if (folder / SHARES).exists():
        _show_checked(check_shares(folder), "decisions on CPU shares repeated identically", folder, as_json)
        return
    if (folder / GUESTS).exists():
        _show_checked(check_guests(folder), "decisions on caps and moves repeated identically", folder, as_json)
        return
    checked = check_live(folder, trust=trust)
    if as_json:
        content = asdict(checked) | {"check": str(folder), "same": checked.same}
        del content["notes"]
        print_document(document("live", content, command=command_line(), notes=checked.notes))
    else:
        console = for_results()
        console.print(_share("decisions repeated identically", checked.same_passes, checked.passes))
        console.print(_share("decided starts identical in the simulator", checked.same_starts, checked.starts))
        for line in (*([checked.first] if checked.first else []), *checked.notes):
            console.print(line, soft_wrap=True)
    if not checked.same:
        raise typer.Exit(1)


def _show_checked(checked: "ReplayedDecisions", what: str, folder: Path, as_json: bool) -> None:
    from dataclasses import asdict

    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    if as_json:
        content = asdict(checked) | {"check": str(folder)}
        print_document(document("live", content, command=command_line()))
    else:
        for_results().print(_share(what, checked.same, checked.decisions))
        if checked.first:
            for_results().print(checked.first, soft_wrap=True)
    if checked.same != checked.decisions:
        raise typer.Exit(1)


def _share(what: str, same: int, of: int) -> str:
    return f"{same:,} of {of:,} {what} ({100 * same / of if of else 100:.4g} %)"
