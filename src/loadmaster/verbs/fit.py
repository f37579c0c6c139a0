"""`fit`: which queue of the site explains the recorded waits, or that none can."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import Discipline, Naming, Rule, name_of, names_of
from loadmaster.verbs.site_options import SiteOptions

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.fit_claims import FitFound
    from loadmaster.report.page import Page
    from loadmaster.results.watch import Watch
    from loadmaster.runs import Case
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.site.fitted_queue import FittedSite


@dataclass(frozen=True, kw_only=True)
class FitOptions(SiteOptions):
    """All that a fit can be told."""

    disciplines: Annotated[
        Rule | Sequence[Discipline],
        Option(
            "Disciplines to try, ORDER+BACKFILLING; usual ones, and a site's own, if not given.",
            metavar="A,B,...",
            typed=str,
        ),
    ] = ""
    policy: Annotated[
        Rule, Option("Placement policy; the site's own, or first-fit, if not given.", metavar="POLICY", typed=str)
    ] = ""
    out: Annotated[
        "str | Path | None",
        Option(
            "Folder for site.yaml, the page and the trials.",
            metavar="DIR",
            flags=("-o", "--out"),
            typed=Path | None,
        ),
    ] = None


@dataclass(frozen=True, eq=False, repr=False)
class Fitting(Result):
    """The result of `fit`, also if no queue explains the waits.

    Attributes:
        found: the verdict, all that was tried, and the best of it.
        site: the queue that reproduces the waits best, as `--site` takes it; None where nothing was fitted.
        cpu_s: CPU seconds of this process for the trials that were made now.
    """

    verb = "fit"

    found: "FitFound"
    site: "FittedSite | None"
    cpu_s: float

    @property
    def refused(self) -> str:
        """Why no queue is offered; empty where one is."""
        return self.found.refused

    @property
    def answer(self) -> str:
        """The answer in words."""
        from loadmaster.report.fit_claims import fit_sentence

        return fit_sentence(self.found)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or assumed, and whether data is synthetic."""
        return self.found.remarks

    @property
    def text(self) -> str:
        """The file that `--site` takes.

        Raises:
            InputError: no queue is offered.
        """
        from loadmaster.model import InputError
        from loadmaster.site.fitted_queue import fitted_text

        if self.refused or self.site is None:
            raise InputError(self.found.log, f"no queue to write: {self.refused}", fix="see its answer")
        return fitted_text(self.site)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each queue that was tried, the nearest on even weeks first."""
        import polars as pl

        from loadmaster.report.fit_claims import fit_rows

        return pl.DataFrame(fit_rows(self.found), infer_schema_length=None)

    def plot(self) -> Any:
        """The recorded queue beside the modelled one; where nothing was fitted, use and waiting over time."""
        from loadmaster.report.fit_page import main_chart

        return main_chart(self.found)

    def page(self) -> "Page":
        """The verdict, both queues in one picture, what was tried."""
        from loadmaster.report.fit_page import fit_page

        return fit_page(self.found, "" if self.refused or self.site is None else self.text, self.cpu_s)

    def write_tables(self, folder: Path) -> None:
        """Write tried.parquet, and site.yaml where a queue is offered."""
        from loadmaster.system.whole_file import whole_file, write_whole

        if self.found.fit is not None:
            with whole_file(folder / "tried.parquet") as part:
                self.frame.write_parquet(part)
        if not self.refused:
            write_whole(folder / "site.yaml", self.text)
        else:  # one of an earlier fit would be taken for this one's
            (folder / "site.yaml").unlink(missing_ok=True)


def fit_with(options: FitOptions, watch: "Watch | None" = None, command: str = "") -> Fitting:
    """Find the queue of a site that reproduces the recorded waits best, or say why no queue can.

    Args:
        options: the log, the machines, what to try.
        watch: called with the progress of the trials.
        command: how to make it again; made of the options where it is not given.

    Returns:
        The verdict, the queue as `--site` takes it, and how near it comes on weeks that did not choose it.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.results.progress_file import progress_file_in
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    out = None if options.out is None else Path(options.out)
    command = command or options.call("fit")
    with naming() as name, watching(watch) as seen, progress_file_in(out, command, seen) as progress:
        result = _fit(options, progress, command, name)
    if out is not None:
        result.save(out)
    return result


def _fit(options: FitOptions, watch: "Watch", command: str, name: Naming) -> Fitting:
    import time

    from loadmaster.report.fit_claims import fit_result, why_refused_before
    from loadmaster.results.threads import Threads
    from loadmaster.runs import Store
    from loadmaster.search.site_fit import fit_site
    from loadmaster.search.site_trial import trial_of
    from loadmaster.site.fitted_queue import SiteQueue
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.notes import remarks

    options.refuse_reading()
    _refuse_poured_site(options)
    at = options.at_site()
    policy = name_of(options.policy, name) or ("first-fit" if at is None else at.policy)
    disciplines = _disciplines(options, at, name)
    for discipline in disciplines:
        trial_of(policy, SiteQueue(discipline))
    if options.out is not None:
        make_folder(Path(options.out))
    case = options.case(at)
    refused = why_refused_before(case)
    if refused:
        return Fitting(fit_result(case, None, refused, command, remarks(case)), None, 0.0)
    store = Store.in_folder(Path(options.out)) if options.out is not None else None
    began_s = time.process_time()
    try:
        fit = fit_site(case, policy, disciplines, store, Threads(), watch)
    finally:
        if store is not None:
            store.close()
    result = fit_result(case, fit, "", command, remarks(case))
    return Fitting(result, _site(options, case, policy, result), time.process_time() - began_s)


def _refuse_poured_site(options: FitOptions) -> None:
    """Refuse a site through a pipe: the file that is written names those that it was made of.

    Raises:
        InputError: it was given so.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.verbs.pipe_input import as_named, is_poured

    for flag, given in (("--site", options.site), ("--site-accounts", options.site_accounts)):
        if isinstance(given, str | Path) and is_poured(given):
            rule = "site.yaml names the files of its site, and a pipe is gone afterwards"
            raise InputError(f"{flag} {as_named(str(given))}", rule, fix="write it into a file first")


def _disciplines(options: FitOptions, at: "SiteCase | None", name: Naming) -> list[str]:
    from loadmaster.search.site_fit import DISCIPLINES

    if options.disciplines:
        return names_of(options.disciplines, "--disciplines", name)
    return [*([] if at is None else [at.discipline]), *DISCIPLINES]


def _site(options: FitOptions, case: "Case", policy: str, result: "FitFound") -> "FittedSite":
    from loadmaster.site.fitted_queue import FittedSite, groups_of
    from loadmaster.verbs.pipe_input import is_poured

    assert result.fit is not None
    best = result.fit.best
    about = {
        "log": result.log,
        "made_by": result.command,
        "weekly_error_even": best.beside.even.error,
        "weekly_error_odd": best.beside.odd.error,
        "rank_correlation_odd": best.beside.odd.rank,
        "total_wait_odd": best.beside.odd.total,
    }
    if options.site is not None:
        accounts = "" if options.site_accounts is None else str(Path(options.site_accounts).resolve())
        conf = str(Path(options.site).resolve())
        return FittedSite(best.queue, None, conf, accounts, case.spread, policy, about)
    given = options.hosts
    hosts: Any = groups_of(case.cluster)
    if isinstance(given, str | Path) and not is_poured(given):
        hosts = str(Path(given).resolve()) if Path(given).is_file() else str(given)
    return FittedSite(best.queue, hosts, spread=case.spread, policy=policy, about=about)


fit = called_with(FitOptions, fit_with)
