"""The options of `fewest`, their values, and which of them exclude each other."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.closure_options import ClosureOptions
from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.energy_options import PowerCapOptions
from loadmaster.verbs.licence_options import LicenceOptions
from loadmaster.verbs.machine_options import MachineOptions
from loadmaster.verbs.option import Option
from loadmaster.verbs.rules import Discipline, Rule
from loadmaster.verbs.run_options import RunOptions
from loadmaster.verbs.sampling import MOST_SAMPLES, SURE, Resample
from loadmaster.verbs.site_change_options import CHANGES, SiteChangeOptions, listed
from loadmaster.verbs.time_limit import SearchLimitOptions

if TYPE_CHECKING:
    from loadmaster.model import Cluster
    from loadmaster.runs.added_hosts import SiteRange
    from loadmaster.runs.case import Case
    from loadmaster.runs.machines import MachineSet
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.search.fewest import Target
    from loadmaster.traces.host_range import HostRange

_OWN = "the log's own machines"


@dataclass(frozen=True, kw_only=True)
class FewestOptions(
    MachineOptions,
    ClosureOptions,
    SiteChangeOptions,
    LicenceOptions,
    PowerCapOptions,
    RunOptions,
    SearchLimitOptions,
    DaskOptions,
):
    """All that `fewest` can be told."""

    add: Annotated[
        "str | Sequence[str]",
        Option(
            "Hosts to add to the site, with the numbers to try: 0..40x64c256g@main, or 0..40xn01@1.2@main for hosts "
            "like n01 at this price an hour. Default: each kind that the site has. Repeat the option for more.",
            metavar="N..MxKIND@PARTITION",
            panel=CHANGES,
            typed=list[str],
        ),
    ] = ()

    hosts: Annotated[
        "str | Path | Cluster | Sequence[str | Path | Cluster] | None",
        Option(
            "Machines with the numbers to try: 10..400x16c64g@1.2; without numbers, 1 to 8 times those given. "
            "Repeat the option for more kinds.",
            metavar="HOSTS",
            panel=MACHINES,
            reads=True,
            typed=list[str] | None,
        ),
    ] = field(default=None, kw_only=False)  # type: ignore[assignment]
    p95: Annotated[str, Option("Target: 95 of 100 jobs wait at most this long.", metavar="TIME")] = ""
    p99: Annotated[str, Option("Target: 99 of 100 jobs wait at most this long.", metavar="TIME")] = ""
    mean: Annotated[str, Option("Target: jobs wait at most this long on average.", metavar="TIME")] = ""
    policies: Annotated[
        Rule | Sequence[Rule], Option("Placement policies; also file.py:function.", metavar="A,B,...", typed=str)
    ] = "first-fit"
    disciplines: Annotated[
        Rule | Sequence[Discipline],
        Option("Disciplines, ORDER+BACKFILLING; default: easy, for the demo netbatch.", metavar="A,B,...", typed=str),
    ] = ""
    growth: Annotated[float, Option("Multiply the log's jobs an hour by this factor.", metavar="FACTOR")] = 1.0
    samples: Annotated[
        int,
        Option(
            "Repeat the search on N sampled logs, and show how sure the number is.",
            metavar="N",
            panel=SURE,
            least=0,
            most=MOST_SAMPLES,
        ),
    ] = 0
    resample: Resample = ""
    store: Annotated[str, Option("Database of finished runs; default: in DIR.", metavar="URL")] = ""
    out: Annotated[
        "str | Path | None",
        Option("Folder for the page and the results.", metavar="DIR", flags=("-o", "--out"), typed=Path | None),
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
            raise InputError("no target", "how long jobs may wait is not given", fix="give --p95 1h, --p99 or --mean")
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


def refuse_closures(options: FewestOptions) -> None:
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


def refuse_power_cap(options: FewestOptions, cases: "Sequence[Case]") -> None:
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
