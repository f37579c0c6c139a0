"""`loadmaster generate KIND`: synthetic workloads. A new kind is one file with a command, and one line in the table."""

from collections.abc import Callable

import typer

from loadmaster.cli.generate_bag import bag
from loadmaster.cli.generate_netbatch import netbatch
from loadmaster.cli.generate_opportunity import opportunity
from loadmaster.cli.generate_virtual_clusters import lublin, virtual_clusters

KINDS: dict[str, Callable[..., None]] = {
    "bag": bag,
    "lublin": lublin,
    "netbatch": netbatch,
    "opportunity": opportunity,
    "virtual-clusters": virtual_clusters,
}
"""Every kind by its name on the command line, and the function whose parameters are its options."""

generate = typer.Typer(help="Make a synthetic workload.", no_args_is_help=True)
for name, command in KINDS.items():
    generate.command(name)(command)
