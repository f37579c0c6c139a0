"""`fewest`: how many machines, or which cheapest ones, keep the waits of a log under a target."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.closure_options import ClosureOptions
from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.energy_options import PowerCapOptions
from loadmaster.verbs.licence_options import LicenceOptions
from loadmaster.verbs.machine_options import MachineOptions
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import Discipline, Naming, Rule, names_of
from loadmaster.verbs.run_options import RunOptions, usual_discipline
from loadmaster.verbs.sampling import MOST_SAMPLES, SURE, Resample
from loadmaster.verbs.site_change_options import CHANGES, SiteChangeOptions, listed
from loadmaster.verbs.unused_options import refuse_unused, refuse_unused_foresight, refuse_unused_settings

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.kept.watch import Watch
    from loadmaster.model import Cluster
    from loadmaster.report.fewest import FewestFound
    from loadmaster.report.page import Page
    from loadmaster.runs.added_hosts import SiteRange
    from loadmaster.runs.case import Case
    from loadmaster.runs.machines import MachineSet
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.search.fewest import Target
    from loadmaster.traces.host_range import HostRange

FEWEST_SAMPLES = 5
_OWN = "the log's own machines"


@dataclass(frozen=True, kw_only=True)
class FewestOptions(
    MachineOptions, ClosureOptions, SiteChangeOptions, LicenceOptions, PowerCapOptions, RunOptions, DaskOptions
):
    """All that `fewest` can be told."""

    add: Annotated[
        "str | Sequence[str]",
        Option(
            "Hosts to add to the site, with the numbers to try: 0..40x64c256g@main, or 0..40xn01@main for hosts like "
            "n01. Each kind that the site has, if not given. Again for more kinds.",
            metavar="N..MxKIND@PARTITION",
            panel=CHANGES,
            typed=list[str],
        ),
    ] = ()

    hosts: Annotated[
        "str | Path | Cluster | Sequence[str | Path | Cluster] | None",
        Option(
            "Machines with the numbers to try: 10..400x16c64g@1.2; without numbers 1 to 8 times those given. Again "
            "for each further kind.",
            metavar="HOSTS",
            panel=MACHINES,
            reads=True,
            typed=list[str] | None,
        ),
    ] = field(default=None, kw_only=False)  # type: ignore[assignment]
    p95: Annotated[str, Option("95 of 100 jobs shall wait at most so long.", metavar="TIME")] = ""
    p99: Annotated[str, Option("99 of 100 jobs shall wait at most so long.", metavar="TIME")] = ""
    mean: Annotated[str, Option("Jobs shall wait at most so long on average.", metavar="TIME")] = ""
    policies: Annotated[
        Rule | Sequence[Rule], Option("Placement policies; also file.py:function.", metavar="A,B,...", typed=str)
    ] = "first-fit"
    disciplines: Annotated[
        Rule | Sequence[Discipline],
        Option("Disciplines, ORDER+BACKFILLING; easy, and of the demo netbatch.", metavar="A,B,...", typed=str),
    ] = ""
    growth: Annotated[float, Option("So many times the jobs an hour that the log has.", metavar="FACTOR")] = 1.0
    samples: Annotated[
        int,
        Option(
            "Ask the same of N other logs like this one, and say how sure the number is.",
            metavar="N",
            panel=SURE,
            least=0,
            most=MOST_SAMPLES,
        ),
    ] = 0
    resample: Resample = ""
    store: Annotated[str, Option("Database of finished runs; in DIR if not given.", metavar="URL")] = ""
    out: Annotated[
        "str | Path | None",
        Option("Where page and results go.", metavar="DIR", flags=("-o", "--out"), typed=Path | None),
    ] = None

    @property
    def machines(self) -> "Cluster | None":
        """The most machines of the first kind: a log is read for these."""
        if self.site is not None:
            return None if self.hosts is None else super().machines  # type: ignore[return-value]
        first = next(iter(self.ranges.values()), None)
        return None if first is None else first.at(first.most)

    @property
    def ranges(self) -> "dict[str, HostRange]":
        """The machines to try, by name.

        Raises:
            InputError: they cannot be read, or have rules of a site.
        """
        from loadmaster.site.machines import read_machines
        from loadmaster.traces.host_range import is_range, proportions_of, range_of

        by_name: dict[str, HostRange] = {}
        if self.site is not None:
            return {name: each.hosts for name, each in self._ranges_of_site.items()}
        for name, each in self.sets.items():
            if isinstance(each, str) and is_range(each):
                by_name[name] = range_of(each)
            else:
                cluster = read_machines(each) if isinstance(each, str | Path) else each
                by_name[name] = proportions_of(cluster, name)
        return by_name

    @property
    def added(self) -> list[str]:
        """None: these are what is searched for."""
        return []

    @cached_property
    def _ranges_of_site(self) -> "dict[str, SiteRange]":
        from loadmaster.model import InputError
        from loadmaster.runs.added_hosts import site_range, usual_ranges
        from loadmaster.site.changes import SiteChange

        before = self.change

        def changed(more: "SiteChange | None") -> "SiteCase":
            steps = (*(() if before is None else before.steps), *(() if more is None else more.steps))
            return self.site_with(SiteChange(steps) if steps else None)

        at = changed(None)
        if at.site is None:
            fix = "give its slurm.conf with --site, or machines with --hosts"
            raise InputError(str(self.site), "hosts are added to a site that has partitions", fix=fix)
        ranges = [site_range(each, changed) for each in listed(self.add)] or usual_ranges(at, changed)
        return {each.hosts.name: each for each in ranges}

    @property
    def target(self) -> "Target":
        """The waits that must not be exceeded.

        Raises:
            InputError: none is given, or one is no time.
        """
        from loadmaster.model import InputError
        from loadmaster.model.units import parse_seconds
        from loadmaster.search.fewest import Target

        given = [parse_seconds(str(each)) if each != "" else None for each in (self.mean, self.p95, self.p99)]
        if all(each is None for each in given):
            raise InputError("no target", "how long jobs may wait is not said", fix="give --p95 1h, --p99 or --mean")
        return Target(*given)

    def tried_on(self, at: "SiteCase | None" = None) -> "list[tuple[MachineSet, HostRange]]":
        """The jobs on the most machines of every kind, and the numbers of it."""
        from loadmaster.runs.machines import MachineSet, changed_sites, machines_of
        from loadmaster.traces.host_range import proportions_of

        ranges = self.ranges
        if at is not None:
            read = self.trace_read_for(at.cluster, self.spread if self.spread != "auto" else at.spread)
            most_of = {
                name: replace(each.at_most, cluster=self.equipped(each.at_most.cluster))
                for name, each in self._ranges_of_site.items()
            }
            sets = [
                replace(each, case=replace(each.case, allowed=self.allow_left_out))
                for each in changed_sites(read, most_of, self.spread if self.spread != "auto" else at.spread)
            ]
            sets = [replace(each, case=self.with_closures(read, self.with_rules(read, each.case))) for each in sets]
            kinds = [replace(each, like=one.case.cluster) for each, one in zip(ranges.values(), sets, strict=True)]
        elif not ranges:
            case = self.case()
            sets = [MachineSet(_OWN, case)]
            kinds = [proportions_of(case.cluster, _OWN)]
        elif len(ranges) == 1:
            kinds = list(ranges.values())
            sets = [MachineSet(kinds[0].name, self.case())]
        else:
            kinds = list(ranges.values())
            most = {name: self.equipped(each.at(each.most)) for name, each in ranges.items()}
            read = self.trace_read_for(next(iter(most.values())), self.spread)
            sets = [
                replace(each, case=self.with_rules(read, replace(each.case, allowed=self.allow_left_out)))
                for each in machines_of(read, most, self.spread)
            ]
        self.refuse_money_without_prices(sets)
        return list(zip(sets, kinds, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class FoundFewest(Result):
    """What `fewest` came to; that no number suffices is a result as well.

    Attributes:
        found: the answers, a rule and kind of machine each.
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
        """What was left out, assumed or is synthetic."""
        return self.found.remarks

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row a rule and kind of machine, as plain values."""
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
        """The answer, the wait against the number of machines, and a row a rule and kind of machine."""
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
        watch: told how the runs get on.
        command: how to make it again; made of the options where it is not given.

    Returns:
        The fewest machines of every kind under every rule; `enough` says whether there are any.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.kept.progress_file import progress_file_in
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    out = None if options.out is None else Path(options.out)
    command = command or options.call("fewest")
    with naming() as name, watching(watch) as seen, progress_file_in(out, command, seen) as progress:
        result = _found(options, progress, command, name)
    if out is not None:
        result.save(out)
    return result


def _refuse_closures(options: FewestOptions) -> None:
    """Refuse hosts that close where nothing names the hosts, or where the clock of the log is not kept.

    Raises:
        InputError: it is so.
    """
    from loadmaster.model import InputError

    if not options.closes:
        return
    given = "--down" if options.down else "--site-reservations"
    if options.site is None:
        raise InputError(given, "the hosts that close are those of a site", fix="name the site with --site slurm.conf")
    if options.growth != 1.0 or options.samples:
        other = "--samples" if options.samples else "--growth"
        raise InputError(given, f"{other} moves the jobs but not the times at which hosts close", fix="leave one out")


def _refuse_power_cap(options: FewestOptions, cases: "Sequence[Case]") -> None:
    """Refuse a power cap where jobs are moved and the cap is not, or where more hosts are taken to be enough.

    Raises:
        InputError: it is so.
    """
    from loadmaster.model import InputError

    if options.power_cap == "":
        return
    if options.samples:
        rule = "--samples searches by halving, and under a cap more hosts may be too many: they draw more when idle"
        raise InputError("--power-cap", rule, fix="leave out --samples")
    if options.growth != 1.0 and any(each.cluster.rules and len(each.cluster.rules.power_cap) > 1 for each in cases):
        rule = "--growth moves the jobs but not the times at which the cap changes"
        raise InputError("--power-cap", rule, fix="leave one out, or give one number of watts")


def _found(options: FewestOptions, watch: "Watch", command: str, name: Naming) -> FoundFewest:
    from loadmaster.kept.on_dask import pool_on
    from loadmaster.model import InputError
    from loadmaster.report.fewest import FewestFound, FewestRow
    from loadmaster.runs import Store
    from loadmaster.runs.samples import drawing_for
    from loadmaster.runs.setting import SITE
    from loadmaster.search.fewest import fewest
    from loadmaster.search.fewest_mixes import MixesTried, cheapest_mix, kinds_to_mix
    from loadmaster.search.fewest_sampled import needed
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.notes import noting_runs, remarks, warn_of_plain

    target = options.target
    options.refuse_reading()
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
    _refuse_closures(options)
    policies = names_of(options.policies, "--policies", name)
    disciplines = names_of(options.disciplines or usual_discipline(options.trace), "--disciplines", name)
    if at is not None and not {"policies", "disciplines"} & {*options.given}:
        policies, disciplines = [at.policy], [SITE]
    settings = options.settings(policies, disciplines, [1.0 / options.growth], name, at)
    idle = refuse_unused_settings(options, settings)
    if options.out is not None:
        make_folder(Path(options.out))
    tried = options.tried_on(at)
    _refuse_power_cap(options, [one.case for one, _ in tried])
    first = noting_runs(tried[0][0].case, settings)
    if first.without_verdict:
        raise InputError(first.workload.source or "this log", first.without_verdict.removesuffix("."))
    idle += refuse_unused_foresight(options, first, settings)
    warn_of_plain(first, settings)
    drawing = drawing_for(first, options.resample, options.seed) if options.samples else None
    store = Store(options.store) if options.store else Store.in_folder(Path(options.out)) if options.out else None
    pool = pool_on(options.address)
    answers, mixes = list[FewestRow](), list[MixesTried]()
    for one, machines in tried:
        for each in fewest(one.case, machines, settings, target, store, pool, watch):
            sampled = None
            if drawing is not None:
                sampled = needed(one.case, each, target, drawing, options.samples, store, pool, watch)
            answers.append(FewestRow(one, each, sampled))
    if options.site is None and kinds_to_mix([machines for _, machines in tried]):
        for setting in settings:
            alone = [row.fewest for row in answers if row.fewest.setting == setting]
            mixes.append(cheapest_mix(first, alone, target, store, pool, watch))
            if mixes[-1].cheapest is not None:
                answers.append(FewestRow(tried[0][0], mixes[-1].cheapest))
    if store is not None:
        store.close()
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
        )
    )


fewest = called_with(FewestOptions, fewest_with)
