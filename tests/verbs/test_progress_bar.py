"""The bar of long work: what it counts."""

from loadmaster.verbs.progress import Bar


def test_the_bar_counts_runs_of_studies_that_come_later(capsys):
    with Bar() as bar:
        bar.ahead(8)
        bar.begin(cells=2, kept=0, steps=10)
        assert bar._bar.tasks[0].total == 100
        bar.finished(0)
        assert bar._bar.tasks[0].description == "run 2 of 10"
        bar.ahead(0)
        bar.begin(cells=8, kept=0, steps=10)
        with bar.preparing("a rule"):
            pass
        assert (bar._bar.tasks[0].description, bar._bar.tasks[0].completed) == ("run 1 of 10", 10)
        assert bar._bar.tasks[0].total == 100
    assert "9 still to be made" in capsys.readouterr().err
