"""`tune`: search for a better rule, measure its gain on weeks that the search does not use, and write it to a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.licence_options import LicenceOptions
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import Discipline, Naming, Rule, name_of
from loadmaster.verbs.run_options import split
from loadmaster.verbs.site_change_options import SiteChangeOptions
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.page import Page
    from loadmaster.results.watch import Watch
    from loadmaster.runs import Setting
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.tuning.search import SearchPlan
    from loadmaster.tuning.tune import Tuning

SEARCH = "The search"
CHANGES_FILE = "slurm-changes.conf"
"""The lines of slurm.conf to change, where parameters of Slurm were searched."""


@dataclass(frozen=True, kw_only=True)
class TuneOptions(SiteChangeOptions, LicenceOptions, DaskOptions):
    """All that a search can be told."""

    search: Annotated[
        str | Sequence[str],
        Option(
            "What to search, one or several; tree: placements as small expressions; slurm: parameters of slurm.conf, "
            "alone. Default: slurm with a slurm.conf, else order.",
            metavar="order,placement,tree,backfilling|slurm",
            typed=str,
        ),
    ] = ""
    target: Annotated[
        str | Sequence[str],
        Option(
            "Metrics to lower; the gain is claimed in the first.",
            metavar="mean_wait_s,p95_wait_s,...",
            flags=("--for",),
            typed=str,
        ),
    ] = "mean_wait_s"
    policy: Annotated[Rule, Option("Placement policy, if placement is not searched.", metavar="POLICY", typed=str)] = (
        "first-fit"
    )
    discipline: Annotated[
        Discipline,
        Option("Order and backfilling, for the part that is not searched.", metavar="DISCIPLINE", typed=str),
    ] = "fcfs+easy"
    longest_wait_limit: Annotated[
        float,
        Option("Limit of the longest wait, as a multiple of that under fcfs+easy.", metavar="FACTOR", least=1.0),
    ] = 1.5
    trials: Annotated[int, Option("Try N candidates.", metavar="N", panel=SEARCH, least=1)] = 100
    runs: Annotated[
        int,
        Option("Run each on N shaken and resampled logs of the training weeks.", metavar="N", panel=SEARCH, least=2),
    ] = 4
    hold_out: Annotated[
        float,
        Option(
            "Part of the weeks, at the end, that the search never sees.",
            metavar="PART",
            panel=SEARCH,
            least=0.0,
            most=1.0,
        ),
    ] = 0.5
    samples: Annotated[
        int, Option("Measure the gain over N logs drawn from those weeks.", metavar="N", panel=SEARCH, least=5)
    ] = 40
    interval: Annotated[
        str | float,
        Option("Time between scheduling cycles, 30s or 5min; 0: at every event.", metavar="TIME", typed=str),
    ] = "0s"
    seed: Seed = 0
    store: Annotated[str, Option("Database of finished runs; in DIR if not given.", metavar="URL")] = ""
    out: Annotated[
        "str | Path | None",
        Option(
            "Folder for winner.py, the report and the trials.", metavar="DIR", flags=("-o", "--out"), typed=Path | None
        ),
    ] = None

    def plan(self, name: Naming, at: "SiteCase | None" = None) -> "SearchPlan":
        """The search that is requested.

        Args:
            name: names functions.
            at: the site.

        Raises:
            InputError: a word that is none of those that may be searched, or be low, or a time that is none.
        """
        from loadmaster.model.units import parse_seconds
        from loadmaster.runs import Setting
        from loadmaster.tuning.figures import TARGETS
        from loadmaster.tuning.search import SearchPlan
        from loadmaster.tuning.space import PARTS

        own = at is not None and at.site is not None and not at.fitted
        parts = _words(self.search or ("slurm" if own else "order"), "--search", PARTS)
        policy, discipline, words = name_of(self.policy, name), name_of(self.discipline, name), ""
        if "slurm" in parts and at is not None and at.site is not None and own:
            why = "parameters of the site's own queue are searched"
            refuse_unused(self, ["policy", "discipline"], why, "leave it out, or add --search order")
            policy, discipline, words = at.policy, at.discipline, at.site.scheduler.text
        base = Setting(policy, discipline, interval_s=parse_seconds(str(self.interval)), seed=self.seed)
        return SearchPlan(
            parts,
            base,
            _words(self.target, "--for", TARGETS),
            self.longest_wait_limit,
            self.trials,
            self.runs,
            seed=self.seed,
            scheduler_parameters=words,
        )


@dataclass(frozen=True)
class FoundRule:
    """The winner as Python takes it: `lm.compare(log, policies=[rule.policy], disciplines=[rule.discipline])`.

    Attributes:
        text: of `winner.py`.
        policy: a function, or the name of a built-in policy.
        discipline: an order, a function or a name, and the name of a backfilling.
    """

    text: str
    policy: Rule
    discipline: tuple[Rule, Rule]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Result):
    """The result of `tune`, also if nothing is gained.

    Attributes:
        tuning: the search, its winner, and the results on the held-out weeks.
        command: the command that makes it again.
    """

    verb = "tune"

    tuning: "Tuning"
    command: str = ""

    @property
    def answer(self) -> str:
        """The gain, or that none is claimed, in a sentence."""
        from loadmaster.report.tune_claims import tune_answer

        return tune_answer(self.tuning)

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that a reader must know beside the answer."""
        from loadmaster.report.tune_claims import tune_notes
        from loadmaster.verbs.notes import remarks

        return (*tune_notes(self.tuning), *remarks(self.tuning.case))

    @cached_property
    def rule(self) -> FoundRule | None:
        """The winner, for `compare`, `simulate` and live runs; None if no candidate keeps the limit."""
        from loadmaster.report.tune_claims import winner_text
        from loadmaster.rules.find import Reference
        from loadmaster.scheduling.notation import order_and_backfilling
        from loadmaster.tuning.space import FILE

        winner = self.tuning.selection.winner
        if winner is None:
            return None
        text = winner_text(self.tuning, self.command)
        order, backfilling = order_and_backfilling(winner.rule.setting.discipline)

        def found(spec: str) -> Rule:
            reference = Reference.of(spec) if spec.startswith(f"{FILE}:") else None
            return spec if reference is None else reference.function(text)

        return FoundRule(text, found(winner.rule.setting.policy), (found(order), found(backfilling)))

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each trial: targets and longest wait over the baseline's, whether it kept the limit, its values."""
        import polars as pl

        from loadmaster.report.tune_document import trial_rows

        rows = trial_rows(self.tuning)
        return pl.DataFrame([{**{k: v for k, v in row.items() if k != "values"}, **row["values"]} for row in rows])

    def plot(self) -> Any:
        """The figures of each trial, and whether it kept the limit on the longest wait: an Altair chart."""
        from loadmaster.report.tune_charts import trials_chart

        return trials_chart(self.tuning)

    def page(self) -> "Page":
        """The winner, its gain, the effect of each term, and the groups that lose."""
        from loadmaster.report.tune_page import tune_page

        return tune_page(self.tuning, self.notes, self.command)

    def write_tables(self, folder: Path) -> None:
        """Write winner.py where something was found, report.html, trials.parquet, and of several targets front/*.py."""
        from loadmaster.system.whole_file import whole_file, write_whole
        from loadmaster.tuning.rule_file import FRONT, front_files
        from loadmaster.tuning.space import FILE

        rule, tuning = self.rule, self.tuning
        for earlier in (folder / FILE, *(folder / FRONT).glob("candidate-*.py")):
            earlier.unlink(missing_ok=True)  # one of another search would be taken for this one's
        if rule is not None and self.file is not None:
            write_whole(folder / self.file, rule.text)
        changes = folder / CHANGES_FILE
        changes.unlink(missing_ok=True)
        if self.slurm_conf:
            write_whole(changes, "\n".join([f"# {self.answer}", f"# Found by: {self.command}", *self.slurm_conf, ""]))
        source = tuning.case.workload.source or "a log"
        for path, text in front_files(tuning.selection, tuning.plan, source).items():
            (folder / FRONT).mkdir(exist_ok=True)
            write_whole(folder / path, text)
        with whole_file(folder / "trials.parquet") as part:
            self.frame.write_parquet(part)

    @property
    def slurm_conf(self) -> tuple[str, ...]:
        """The lines of slurm.conf that the winner changes; () where parameters of Slurm were not searched."""
        from loadmaster.tuning.rule_file import winner_lines

        return winner_lines(self.tuning.selection, self.tuning.plan)

    @property
    def file(self) -> str | None:
        """The name of the winner's file; None if there is no winner, or it only sets parameters of a built-in rule."""
        from loadmaster.tuning.rule_file import file_name

        return None if self.tuning.selection.winner is None else file_name(self.tuning.selection)


