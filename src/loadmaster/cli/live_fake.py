"""`loadmaster live fake`: the loop on an engine in memory, with a simulated clock and injected faults."""

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.live_fake import FakeOptions


@taking(FakeOptions)
def fake(options: FakeOptions, as_json: o.AsJson = False) -> None:
    """Run a log live on a cluster in memory: a day takes seconds, and faults can be injected.

    Without --for it ends when every job has ended.
    """
    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.live_queue import show_queue
    from loadmaster.cli.live_screen import screen_of
    from loadmaster.verbs.live_fake import fake_with

    result = fake_with(options, screen_of(options, as_json), command_line())
    show_queue(result, as_json, options.log_format)
