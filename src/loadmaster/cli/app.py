"""The table of verbs."""

import typer

from loadmaster.cli.compare import compare
from loadmaster.cli.convert import convert
from loadmaster.cli.explain import explain
from loadmaster.cli.generate import generate
from loadmaster.cli.info import info
from loadmaster.cli.live import live
from loadmaster.cli.pack import pack
from loadmaster.cli.policies import policies
from loadmaster.cli.rebalance import rebalance
from loadmaster.cli.reproduce import reproduce
from loadmaster.cli.run import run
from loadmaster.cli.share import share
from loadmaster.cli.simulate import simulate
from loadmaster.cli.size import size

VERBS = (  # in the order of --help
    compare,
    simulate,
    explain,
    policies,
    pack,
    rebalance,
    size,
    share,
    run,
    info,
    convert,
    reproduce,
)

app = typer.Typer(
    name="loadmaster",
    help="Which placement policy, which queue discipline, how many machines: asked of your own log.",
    pretty_exceptions_enable=False,
    add_completion=False,
)
for verb in VERBS:
    app.command()(verb)
app.add_typer(generate, name="generate")
app.add_typer(live, name="live")
