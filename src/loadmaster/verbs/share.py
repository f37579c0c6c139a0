"""`share`: how fast a log's jobs would run on machines that they share, instead of queueing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.system.counted import counted
from loadmaster.verbs.option import called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import names_of
from loadmaster.verbs.share_options import ShareOptions, refuse_idle, refuse_uncounted

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.page import Page
    from loadmaster.results.dask_client import DaskAddress
    from loadmaster.results.store import Store
    from loadmaster.results.watch import Watch
    from loadmaster.runs.case import Case
    from loadmaster.runs.sharing_row import SharingRow
    from loadmaster.runs.sharing_study import SharingStudy


@dataclass(frozen=True, eq=False, repr=False)
class Shared(Result):
    """The result of `share`.

    Attributes:
        study: jobs, hosts, methods and settings.
        rows: one for each method that has run.
        command: the command that makes it again.
    """

    verb = "share"

    study: "SharingStudy"
    rows: "Sequence[SharingRow]"
    command: str = ""

    @property
    def answer(self) -> str:
        """The method with the lowest mean stretch."""
        from loadmaster.report.sharing_table import label

        ran = [row for row in self.rows if row.mean_stretch >= 0 and not row.refused]
        if not ran:
            return "no method ran every job"
        best = min(ran, key=lambda row: row.mean_stretch)
        as_low = sum(row.mean_stretch == best.mean_stretch for row in ran) - 1
        among = "" if len(ran) == 1 else f", the least of {len(ran)} methods that ran every job"
        among += f", and {as_low} other{'s' if as_low > 1 else ''} as low" if as_low else ""
        name, stretch = label(best.method, best.policy), f"{best.mean_stretch:.3g}"
        if stretch == "1":
            return f"Under {name} jobs take about as long as alone on average{among}"
        return f"{name} stretches jobs {stretch} times on average{among}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or assumed, and whether data is synthetic."""
        from loadmaster.verbs.notes import remarks

        return tuple(remarks(self.study.case))

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each method: times in seconds, slowdowns and stretches as ratios, tasks moved, jobs refused."""
        import polars as pl

        return pl.DataFrame([row.as_dict() for row in self.rows], infer_schema_length=None)

    def plot(self) -> Any:
        """The mean stretch of every method, the least on top: an Altair chart."""
        from loadmaster.report.sharing_chart import sharing_chart

        return sharing_chart(self.rows)

    def write_tables(self, folder: Path) -> None:
        """Write sharing.parquet."""
        from loadmaster.system.whole_file import whole_file

        with whole_file(folder / "sharing.parquet") as part:
            self.frame.write_parquet(part)

    def page(self) -> "Page":
        """The answer, the table of methods, how much longer jobs take, their waits and yields."""
        from loadmaster.report.share_page import share_page

        case, settings = self.study.case, self.study.settings
        facts = {
            "command": self.command,
            "log": case.workload.source,
            "jobs": f"{case.workload.jobs:,}",
            "cluster": f"{counted(case.cluster.hosts, 'host')}",
            "needs": settings.needs,
            "thrashing": f"x{settings.thrash:g}",
            "seed": settings.seed,
            "name of the data": case.digest,
        }
        subtitle = f"{case.jobs_in_words} on {case.cluster.hosts:,} shared hosts"
        return share_page(self.answer, self.notes, self.rows, facts, subtitle)


@dataclass
class Sharing:
    """A comparison that is ready to run."""

    study: "SharingStudy"
    address: "DaskAddress | None"
    store: "Store | None"
    folder: Path | None = None
    command: str = ""
    rows: "list[SharingRow]" = field(default_factory=list)

    def run(self, watch: "Watch") -> None:
        """Make every row that is not kept."""
        from loadmaster.results.on_dask import pool_on
        from loadmaster.results.progress_file import progress_file_in

        with progress_file_in(self.folder, self.command, watch) as progress:
            self.rows = self.study.run(self.store, pool_on(self.address), progress)

    def finished(self) -> Shared:
        """The rows made so far, which are written down where a folder was given."""
        rows = self.study.finished(self.store) if self.store is not None else self.rows
        shared = Shared(self.study, rows, self.command)
        if self.folder is not None and rows:
            shared.save(self.folder)
        return shared


@contextmanager
def sharing(options: ShareOptions, command: str = "") -> Iterator[Sharing]:
    """Read and check all that `options` request; `command` is how to make it again, else made of them.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.packing.solve import packer_named
    from loadmaster.results.store import Store
    from loadmaster.rules.by_value import naming
    from loadmaster.runs.sharing_settings import FRACTIONAL, check_method, kind_of
    from loadmaster.runs.sharing_study import SharingStudy
    from loadmaster.scheduling.time_shared import parts_of
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.notes import noting

    with naming() as name:
        methods = names_of(options.methods, "--methods", name)
        settings, policies = options.settings(name), names_of(options.policies, "--policies", name)
        for method in methods:
            for policy in policies if kind_of(method) == "batch" else [""]:
                check_method(method, settings, policy)
        address = options.address
        refuse_idle(options, methods)
        refuse_uncounted(options, [method for method in methods if kind_of(method) != "batch"])
        folder = None if options.out is None else Path(options.out)
        if folder is not None:
            make_folder(folder)
        rules = [parts_of(method)[0] for method in methods if kind_of(method) == "shared"]
        rules += [policy for policy in policies if any(kind_of(method) == "batch" for method in methods)]
        packer = settings.fractional.packer
        rules += [packer] if FRACTIONAL in methods and packer_named(packer).rates else []
        case = noting(options.case(), *rules, models=[settings.sharing] if settings.sharing else [])
        case = _noting_constraints(case, [method for method in methods if kind_of(method) != "batch"])
        study = SharingStudy(case, methods, settings, policies)
        store = Store.in_folder(folder) if folder is not None else None
        _warn(study, store)
        try:
            yield Sharing(study, address, store, folder, command or options.call("share"))
        finally:
            if store is not None:
                store.close()


