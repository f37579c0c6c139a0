"""`explain`: why a job got its host at that time, or a task its place."""

from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from loadmaster.verbs.common_options import PageFolder
from loadmaster.verbs.option import Option, Options, called_with
from loadmaster.verbs.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from loadmaster.report.page import Page
    from loadmaster.runs.choice import Choice
    from loadmaster.runs.delay import LiveReasons
    from loadmaster.runs.explain import Explanation
    from loadmaster.runs.record import Record
    from loadmaster.verbs.explain_moves import Planned
    from loadmaster.verbs.explain_placement import ExplainedTask
    from loadmaster.verbs.pack import Packed
    from loadmaster.verbs.simulate import Simulated


@dataclass(frozen=True)
class ExplainOptions(Options):
    """All that `explain` can be told."""

    run: Annotated[
        "str | Path | Simulated | Packed | Planned",
        Option(
            "Folder of a run record (`loadmaster simulate`), of a placement (`pack`) or of moves (`rebalance`).",
            metavar="RUN",
            argument=True,
            typed=Path,
        ),
    ]
    job: Annotated[
        "str | int",
        Option(
            "The job, by its number or name in the log, such as 12_3; or a command or a machine of a live record, or a "
            "task of a placement.",
            metavar="JOB",
            argument=True,
            typed=str,
        ),
    ]
    _: KW_ONLY
    top: Annotated[int, Option("How many of the possible hosts are shown.", least=1)] = 8
    beside: Annotated[
        "str | Path | Simulated | None",
        Option(
            "Folder of a second run record: why the job started here, and there at another time.",
            metavar="RUN",
            typed=Path | None,
        ),
    ] = None
    trust: Annotated[bool, Option("Run the Python of a policy file in the record; read it first.")] = False
    out: PageFolder = None

    @property
    def record(self) -> "Record":
        """The run; one that is live and has not ended, as far as it has come.

        Raises:
            InputError: there is no whole record there.
        """
        from loadmaster.runs.record import read_record

        given: Any = self.run
        if not isinstance(given, str | Path):
            record: Record = given.record
            return record
        folder = Path(given)
        if _is_behind(folder):
            from loadmaster.live.queue.run_record import run_record_in

            return run_record_in(folder)
        return read_record(folder)

    @property
    def name(self) -> int | str:
        """What the job is called: a number of the log, or a name such as `12_3`."""
        word = str(self.job).strip()
        return int(word) if word.isdecimal() else word


def _is_behind(folder: Path) -> bool:
    """Whether a live run has gone on since it was last kept as the record of a run, or never was."""
    from loadmaster.verbs.kept_folder import LIVE, RUN

    live, run = folder / LIVE, folder / RUN
    return live.is_file() and (not run.is_file() or run.stat().st_mtime < live.stat().st_mtime)


