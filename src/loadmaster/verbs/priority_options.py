"""The option that takes the site's own priorities of waiting jobs, and the values that they give."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from loadmaster.verbs.common_options import MACHINES
from loadmaster.verbs.option import Option
from loadmaster.verbs.run_options import usual_discipline
from loadmaster.verbs.site_options import SiteOptions

if TYPE_CHECKING:
    from loadmaster.runs import Case
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.site.changes import SiteChange
    from loadmaster.traces import Trace


@dataclass(frozen=True, kw_only=True)
class PriorityOptions(SiteOptions):
    """Jobs and machines, and in which order the site has its waiting jobs."""

    site_priorities: Annotated[
        "str | Path | None",
        Option(
            "What `sprio -l` prints, beside a listing of the queue: the order priority and the site's own queue take "
            "waiting jobs by these priorities.",
            metavar="FILE",
            panel=MACHINES,
            reads=True,
            typed=Path | None,
        ),
    ] = None

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        named = [] if self.site_priorities is None else [Path(self.site_priorities)]
        return [*super().files, *(path for path in named if path.is_file())]

    @property
    def usual_discipline(self) -> str:
        """The discipline where none is named and no site is given."""
        return "priority+easy" if self.site_priorities is not None else usual_discipline(self.trace)

    def site_with(self, change: "SiteChange | None") -> "SiteCase":
        """The site with a change, its own queue by the priorities of `sprio` where they are given."""
        case = super().site_with(change)
        order, plus, backfilling = case.queue.discipline.rpartition("+")
        if self.site_priorities is None or not order:
            return case
        return replace(case, queue=replace(case.queue, discipline=f"priority{plus}{backfilling}"))

    def with_rules(self, read: "Trace", case: "Case") -> "Case":
        """The case with the priorities of its waiting jobs.

        Raises:
            InputError: the log is no listing of a queue, or the file does not hold its priorities.
        """
        import numpy as np

        from loadmaster.model import InputError
        from loadmaster.site.sprio import read_priorities, with_priorities

        case = super().with_rules(read, case)
        if self.site_priorities is None:
            return case
        if not read.of_queue:
            rule = "priorities of waiting jobs, and the log is no listing of a queue"
            raise InputError("--site-priorities", rule, fix="give what `squeue --json` or squeue -o prints as the log")
        waits = np.ones(case.workload.jobs, bool)
        if case.workload.starting is not None:
            waits[case.workload.starting.job] = False
        workload, note = with_priorities(case.workload, read_priorities(Path(self.site_priorities)), waits)
        return replace(case, workload=workload, notes=(*case.notes, note))