def _noting_constraints(case: "Case", unbound: Sequence[str]) -> "Case":
    """The case with a note where constraints bind its jobs, which the methods `unbound` do not keep."""
    from dataclasses import replace

    from loadmaster.scheduling.resolved_constraints import binds

    if not unbound or not binds(case.workload, case.cluster):
        return case
    note = (
        f"Constraints bind these jobs. Batch rows keep them; {', '.join(unbound)} do not, so their waits are not "
        "comparable with those rows: --ignore all leaves the constraints of the log aside everywhere."
    )
    return replace(case, notes=(*case.notes, note))


def share_with(options: ShareOptions) -> Shared:
    """Run a log on machines that are shared: processor sharing, migration, or CPU by yield, beside the batch queue.

    Args:
        options: what to run.

    Returns:
        A row for each method.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.verbs.progress import watching

    with sharing(options) as ready, watching(None) as watch:
        ready.run(watch)
        return ready.finished()


def _warn(study: "SharingStudy", store: "Store | None") -> None:
    """Say on stderr what only a plain engine can do, and how fast it is; and what cannot be repeated."""
    from loadmaster.packing.solve import packer_named
    from loadmaster.report.console import for_notes
    from loadmaster.report.sharing_table import label
    from loadmaster.runs.plain_engine_rate import shown_pace
    from loadmaster.runs.sharing_settings import FRACTIONAL

    notes = for_notes()
    for task, rate in study.plain(store):
        text = f"{label(task.method, task.policy)}: not compiled, about {shown_pace(rate)} events a second at first"
        notes.print(f"{text}; a job is two or more (--limit reads fewer)", style="yellow")
    packing = study.settings.fractional
    if FRACTIONAL in study.methods and packing.repack != "never" and packer_named(packing.packer).timed:
        text = f"{packing.packer} packs for up to {packing.pack_time_s:g} s each time"
        notes.print(f"{text}: made again, the run may come out otherwise", style="yellow")


share = called_with(ShareOptions, share_with)
