"""The table of verbs."""

import typer

from loadmaster.cli.compare import compare
from loadmaster.cli.policies import policies
from loadmaster.cli.reproduce import reproduce

app = typer.Typer(
    name="loadmaster",
    help="Which placement policy, which queue discipline, how many machines: asked of your own log.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for verb in (compare, policies, reproduce):
    app.command()(verb)
