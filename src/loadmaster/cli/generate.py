"""`loadmaster generate KIND`: synthetic workloads. A new kind is one file with a command, and one line in the table."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from loadmaster.cli.examples import shown_below
from loadmaster.cli.generate_bag import bag
from loadmaster.cli.generate_lublin import lublin
from loadmaster.cli.generate_netbatch import netbatch
from loadmaster.cli.generate_opportunity import opportunity
from loadmaster.cli.generate_own import own
from loadmaster.cli.generate_virtual_clusters import virtual_clusters, virtual_jobs

KINDS: dict[str, Callable[..., None]] = {
    "bag": bag,
    "lublin": lublin,
    "netbatch": netbatch,
    "opportunity": opportunity,
    "own": own,
    "virtual-clusters": virtual_clusters,
    "virtual-jobs": virtual_jobs,
}
"""Every kind by its name on the command line, and the function whose parameters are its options."""


class GeneratorKinds(TyperGroup):
    """A file's function stands where the name of a kind stands: of it `own` is put before it."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The kind that is named, or `own`."""
        own_kind = bool(args) and ".py" in args[0] and args[0] not in KINDS
        return super().resolve_command(ctx, ["own", *args] if own_kind else args)


generate = typer.Typer(help="Make a synthetic workload.", no_args_is_help=True, cls=GeneratorKinds)
for name, command in KINDS.items():
    generate.command(name, epilog=shown_below(f"generate {name}"))(command)
