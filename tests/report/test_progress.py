"""The bar moves on by what is done, and says for a while that something else is."""

from rich.progress import Progress

from loadmaster.report.progress import Advance, bar


def test_a_bar_counts_and_names_what_is_done_now():
    progress = Progress(disable=True)
    advance = Advance(progress, "runs", 5)
    advance(2)
    advance(1)
    advance.describe("compiling")
    line = progress.tasks[0]
    assert (line.completed, line.total, line.description) == (3, 5, "compiling")
    advance.describe("")
    assert line.description == "runs"


def test_where_stderr_is_no_terminal_nothing_is_drawn(capsys):
    with bar("runs", 2, "runs") as advance:
        advance(2)
    assert capsys.readouterr() == ("", "")
