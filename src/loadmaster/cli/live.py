"""`loadmaster live ENGINE`: the scheduler that was simulated, on a real cluster. A new engine is one line here."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli import options as o
from loadmaster.cli.live_fake import fake
from loadmaster.cli.live_kubernetes import kubernetes
from loadmaster.cli.live_slurm import slurm

ENGINES: dict[str, Callable[..., None]] = {"fake": fake, "slurm": slurm, "kubernetes": kubernetes}
"""Every engine by its name on the command line, and the function whose parameters are its options."""

live = typer.Typer(help="Run the scheduler that was simulated on a real cluster; --shadow first.")
for name, command in ENGINES.items():
    live.command(name)(command)


@live.callback(invoke_without_command=True)
def check(
    context: typer.Context,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="DIR", help="Take every decision of the record in DIR again, and simulate it."),
    ] = None,
    trust: o.Trust = False,
    as_json: o.AsJson = False,
) -> None:
    """Run the scheduler that was simulated on a real cluster; look at it in --shadow first."""
    from loadmaster.model import InputError

    if context.invoked_subcommand is not None:
        if check is not None or trust or as_json:
            raise InputError("--check", "it stands alone", fix=f"write live {context.invoked_subcommand} without it")
        return
    if check is None:
        fix = f"name an engine ({', '.join(ENGINES)}), or give --check DIR"
        raise InputError("live", "nothing says what to run on", fix=fix)
    _check(check, trust, as_json)


def _check(folder: Path, trust: bool, as_json: bool) -> None:
    from dataclasses import asdict

    from loadmaster.cli.run_options import command_line
    from loadmaster.live.check import check_live
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    checked = check_live(folder, trust=trust)
    if as_json:
        content = asdict(checked) | {"check": str(folder), "same": checked.same}
        del content["notes"]
        print_document(document("live", content, command=command_line(), notes=checked.notes))
    else:
        console = for_results()
        console.print(_share("decisions taken again alike", checked.same_passes, checked.passes))
        console.print(_share("starts alike in the simulator", checked.same_starts, checked.starts))
        for line in (*([checked.first] if checked.first else []), *checked.notes):
            console.print(line, soft_wrap=True)
    if not checked.same:
        raise typer.Exit(1)


def _share(what: str, same: int, of: int) -> str:
    return f"{same:,} of {of:,} {what} ({100 * same / of if of else 100:.4g} %)"
