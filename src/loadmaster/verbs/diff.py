"""`diff`: two records of runs compared job by job."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.common_options import PageFolder
from loadmaster.verbs.option import Option, Options, called_with
from loadmaster.verbs.result import Result

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.page import Page
    from loadmaster.runs.record_difference import RecordDifference
    from loadmaster.verbs.simulate import Simulated


@dataclass(frozen=True)
class DiffOptions(Options):
    """All that `diff` takes."""

    first: Annotated[
        "str | Path | Simulated",
        Option("Folder of a run record, from `loadmaster simulate`.", metavar="RUN", argument=True, typed=Path),
    ]
    second: Annotated[
        "str | Path | Simulated",
        Option("Folder of the record to compare with it.", metavar="RUN", argument=True, typed=Path),
    ]
    _: KW_ONLY
    top: Annotated[int, Option("How many of the jobs that differ most are shown.", least=1)] = 10
    out: PageFolder = None


@dataclass(frozen=True, eq=False, repr=False)
class Differing(Result):
    """The result of `diff`.

    Attributes:
        difference: of the two records.
        top: how many jobs the page shows.
        command: the command that makes it again.
    """

    verb = "diff"

    difference: "RecordDifference"
    top: int
    command: str = ""

    @property
    def equal(self) -> bool:
        """Whether both hold the same jobs with the same starts, hosts and ends."""
        return self.difference.equal

    @property
    def answer(self) -> str:
        """How many jobs differ, and in which properties."""
        from loadmaster.report.record_difference import difference_answer

        return difference_answer(self.difference)

    @property
    def notes(self) -> tuple[str, ...]:
        """Jobs of one record alone, and the differences between the settings of the two."""
        from loadmaster.report.record_difference import difference_notes

        return difference_notes(self.difference)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each job that differs, the largest difference first; times in seconds."""
        return self.difference.frame(self.difference.largest_first)

    def plot(self) -> Any:
        """When each job that differs arrived, and by how much later it starts in the second run: an Altair chart."""
        from loadmaster.report.record_difference import difference_chart

        return difference_chart(self.difference)

    def page(self) -> "Page":
        """The metrics that moved, the starts, the jobs that differ most."""
        from loadmaster.report.record_difference import difference_page

        return difference_page(self.difference, self.top, self.command)

    @property
    def figures(self) -> dict[str, Any]:
        """The whole result as plain values; `rows` are the jobs that differ most."""
        from loadmaster.report.record_difference import difference_answer

        both = self.difference
        frame = both.frame(both.largest_first[: self.top])
        return {
            "answer": difference_answer(both),
            "equal": both.equal,
            "jobs": len(both.row),
            "only_first": both.only[0],
            "only_second": both.only[1],
            "start_differs": int((abs(both.later_s) > 0).sum()),
            "hosts_differ": int(both.moved.sum()),
            "started_in_one": int(both.started_in_one.sum()),
            "settings": {name: list(values) for name, values in both.settings.items()},
            "metrics": {name: list(values) for name, values in both.metrics.items()},
            "rows": frame.to_dicts(),
        }


def diff_with(options: DiffOptions, command: str = "") -> Differing:
    """Compare two records job by job: which jobs start at another time or on other hosts, which metrics moved.

    Args:
        options: the two records.
        command: how to make it again; made of the options where it is not given.

    Raises:
        InputError: no such record, or the two have no job in common.
    """
    from loadmaster.runs.record import read_record
    from loadmaster.runs.record_difference import record_difference

    first, second = (
        read_record(Path(run)) if isinstance(run, str | Path) else run.record for run in (options.first, options.second)
    )
    result = Differing(record_difference(first, second), options.top, command or options.call("diff"))
    if options.out is not None:
        result.save(options.out)
    return result


diff = called_with(DiffOptions, diff_with)
