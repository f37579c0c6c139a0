"""`reproduce`: re-run a paper, its published values beside ours."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.papers.claim import Reproduction
    from loadmaster.report.page import Page, Table
    from loadmaster.results.watch import Watch

_VERDICTS = (
    "A claim holds if our interval meets the published value. A claim about an ordering holds if our results have "
    "that ordering. If the paper also prints a size, both must hold. If the paper says too little to judge a claim, "
    "the claim is only reported."
)
_OF_SEVERAL = {"holds": "hold", "ordering holds, size differs": "hold as orderings only", "differs": "differ"}
TONES = {
    "holds": "good", "ordering holds, size differs": "fair", "differs": "bad", "report only": "muted",
    "not measured": "muted",
}  # fmt: skip


@dataclass(frozen=True)
class ReproduceOptions(DaskOptions):
    """All that `reproduce` can be told."""

    paper: Annotated[str, Option("The paper: author and year, such as shai2014.", argument=True)]
    _: KW_ONLY
    quick: Annotated[bool, Option("Run a smaller set, in some minutes.")] = False
    seed: Annotated[int, Option("Seed of every random draw.", least=0)] = 0
    out: Annotated["str | Path", Option("Folder for pages and charts.", flags=("-o", "--out"), typed=Path)] = Path(
        "reproduction"
    )
    traces: Annotated["str | Path | None", Option("Folder with real logs.", typed=Path | None)] = None
    trace: Annotated["str | Path | None", Option("A log of your own.", reads=True, typed=Path | None)] = None
    live: Annotated[bool, Option("Measure on this machine what only real processes show.")] = False


@dataclass(frozen=True, eq=False, repr=False)
class Reproduced(Result):
    """The result of `reproduce`.

    Attributes:
        paper: its name here.
        reproduction: its claims, figures and notes.
        file: where its page was written.
        command: the command that makes it again.
    """

    verb = "reproduce"

    paper: str
    reproduction: "Reproduction"
    file: Path
    command: str = ""

    @property
    def answer(self) -> str:
        """The title, and how many of its claims hold."""
        return f"{self.reproduction.title}: {verdicts(self.reproduction)}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that a reader must know beside the claims."""
        return tuple(self.reproduction.notes)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each claim: where, claim, published, ours, verdict, gate, n, note."""
        import polars as pl

        return pl.DataFrame([asdict(claim) for claim in self.reproduction.claims], infer_schema_length=None)

    def plot(self) -> Any:
        """The paper's first figure, ours beside the published: an Altair chart.

        Raises:
            InputError: it has no figure.
        """
        from loadmaster.model.errors import InputError
        from loadmaster.report.page import Chart

        charts = [block.chart for block in self.reproduction.blocks if type(block) is Chart]
        if not charts:
            raise InputError(self.paper, "this paper has no figure here", fix="see its frame")
        return charts[0]

    def page(self) -> "Page":
        """All claims, how many hold in each part, all figures."""
        from loadmaster.report.page import Block, Chart, Heading, Page, Text
        from loadmaster.report.page_footer import page_footer
        from loadmaster.report.verdict_chart import verdict_chart

        result = self.reproduction
        places = [(claim.where, claim.verdict) for claim in result.claims]
        blocks: list[Block] = [Heading("The claims"), _claims(result), *(Text(note, "note") for note in result.notes)]
        blocks += [Heading("What holds where"), Chart(verdict_chart(places), _VERDICTS)] if places else []
        blocks += [Heading("Figures"), *result.blocks] if result.blocks else []
        footer = page_footer({"command": self.command, "paper": self.paper})
        return Page(
            f"{result.title}: {verdicts(result)}", [*blocks, *footer], label=f"loadmaster reproduce {self.paper}"
        )


def reproduce_with(options: ReproduceOptions, watch: "Watch | None" = None, command: str = "") -> Reproduced:
    """Re-run a paper's tables and figures: published value beside ours.

    Args:
        options: which paper, and how.
        watch: called with the progress of the runs.
        command: how to make it again; made of the options where it is not given.

    Returns:
        A row for each claim; the page is written into `out`.

    Raises:
        InputError: no such paper, a log that cannot be read, or an option changes nothing.
    """
    import importlib

    from loadmaster.model.errors import InputError
    from loadmaster.papers import PAPERS, StudyOptions
    from loadmaster.results.progress_file import progress_file_in
    from loadmaster.results.watch import Watch
    from loadmaster.rules.near import pick
    from loadmaster.verbs.folder import make_folder

    paper = options.paper
    chosen = pick(paper, PAPERS, what="paper", see=f"known: {', '.join(PAPERS)}")
    logs = [name for name in chosen.reads if name != "live"]
    refuse_unused(options, {"traces", "trace"}.difference(logs), _reads(paper, logs))
    refuse_unused(options, {"live"}.difference(chosen.reads), f"{paper} measures nothing on this machine")
    traces, trace = (None if each is None else Path(each) for each in (options.traces, options.trace))
    if traces is not None and not traces.is_dir():
        raise InputError(str(traces), "there is no such folder of logs", where="--traces")
    address, out = options.address, Path(options.out)
    command = command or options.call("reproduce")
    with progress_file_in(out / paper, command, watch or Watch()) as progress:
        make_folder(out / paper)
        study = StudyOptions(options.quick, options.seed, out, traces, trace, address, options.live, progress)
        result = importlib.import_module(chosen.module).reproduce(study)
    reproduced = Reproduced(paper, result, out / paper / "report.html", command)
    reproduced.save(out / paper)
    return reproduced


def verdicts(result: "Reproduction") -> str:
    """How many claims have each verdict."""
    counts = Counter[str](claim.verdict for claim in result.claims)
    rows = [
        (n, verdict if n == 1 else _OF_SEVERAL.get(verdict, verdict)) for verdict in TONES if (n := counts[verdict])
    ]
    return ", ".join(f"{n} {words}" for n, words in rows)


def _reads(paper: str, reads: Sequence[str]) -> str:
    return f"{paper} reads {f'logs from --{reads[0]} only' if reads else 'no logs, it makes its own'}"


def _claims(result: "Reproduction") -> "Table":
    """The claims as the page shows them: under their table or figure, gate and note below each in small print."""
    from loadmaster.report.page import Table

    places = dict.fromkeys(claim.where for claim in result.claims)
    claims = [claim for where in places for claim in result.claims if claim.where == where]
    bands = {next(i for i, claim in enumerate(claims) if claim.where == where): where for where in places}
    small = {
        i: ". ".join(
            f"{text[0].upper()}{text[1:]}" for text in (claim.gate and f"gate: {claim.gate}", claim.note) if text
        )
        for i, claim in enumerate(claims)
    }
    return Table(
        ("claim", "published", "ours", "n", "verdict"),
        [
            [claim.claim, claim.published, claim.ours, f"{claim.n:,}" if claim.n else "", claim.verdict]
            for claim in claims
        ],
        bands=bands,
        prose=True,
        tones={(i, 4): TONES[claim.verdict] for i, claim in enumerate(claims)},
        below={i: text for i, text in small.items() if text},
    )


reproduce = called_with(ReproduceOptions, reproduce_with)
