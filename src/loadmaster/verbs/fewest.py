"""`fewest`: how many machines, or which cheapest ones, keep the waits of a log under a target."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.verbs.fewest_options import FewestOptions, refuse_closures, refuse_power_cap
from loadmaster.verbs.option import called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import Naming, names_of
from loadmaster.verbs.run_options import usual_discipline
from loadmaster.verbs.time_limit import ended_in_words
from loadmaster.verbs.unused_options import refuse_unused, refuse_unused_foresight, refuse_unused_settings

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.fewest import FewestFound
    from loadmaster.report.page import Page
    from loadmaster.results.watch import Watch

FEWEST_SAMPLES = 5


@dataclass(frozen=True, eq=False, repr=False)
class FoundFewest(Result):
    """The result of `fewest`, also if no number suffices.

    Attributes:
        found: the answers, one for each rule and kind of machine.
    """

    verb = "fewest"

    found: "FewestFound"

    @property
    def enough(self) -> bool:
        """Whether some number of some machines meets the target."""
        return any(answer.fewest.number is not None for answer in self.found.answers)

    @property
    def answer(self) -> str:
        """The cheapest machines, where prices are known, else the fewest, in words."""
        from loadmaster.report.fewest import answer

        return answer(self.found)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or assumed, and whether data is synthetic."""
        return self.found.remarks

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each rule and kind of machine, as plain values."""
        from loadmaster.report.fewest import answer_row

        return [answer_row(self.found, each) for each in self.found.answers]

    @property
    def frame(self) -> "pl.DataFrame":
        """The same as a table; units are in the columns' names."""
        import polars as pl

        return pl.DataFrame(self.rows, infer_schema_length=None)

    def plot(self) -> Any:
        """The wait against the number of machines, and the target: an Altair chart."""
        from loadmaster.report.fewest_page import fewest_chart
        from loadmaster.report.theme import themed

        return themed(fewest_chart(self.found))

    def page(self) -> "Page":
        """The answer, the wait against the number of machines, and a row for each rule and kind of machine."""
        from loadmaster.report.fewest_page import fewest_page

        return fewest_page(self.found)

    def write_tables(self, folder: Path) -> None:
        """Write fewest.parquet."""
        from loadmaster.system.whole_file import whole_file

        with whole_file(folder / "fewest.parquet") as part:
            self.frame.write_parquet(part)


def fewest_with(options: FewestOptions, watch: "Watch | None" = None, command: str = "") -> FoundFewest:
    """How many machines keep the waits of a log under a target, and what they cost.

    Args:
        options: the log, the machines to try and the target.
        watch: called with the progress of the runs.
        command: how to make it again; made of the options where it is not given.

    Returns:
        The fewest machines of every kind under every rule; `enough` says whether there are any.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.results.progress_file import progress_file_in
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    out = None if options.out is None else Path(options.out)
    command = command or options.call("fewest")
    with naming() as name, watching(watch) as seen, progress_file_in(out, command, seen) as progress:
        result = _search(options, progress, command, name)
    if out is not None:
        result.save(out)
    return result


def _search(options: FewestOptions, watch: "Watch", command: str, name: Naming) -> FoundFewest:
    from loadmaster.model import InputError
    from loadmaster.packing.deadline import Deadline
    from loadmaster.report.fewest import FewestFound, FewestRow
    from loadmaster.results.on_dask import pool_on
    from loadmaster.runs import Store
    from loadmaster.runs.prepare import compile_first
    from loadmaster.runs.samples import drawing_for
    from loadmaster.runs.setting import SITE
    from loadmaster.search.fewest import fewest
    from loadmaster.search.fewest_mixes import MixesTried, cheapest_mix, kinds_to_mix
    from loadmaster.search.fewest_sampled import needed
    from loadmaster.system.interrupt import Interrupt
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.notes import noting_runs, remarks, warn_of_plain

    target = options.target
    options.refuse_reading()
    if options.samples and options.time_limit is not None:
        raise InputError("--time-limit", "samples repeat the search as often as --samples says", fix="leave one out")
    if not 0 < options.growth < float("inf"):
        raise InputError(options.growth, "--growth takes a number above 0", fix="write it like --growth 1.2")
    if not options.samples:
        refuse_unused(options, ["resample"], "no samples are drawn", "add --samples 100, or leave it out")
    elif options.samples < FEWEST_SAMPLES:
        raise InputError(options.samples, f"--samples takes a whole number of at least {FEWEST_SAMPLES}")
    if options.site is None:
        refuse_unused(
            options, ["add"], "hosts are added to a site", "give it with --site, or the machines with --hosts"
        )
    at = options.at_site()
    refuse_closures(options)
    policies = names_of(options.policies, "--policies", name)
    disciplines = names_of(options.disciplines or usual_discipline(options.trace), "--disciplines", name)
    if at is not None and not {"policies", "disciplines"} & {*options.given}:
        policies, disciplines = [at.policy], [SITE]
    settings = options.settings(policies, disciplines, [1.0 / options.growth], name, at)
    idle = refuse_unused_settings(options, settings)
    if options.out is not None:
        make_folder(Path(options.out))
    tried = options.tried_on(at)
    refuse_power_cap(options, [one.case for one, _ in tried])
    first = noting_runs(tried[0][0].case, settings)
    if first.without_verdict:
        raise InputError(first.workload.source or "this log", first.without_verdict.removesuffix("."))
    idle += refuse_unused_foresight(options, first, settings)
    warn_of_plain(first, settings)
    drawing = drawing_for(first, options.resample, options.seed) if options.samples else None
    store = Store(options.store) if options.store else Store.in_folder(Path(options.out)) if options.out else None
    pool = pool_on(options.address)
    answers, mixes = list[FewestRow](), list[MixesTried]()
    if options.time_limit is not None:
        compile_first(first, settings, watch)
    with nullcontext() if options.samples else Interrupt() as interrupt:
        deadline = Deadline.after(options.search_s, interrupt)
        for one, machines in tried:
            for each in fewest(one.case, machines, settings, target, store, pool, watch, deadline):
                sampled = None
                if drawing is not None:
                    sampled = needed(one.case, each, target, drawing, options.samples, store, pool, watch)
                answers.append(FewestRow(one, each, sampled))
        if options.site is None and kinds_to_mix([machines for _, machines in tried]):
            for setting in settings:
                alone = [row.fewest for row in answers if row.fewest.setting == setting]
                mixes.append(cheapest_mix(first, alone, target, store, pool, watch, deadline))
                if mixes[-1].cheapest is not None:
                    answers.append(FewestRow(tried[0][0], mixes[-1].cheapest))
    if store is not None:
        store.close()
    ended, late = "", sum(row.fewest.ended for row in answers)
    mixed = all(each.all_cheaper for each in mixes) or not deadline.passed()
    if late or not mixed:
        ended = ended_in_words(options.time_limit, deadline.interrupted)
        others = "" if mixed else ", nor are all mixes"
        idle.append(f"The search ended {ended}: {late:,} of {len(answers):,} rows are not searched to the end{others}.")
    return FoundFewest(
        FewestFound(
            first,
            target,
            tuple(answers),
            (*remarks(first), *idle),
            (*first.notes, *idle),
            command,
            options.currency,
            drawing,
            options.growth,
            tuple(mixes),
            ended,
            deadline.interrupted,
        )
    )


fewest = called_with(FewestOptions, fewest_with)
