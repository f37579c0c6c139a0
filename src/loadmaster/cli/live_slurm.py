"""`loadmaster live slurm`: checks a Slurm, tests it, runs beside it or runs it, and releases its held jobs."""

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.live_slurm import SlurmOptions


@taking(SlurmOptions)
def slurm(options: SlurmOptions, as_json: o.AsJson = False) -> None:
    """Place the jobs of a running Slurm; start with --doctor, then --shadow."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.live_queue import show_queue
    from loadmaster.cli.live_screen import screen_of
    from loadmaster.verbs.live_slurm import slurm_with

    result = slurm_with(options, screen_of(options, as_json), command_line())
    show_queue(result, as_json, options.log_format)
