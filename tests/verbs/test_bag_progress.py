"""What `run` says on stderr where that is no terminal."""

import io

from rich.console import Console

from loadmaster.verbs.bag_progress import BagProgress


def test_that_the_planner_is_compiled_is_said_once():
    stderr = io.StringIO()
    with BagProgress(Console(file=stderr), tasks=3) as progress:
        progress.compiling()
        progress.compiling()
    assert stderr.getvalue() == "compiling the planner, first time only\n"
