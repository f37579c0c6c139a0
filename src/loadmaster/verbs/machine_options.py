"""The option that takes several sets of machines, and the values that they give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.model import Cluster
    from loadmaster.runs.machines import MachineSet
    from loadmaster.runs.site_case import SiteCase


MOST_SETS = 20
"""No more than so many sets are compared."""


@dataclass(frozen=True, kw_only=True)
class MachineOptions(LogOptions):
    """Jobs, and one or more sets of machines to run them on."""

    hosts: Annotated[
        "str | Path | Cluster | Sequence[str | Path | Cluster] | Mapping[str, str | Path | Cluster] | None",
        Option(
            "Machines: 200x16c64g@1.2,4x64c512g8gpu@9 (price of one an hour, if known) or a file. Repeat the option "
            "for more sets.",
            metavar="HOSTS",
            panel=MACHINES,
            reads=True,
            typed=list[str] | None,
        ),
    ] = field(default=None, kw_only=False)  # type: ignore[assignment]
    currency: Annotated[
        str, Option("Currency of the prices, shown with every cost.", metavar="EUR", panel=MACHINES)
    ] = ""

    @property
    def sets(self) -> "dict[str, str | Path | Cluster]":
        """The sets of machines by name: as they were typed, files by their names, objects by what they hold.

        Raises:
            InputError: two are the same, or there are too many.
        """
        from loadmaster.model import InputError

        if isinstance(self.hosts, Mapping):
            by_name = {str(name): each for name, each in self.hosts.items()}
        else:
            by_name = {}
            for each in _listed(self.hosts):
                name = _name(each, by_name)
                if name in by_name:
                    raise InputError(name, "this set of machines is given twice", fix="leave it out once")
                by_name[name] = each
        if len(by_name) > MOST_SETS:
            raise InputError(len(by_name), f"at most {MOST_SETS} sets of machines are compared", fix="give fewer")
        return by_name

    @property
    def machines(self) -> "str | Path | Cluster | None":
        """The only set, or the first: how a log is read, and what a load means, goes by it."""
        return next(iter(self.sets.values()), None)

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        named = [each for each in (self.trace, *self.sets.values()) if isinstance(each, str | Path)]
        rest = [path for path in super().files if path not in map(Path, named)]
        return [*(path for path in map(Path, named) if path.is_file()), *rest]

    def on_machines(self, at: "SiteCase | None" = None) -> "tuple[MachineSet, ...]":
        """The jobs on every set of machines; with one set or none as `case` has them.

        Raises:
            InputError: the log or the machines cannot be read.
        """
        from loadmaster.runs.machines import MachineSet, closed_and_open, machines_of
        from loadmaster.site.machines import read_machines

        given = self.sets
        sets: tuple[MachineSet, ...]
        if len(given) < 2 and self.closes:
            read, opened = self.trace_and_case(at)
            sets = closed_and_open(self.with_closures(read, opened), opened)
        elif len(given) < 2:
            sets = (MachineSet("", self.case(at)),)
        else:
            names = {
                name: self.equipped(self.unnamed_cluster(read_machines(each) if isinstance(each, str | Path) else each))
                for name, each in given.items()
            }
            first = next(iter(names.values()))
            spread = self.spread if at is None or self.spread != "auto" else at.spread
            read = self.trace_read_for(first, spread)
            sets = machines_of(read if at is None else at.jobs_of(read), names, spread)
            held_s = 0.0 if at is None else at.queue.launch_s
            sets = tuple(
                replace(
                    each,
                    case=self.with_closures(
                        read,
                        self.with_rules(read, replace(each.case, launch_s=held_s, allowed=self.allow_left_out)),
                    ),
                )
                for each in sets
            )
        return sets

    def refuse_money_without_prices(self, sets: "Sequence[MachineSet]") -> None:
        """Refuse a money where no machine has a price.

        Raises:
            InputError: it was named.
        """
        from loadmaster.verbs.unused_options import refuse_unused

        if all(each.cost_per_hour is None for each in sets):
            fix = "add prices, as in --hosts 20x16c64g@0.8 or --add 20x16c64g@0.8@main"
            refuse_unused(self, ["currency"], "no price of a machine is known", fix)


def _listed(hosts: object) -> "list[str | Path | Cluster]":
    if hosts is None:
        return []
    return list(hosts) if isinstance(hosts, Sequence) and not isinstance(hosts, str) else [hosts]  # type: ignore[list-item]


def _name(each: "str | Path | Cluster", taken: Mapping[str, object]) -> str:
    """Of a file its name, or its path where the name is taken; of an object the short form."""
    from loadmaster.traces.hosts import short_form

    if not isinstance(each, str | Path):
        return short_form(each)
    path = Path(each)
    if path.is_file():
        return path.name if path.name not in taken else str(path)
    return str(each).replace(" ", "")