def tune_with(options: TuneOptions, watch: "Watch | None" = None, command: str = "") -> Tuned:
    """Search for a better rule on the first weeks of a log, and tell what it gains on the last.

    Args:
        options: what to search.
        watch: called with the progress of the runs.
        command: how to make it again; made of the options where it is not given.

    Returns:
        The winner, its gain with the interval, the trials, the chart and the page.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or the log is too short.
        MissingExtra: Optuna is not installed.
    """
    from loadmaster.results.progress_file import progress_file_in
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    out = None if options.out is None else Path(options.out)
    command = command or options.call("tune")
    with naming() as name, watching(watch) as seen, progress_file_in(out, command, seen) as progress:
        return _search(options, progress, command, name)


def _search(options: TuneOptions, watch: "Watch", command: str, name: Naming) -> Tuned:
    from loadmaster.results.on_dask import pool_on
    from loadmaster.runs import Store
    from loadmaster.tuning.space import refuse_base
    from loadmaster.tuning.suggestions import optuna
    from loadmaster.tuning.tune import tuned
    from loadmaster.verbs.folder import make_folder

    optuna()
    at = options.at_site()
    address, plan = options.address, options.plan(name, at)
    options.refuse_reading()
    refuse_base(plan.base, plan.parts)
    folder = None if options.out is None else Path(options.out)
    if folder is not None:
        _refuse_replaced(folder, plan.base)
        make_folder(folder)
    case = options.case(at)
    store = Store(options.store) if options.store else Store.in_folder(folder) if folder else None
    tuning = tuned(case, plan, options.hold_out, options.samples, folder, store, pool_on(address), watch)
    if store is not None:
        store.close()
    result = Tuned(tuning, command)
    if folder is not None:
        result.save(folder)
    return result


def _refuse_replaced(folder: Path, base: "Setting") -> None:
    """See that no rule which the search starts from stands in a file that it would replace.

    Raises:
        InputError: it does: the winner of an earlier search, in the same folder.
    """
    from loadmaster.model import InputError
    from loadmaster.runs.setting import sources_of
    from loadmaster.tuning.rule_file import FRONT
    from loadmaster.tuning.space import FILE

    ours = folder.resolve()
    for path in sources_of(base):
        file = Path(path).resolve()
        if file == ours / FILE or file.parent == ours / FRONT:
            raise InputError(path, "this search would write its own in its place", fix="give another folder with -o")


def _words(given: str | Sequence[str], option: str, names: Sequence[Any]) -> tuple[Any, ...]:
    """The words of a list, each once.

    Raises:
        InputError: one is not among those known, or there is none.
    """
    from loadmaster.model import InputError

    words = split(given)
    for word in words or [str(given)]:
        if word not in names:
            raise InputError(word, f"{option} takes one or several of {', '.join(names)}")
    return tuple(words)


tune = called_with(TuneOptions, tune_with)
