"""The options that close hosts for some time, and the values that they give."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.log_options import LogOptions
from loadmaster.verbs.option import Option

if TYPE_CHECKING:
    from loadmaster.runs import Case
    from loadmaster.traces import Trace


@dataclass(frozen=True, kw_only=True)
class ClosureOptions(LogOptions):
    """Jobs, machines, and when hosts close."""

    down: Annotated[
        "str | Sequence[str]",
        Option(
            "Close hosts: START/LENGTH:HOSTS, such as 2026-12-01T08:00/12h:node[01-20]. Jobs that would overlap "
            "wait. Repeat the option for more.",
            metavar="WHEN:HOSTS",
            panel=MACHINES,
            typed=list[str],
        ),
    ] = ()
    site_reservations: Annotated[
        "str | Path | None",
        Option(
            "Output of `scontrol show reservation`, also with --json: maintenance, and hosts reserved for some users.",
            metavar="FILE",
            panel=MACHINES,
            reads=True,
            typed=Path | None,
        ),
    ] = None

    @property
    def closes(self) -> bool:
        """Whether hosts close that would be open otherwise."""
        return bool(self.down) or self.site_reservations is not None

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        named = [] if self.site_reservations is None else [Path(self.site_reservations)]
        return [*super().files, *(path for path in named if path.is_file())]

    def with_closures(self, read: "Trace", case: "Case") -> "Case":
        """The case with the closures in the calendar of its hosts.

        Raises:
            InputError: a closure that does not read so, or reservations beside masked names.
        """
        from loadmaster.model import InputError
        from loadmaster.site.closures import closure_of, reservation_rows, with_calendar
        from loadmaster.site.scontrol_reservations import read_reservations

        given = [self.down] if isinstance(self.down, str) and self.down else list(self.down)
        rows, notes = [closure_of(each, case.cluster, read.workload.epoch_s) for each in given], list[str]()
        if self.site_reservations is not None:
            if self.anonymise:
                rule = "reservations name users and accounts, which --anonymise does not mask there"
                raise InputError("--site-reservations", rule, fix="leave out --anonymise")
            reserved, notes = reservation_rows(
                read_reservations(Path(self.site_reservations)), case.cluster, read.workload.epoch_s
            )
            rows += reserved
        return replace(case, cluster=with_calendar(case.cluster, rows), notes=(*case.notes, *notes))
