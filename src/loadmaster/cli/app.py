"""The table of verbs."""

import typer

from loadmaster.cli.compare import compare
from loadmaster.cli.convert import convert
from loadmaster.cli.generate import generate
from loadmaster.cli.info import info
from loadmaster.cli.policies import policies
from loadmaster.cli.reproduce import reproduce
from loadmaster.cli.run import run
from loadmaster.cli.share import share
from loadmaster.cli.size import size

app = typer.Typer(
    name="loadmaster",
    help="Which placement policy, which queue discipline, how many machines: asked of your own log.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for verb in (compare, convert, info, policies, reproduce, run, share, size):
    app.command()(verb)
app.add_typer(generate, name="generate")