@dataclass(frozen=True, eq=False, repr=False)
class Explained(Result):
    """The result of `explain`.

    Attributes:
        record: of the run.
        told: the history of the job, with reasons.
        top: how many hosts are shown.
        command: the command that makes it again.
        other: the same job in a second run; None where none was named.
    """

    verb = "explain"

    record: "Record"
    told: "Explanation"
    top: int
    command: str = ""
    other: "Explained | None" = None

    @property
    def sentences(self) -> list[str]:
        """Its history, what it waited for, and why it got its host, separated by empty lines."""
        from loadmaster.report.explanation import sentences

        return sentences(self.record, self.told)

    @property
    def answer(self) -> str:
        """The history of the job; with a second run, how the two differ."""
        from loadmaster.report.explanation import two_starts

        return self.sentences[0] if self.other is None else two_starts(self.told, self.other.told)

    @property
    def notes(self) -> tuple[str, ...]:
        """What it waited for, and why it got its host; of both runs where there are two."""
        if self.other is None:
            return tuple(line for line in self.sentences[1:] if line)
        runs = ("In the first run", self), ("In the second run", self.other)
        return tuple(f"{which}: {line}" for which, run in runs for line in run.sentences if line)

    @property
    def figures(self) -> dict[str, Any]:
        """The whole result as plain values: seconds, amounts by resource, hosts by name."""
        from loadmaster.report.explanation import as_plain

        beside = {} if self.other is None else {"answer": self.answer, "beside": self.other.figures}
        return as_plain(self.record, self.told, self.top) | beside

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each host that the job could have had, the chosen one first: host, score, free_<resource>."""
        import polars as pl

        cluster, choice = self.record.case.cluster, self.told.choice
        rows = [
            {"host": cluster.name(each.host), "score": each.score}
            | {f"free_{name}": amount for name, amount in zip(cluster.resources, each.free.tolist(), strict=True)}
            for each in (choice.candidates if choice is not None else ())
        ]
        kinds = {"host": pl.String, "score": pl.Float64, **{f"free_{name}": pl.Float64 for name in cluster.resources}}
        return pl.DataFrame(rows, schema=kinds)

    def plot(self) -> Any:
        """The scores of the hosts that it could have had, the lowest on top, which wins: an Altair chart.

        Raises:
            InputError: the job never started.
        """
        from loadmaster.model.errors import InputError
        from loadmaster.report.scores_chart import scores_chart

        if self.told.choice is None:
            rule = self.told.unexplained or "this job got no host"
            raise InputError(self.told.identifier, rule, fix="see its answer and its notes")
        return scores_chart(self.record, self.told, self.top)

    def page(self) -> "Page":
        """What it waited for, the hosts that it could have had with their scores, and when all that was."""
        from loadmaster.report.explain_page import explain_page
        from loadmaster.report.page import Heading

        page = explain_page(self.record, self.told, self.top, self.command)
        if self.other is None:
            return page
        blocks = [Heading("In the first run"), *page.blocks, Heading("In the second run"), *self.other.page().blocks]
        return replace(page, title=self.answer, blocks=blocks)


def explain_with(options: ExplainOptions, command: str = "") -> "Explained | ExplainedTask":
    """Show why a job got its host at that time, or a task its place: possible hosts, what it waited for or lacks.

    Args:
        options: which run, which job.
        command: how to make it again; made of the options where it is not given.

    Raises:
        InputError: no such record or job, or the record carries Python and is not trusted.
    """
    placement = _placement(options)
    if placement is not None:
        from loadmaster.verbs.explain_moves import explain_planned_task
        from loadmaster.verbs.explain_placement import explain_task
        from loadmaster.verbs.pack import Packed

        name, command = str(options.job).strip(), command or options.call("explain")
        if isinstance(placement, Packed):
            task = explain_task(placement, name, options.top, command)
        else:
            task = explain_planned_task(placement, name, options.top, command)
        if options.out is not None:
            task.save(options.out)
        return task
    explained = _explanation(options, command or options.call("explain"))
    if options.beside is not None:
        second = replace(options, run=options.beside, beside=None)
        explained = replace(explained, other=_explanation(second, explained.command))
    if options.out is not None:
        explained.save(options.out)
    return explained


def _placement(options: ExplainOptions) -> "Packed | Planned | None":
    """The placement or the plan of moves that was named; None where it is the record of a run.

    Raises:
        InputError: the result of a verb that says no reasons, or an option that says nothing of a placement.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.verbs.explain_moves import Planned
    from loadmaster.verbs.kept_folder import RESULT, kind_of
    from loadmaster.verbs.open import read_result
    from loadmaster.verbs.pack import Packed
    from loadmaster.verbs.unused_options import refuse_unused

    found: Any = options.run
    if isinstance(found, str | Path):
        if not (Path(found) / RESULT).is_file() or kind_of(Path(found)) != "result":
            return None
        found = read_result(Path(found))
    if isinstance(found, Packed | Planned):
        refuse_unused(options, ["beside", "trust"], "it works only with records of runs")
        return found
    if isinstance(options.run, str | Path):
        fix = "name the folder of loadmaster simulate, live, pack or rebalance"
        raise InputError(options.run, f"this is a result of {found.verb}, which has no reasons to show", fix=fix)
    return None


def _explanation(options: ExplainOptions, command: str) -> Explained:
    """The job in one run."""
    from loadmaster.runs.explain import explain as explain_job

    record = options.record
    _refuse_left_out(options, record)
    where = str(options.run) if isinstance(options.run, str | Path) else ""
    told = explain_job(record, options.name, trust=options.trust, where=where, **_live(options, record))
    return Explained(record, told, options.top, command)


def _refuse_left_out(options: ExplainOptions, record: "Record") -> None:
    """Refuse a job of a live run that was never decided on, with the reason.

    Raises:
        InputError: it is such a job.
    """
    from loadmaster.live.queue.record import left_out_in, lines_of
    from loadmaster.model import InputError
    from loadmaster.runs.rebuild import job_named, meant
    from loadmaster.runs.record import LIVE

    given = options.run
    if record.workload.source != LIVE or not isinstance(given, str | Path):
        return
    if job_named(record, options.name) is not None:
        return
    left_out = left_out_in(lines_of(Path(given)))
    for row in meant(tuple(left_out), str(options.name)):
        raise InputError(options.name, f"the scheduler left it out: {tuple(left_out.values())[row]}")


class _Live(TypedDict, total=False):
    """What `runs.explain` takes for a job of a live run."""

    chosen: "Callable[[int], Choice]"
    live: "Callable[[int], LiveReasons]"


def _live(options: ExplainOptions, record: "Record") -> _Live:
    """Functions that tell why a job of a live run got its host, and why it waited; empty for any other run."""
    from functools import partial

    from loadmaster.runs.record import LIVE

    given = options.run
    if record.workload.source != LIVE or not isinstance(given, str | Path):
        return {}
    from loadmaster.live.queue.choice import live_choice
    from loadmaster.live.queue.wait_reasons import wait_reasons

    folder = Path(given)
    return {
        "chosen": partial(live_choice, folder, record, trust=options.trust),
        "live": partial(wait_reasons, folder, record),
    }


explain = called_with(ExplainOptions, explain_with)
