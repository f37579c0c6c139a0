"""The options that change a site before it is used: hosts added or removed, parameters set, several together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.option import Option
from loadmaster.verbs.site_options import SiteOptions

if TYPE_CHECKING:
    from loadmaster.runs import Setting
    from loadmaster.runs.machines import MachineSet
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.site.changes import SiteChange

CHANGES = "Changes of the site"
AS_IT_IS = "the site as it is"
"""The name of the row of a site beside those of its changes."""


@dataclass(frozen=True, kw_only=True)
class SiteChangeOptions(SiteOptions):
    """Jobs and machines, these also of a real site that may be changed."""

    add: Annotated[
        "str | Sequence[str]",
        Option(
            "Add hosts to a partition: 20x64c256g4gpu@gpu, or 20xn01@main for 20 like n01. "
            "20xn01@1.2@main has the price of one an hour. Repeat for more.",
            metavar="HOSTS@PARTITION",
            panel=CHANGES,
            typed=list[str],
        ),
    ] = ()
    remove: Annotated[
        "str | Sequence[str]",
        Option(
            "Remove hosts: 10@main, or by name n[01-04]. Repeat for more.",
            metavar="HOSTS",
            panel=CHANGES,
            typed=list[str],
        ),
    ] = ()
    set: Annotated[
        "str | Sequence[str]",
        Option(
            "Set what slurm.conf sets: PriorityWeightAge=1000, SchedulerParameters=bf_window=2880, "
            "'PartitionName=main MaxTime=2-0'. Repeat for more.",
            metavar="KEY=VALUE",
            panel=CHANGES,
            typed=list[str],
        ),
    ] = ()
    what_if: Annotated[
        "str | Sequence[str]",
        Option(
            "Changes that belong together: 'add 20x64c256g@main; set PriorityWeightAge=1000'. Repeat for more.",
            metavar="CHANGES",
            panel=CHANGES,
            typed=list[str],
        ),
    ] = ()

    @property
    def changes(self) -> "tuple[SiteChange, ...]":
        """Each change by itself: one for every --add, --remove, --set and --what-if, in this order.

        Raises:
            InputError: a change that does not read so, one that is there twice, or a change without a site.
        """
        from loadmaster.model import InputError
        from loadmaster.site.changes import ChangeStep, SiteChange, change_of

        single: list[ChangeStep] = []
        single += [ChangeStep("add", each) for each in self.added]
        single += [ChangeStep("remove", each) for each in listed(self.remove)]
        single += [ChangeStep("set", each) for each in listed(self.set)]
        changes = [*(SiteChange((step,)) for step in single), *map(change_of, listed(self.what_if))]
        if changes and self.site is None:
            rule = "a change is made to a site, and no site is given"
            raise InputError(changes[0].name, rule, fix="give its configuration: --site slurm.conf")
        names = [change.name for change in changes]
        for name in names:
            if names.count(name) > 1:
                raise InputError(name, "this change is given twice", fix="leave it out once")
        return tuple(changes)

    @property
    def added(self) -> list[str]:
        """The hosts that `add` names."""
        return listed(self.add)

    @property
    def change(self) -> "SiteChange | None":
        """What is changed before the site is used: all changes together; None where there is none."""
        from loadmaster.site.changes import SiteChange

        steps = tuple(step for change in self.changes for step in change.steps)
        return SiteChange(steps) if steps else None

    def on_changes(self, at: "SiteCase", changed: "Mapping[str, SiteCase]") -> "tuple[MachineSet, ...]":
        """The jobs on the site as it is and after each change: the jobs that all of them can hold.

        Args:
            at: the site as it is.
            changed: the site after each change, by the name of the change.

        Raises:
            InputError: the log cannot be read, or no job is held by all of them.
        """
        from loadmaster.runs.machines import changed_sites

        spread = self.spread if self.spread != "auto" else at.spread
        read = self.trace_read_for(at.cluster, spread)
        sites = {AS_IT_IS: at, **changed}
        equipped = {name: replace(each, cluster=self.equipped(each.cluster)) for name, each in sites.items()}
        sets = changed_sites(read, equipped, spread)
        first = sets[0].case
        new = dict.fromkeys(note for case in changed.values() for note in case.notes if note not in first.notes)
        sets = (replace(sets[0], case=replace(first, notes=(*first.notes, *new))), *sets[1:])
        cases = [self.with_rules(read, replace(one.case, allowed=self.allow_left_out)) for one in sets]
        return tuple(replace(one, case=self.with_closures(read, case)) for one, case in zip(sets, cases, strict=True))


def with_changes(settings: "Sequence[Setting]", at: "SiteCase", changed: "Mapping[str, SiteCase]") -> "list[Setting]":
    """For each load the site's own row, a row for each change of it, and then the candidates of `settings`."""
    rows: list[Setting] = []
    for beta in dict.fromkeys(each.beta for each in settings):
        same = [each for each in settings if each.beta == beta]
        own = at.own(replace(same[0], policy=at.policy))
        rows.append(replace(own, hosts=AS_IT_IS))
        rows += [replace(case.own(replace(own, policy=case.policy)), hosts=name) for name, case in changed.items()]
        rows += [replace(each, hosts=AS_IT_IS) for each in same if each != own]
    return rows


def listed(given: "str | Sequence[str]") -> list[str]:
    """The texts of an option that may be given again."""
    texts = [given] if isinstance(given, str) and given else list(given)
    return [text.strip() for text in texts]
