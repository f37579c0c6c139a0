"""`run`: a bag of shell commands for real, on machines that a sizer rents and gives back."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.system.counted import counted
from loadmaster.verbs.dask_options import CLUSTER, DaskOptions
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.live.bag.config import BagConfig, BagReport
    from loadmaster.live.dask.machine_source import DaskMachineSource
    from loadmaster.report.page import Page
    from loadmaster.sizing import HostType, Sizer


@dataclass(frozen=True)
class BagRunOptions(DaskOptions):
    """All that `run` can be told."""

    commands: Annotated[
        "str | Path | Sequence[str]",
        Option("A file with one shell command a line; lines with # are ignored.", argument=True, typed=Path),
    ]
    _: KW_ONLY
    on: Annotated[
        str, Option("local, slurm, or the address of a Dask scheduler (tls://HOST:PORT or tcp://...).", panel=CLUSTER)
    ] = "local"
    dashboard: Annotated[
        bool, Option("Open Dask's dashboard, to all users of this machine, on loopback.", panel=CLUSTER)
    ] = False
    slurm_option: Annotated[
        "Sequence[str] | Mapping[str, str] | None",
        Option("Option for SLURMCluster, such as queue=short.", panel=CLUSTER, typed=list[str] | None),
    ] = None
    sizer: Annotated[
        "str | int | Sizer | None",
        Option(
            "planner, silva, all-at-once, a number, or file.py:Class; default: all machines of the cluster.",
            typed=str | None,
        ),
    ] = None
    budget: Annotated[
        float | None, Option("Money that may be spent, over all starts; the bag ends as early as the budget allows.")
    ] = None
    deadline: Annotated[
        str | float | None,
        Option("Time from the first start, such as 2h; kept as cheaply as possible.", typed=str | None),
    ] = None
    confidence: Annotated[float, Option("Probability with which the budget or the deadline is kept.")] = 0.9
    guess: Annotated[
        str | float | None, Option("Guess of the duration of one command, such as 5min.", typed=str | None)
    ] = None
    prices: Annotated["str | Path | None", Option("Table of machine types.", reads=True, typed=Path | None)] = None
    machine_type: Annotated[
        str | None, Option("The machine type of that table to rent, if it has several.", flags=("--type",))
    ] = None
    currency: Annotated[str, Option("Currency of the price table, shown with every cost.", metavar="EUR")] = ""
    billing: Annotated[str | None, Option("Charging unit: second, minute, hour, or a duration.")] = None
    limit: Annotated[int | None, Option("Machines at the same time; on local: as many as processors.", least=1)] = None
    copies: Annotated[bool, Option("Start the last stragglers a second time; the first to end counts.")] = False
    retries: Annotated[int, Option("How often a failing command is tried again.", least=0)] = 0
    retry_failed: Annotated[bool, Option("Try again what failed for good in an earlier run of the same file.")] = False
    timeout: Annotated[
        str | float | None, Option("A command is killed after this time, such as 10min.", typed=str | None)
    ] = None
    out: Annotated[
        "str | Path | None",
        Option("Folder of log and output; default COMMANDS.run.", flags=("-o", "--out"), typed=Path | None),
    ] = None

    @property
    def lines(self) -> list[str]:
        """The commands.

        Raises:
            InputError: there are none.
        """
        from loadmaster.live.bag.commands import checked_commands, read_commands
        from loadmaster.verbs.pipe_input import pipe_as_file

        if isinstance(self.commands, str | Path):
            return read_commands(Path(pipe_as_file(self.commands)))
        return checked_commands(self.commands, "the list of commands")

    @property
    def folder(self) -> Path:
        """Of the log and the output.

        Raises:
            InputError: commands given in Python, and no folder.
        """
        if self.out is not None:
            return Path(self.out)
        if isinstance(self.commands, str | Path):
            path = Path(self.commands)
            return path.with_suffix(path.suffix + ".run")
        from loadmaster.model.errors import InputError

        rule = "needs a folder for its log and its output, where it can go on"
        raise InputError("a list of commands", rule, fix="give it like out='bag.run'")

    def place(self) -> "DaskMachineSource":
        """Where the machines come from."""
        from loadmaster.live.dask.machine_source import DaskMachineSource

        given = self.slurm_option or []
        written = [f"{k}={v}" for k, v in given.items()] if isinstance(given, Mapping) else list(given)
        return DaskMachineSource(
            self.on, slurm_options(self.on, written), self.certificates, self.folder, self.dashboard
        )

    def config(self, tasks: int) -> "BagConfig":
        """How a bag of so many commands is to be run.

        Raises:
            InputError: a value breaks its rule, or an option changes nothing.
        """
        from loadmaster.live.bag.config import BagConfig
        from loadmaster.verbs.bag_options import chosen_type

        if self.budget is None and self.deadline is None:
            refuse_unused(self, ["confidence"], "it works only with --budget or --deadline")
        if self.prices is None:
            refuse_unused(self, ["currency"], "without prices costs are machine hours", "add --prices")
        kind = chosen_type(self.prices, self.billing, self.machine_type)
        most = self.limit or self._usable(tasks)
        kind = dataclasses.replace(kind, limit=min(kind.limit, most))
        boot_limit_s = 120.0 if self.on == "local" else math.inf  # a Slurm job may wait in the queue for hours
        chosen, timeout_s = self._chosen(kind, most, tasks), time_limit(self.timeout)
        return BagConfig(self.folder, chosen, kind, self.retries, timeout_s, boot_limit_s, self.retry_failed)

    def _usable(self, tasks: int) -> int:
        from loadmaster.system.process import usable_cores

        return usable_cores() if self.on == "local" else tasks

    def _chosen(self, kind: "HostType", most: int, tasks: int) -> "Sizer":
        from loadmaster.verbs.bag_options import chosen_sizer

        asks = (self.budget, self.deadline, self.guess, self.prices, self.machine_type, self.billing)
        wishes = self.copies or any(wish is not None for wish in asks)
        usual = usual_sizer(self.on, most, wishes=wishes)
        return chosen_sizer(
            usual if self.sizer is None else self.sizer,
            kind,
            tasks,
            self.budget,
            self.deadline,
            self.confidence,
            self.guess,
            self.copies,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Ran(Result):
    """The result of `run`, also if commands failed.

    Attributes:
        figures: tasks, done, failed, unpaid, skipped, span_s, cost, spent, machines, ... by name.
        words: the same in sentences.
        rows: a row for each command as plain values.
    """

    verb = "run"

    figures: Mapping[str, Any]
    words: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]

    @property
    def done(self) -> bool:
        """Whether every command has ended well."""
        return not self.figures["failed"] and not self.figures["unpaid"]

    @property
    def folder(self) -> Path:
        """The folder of the log and of every command's output, `tasks/NUMBER/attempt-N`."""
        return Path(self.figures["folder"])

    @property
    def answer(self) -> str:
        """The result of the bag in words."""
        return self.words[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Commands that failed or are not paid for, and a deadline that has passed."""
        return self.words[1:]

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each command: task, command, state (done, failed, not done), exit, attempts, seconds, machine."""
        import polars as pl

        kinds = {
            "task": pl.Int64,
            "command": pl.String,
            "state": pl.String,
            "exit": pl.Int64,
            "attempts": pl.Int64,
            "seconds": pl.Float64,
            "machine": pl.String,
        }
        return pl.DataFrame(self.rows, schema=kinds)

    def plot(self) -> Any:
        """How long every command took, by its result: an Altair chart."""
        from loadmaster.report.commands_chart import commands_chart

        return commands_chart(self.rows)

    def page(self) -> "Page":
        """The answer, the commands, the picture."""
        from loadmaster.report.commands_chart import commands_page

        return commands_page(self.answer, self.notes, self.rows)


def run_with(options: BagRunOptions) -> Ran:
    """Run a bag of shell commands for real on Dask; started again, it goes on where it stopped.

    Args:
        options: the commands, where they run, what they may cost.

    Returns:
        What became of every command; `done` says whether all ended well.

    Raises:
        InputError: the commands, the machines or a wish cannot be used, or an option changes nothing.
        MissingExtra: Dask is not installed.
    """
    from rich.console import Console

    from loadmaster.compiled_rules.policies import timing_compilation
    from loadmaster.live.bag.command_results import command_rows
    from loadmaster.live.dask.machine_source import machines
    from loadmaster.live.dask.run_commands import run_commands
    from loadmaster.verbs.bag_options import unit_of_cost
    from loadmaster.verbs.bag_progress import BagProgress
    from loadmaster.verbs.folder import make_folder

    lines = options.lines
    config, where = options.config(len(lines)), options.place()
    make_folder(config.folder)
    console = Console(stderr=True)
    progress = BagProgress(console, len(lines))
    try:
        with machines(where) as place, progress, timing_compilation(progress.compiling):
            if options.dashboard:
                progress.say(f"dashboard, open to all users of this machine: {place.client.dashboard_link}")
            report = run_commands(lines, config, place, progress.show, progress.say)
    except KeyboardInterrupt:
        console.print(f"what is done is kept in {config.folder}", soft_wrap=True, highlight=False, markup=False)
        raise
    unit = unit_of_cost(options.prices, options.currency)
    figures = figures_of(report, config, len(lines)) | {"unit": unit or None}
    ran = Ran(figures, tuple(summary_lines(report, config, len(lines), unit)), command_rows(config.folder, lines))
    ran.save(config.folder)
    return ran


def figures_of(report: "BagReport", config: "BagConfig", tasks: int) -> dict[str, Any]:
    """What became of a bag, by name."""
    return {
        "tasks": tasks,
        "done": len(report.exits) - len(report.failed),
        "failed": report.failed,
        "unpaid": report.unpaid,
        "skipped": report.skipped,
        "again": [list(pair) for pair in report.again],
        "left_behind": [list(pair) for pair in report.left_behind],
        "span_s": report.span_s,
        "since_first_start_s": report.elapsed_s,
        "cost": report.cost,
        "spent_before": report.spent_before,
        "spent": report.spent,
        "budget": config.budget,
        "deadline_s": config.deadline_s,
        "machines": report.hosts,
        "folder": str(config.folder),
    }


def summary_lines(report: "BagReport", config: "BagConfig", tasks: int, unit: str) -> list[str]:
    """What became of a bag of so many commands, of this start and of all starts; costs are in `unit`."""
    from loadmaster.model.units import show_seconds
    from loadmaster.verbs.bag_options import with_unit

    kind = config.kind
    price = f"{kind.name}, {with_unit(kind.price_per_h, unit)} an hour"
    price = f"charged by the {kind.name}" if unit == "machine hours" else price
    lines = [
        f"{len(report.exits) - len(report.failed)} of {tasks} commands ended well in {show_seconds(report.span_s)}"
        f" on {counted(report.hosts, 'machine')} for {with_unit(report.cost, unit)} ({price})"
        + (f"; {report.skipped} were done before" if report.skipped else "")
    ]
    if report.elapsed_s > report.span_s:
        since = show_seconds(report.elapsed_s)
        lines.append(f"in all starts: {with_unit(report.spent, unit)} spent, the first one began {since} ago")
    if report.failed:
        failed = ", ".join(map(str, report.failed))
        lines.append(f"failed: {failed}; see {config.folder}/tasks; --retry-failed tries again")
    if report.unpaid:
        left = f"{counted(len(report.unpaid), 'command is', 'commands are')} not done"
        how = f"is spent ({with_unit(report.spent, unit)})" if report.spent else "does not pay for one machine"
        lines.append(f"the budget of {config.budget:g} {how}, {left}; a higher --budget goes on")
    if config.deadline_s is not None and report.elapsed_s > config.deadline_s:
        lines.append(f"the deadline passed {show_seconds(report.elapsed_s - config.deadline_s)} before the end")
    return lines


def usual_sizer(on: str, most: int, *, wishes: bool) -> str:
    """The sizer where none is named: machines that are there anyway are all used, unless money or time matters.

    Args:
        on: as `--on` says.
        most: machines at the same time.
        wishes: whether anything is said of money, time or what a command takes.
    """
    return "planner" if on == "slurm" or wishes else str(most)


def time_limit(given: str | float | None) -> float | None:
    """Seconds after which a command is killed, None for never.

    Raises:
        InputError: not a duration above 0.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds

    seconds = None if given is None else parse_seconds(str(given))
    if seconds is not None and seconds <= 0:
        raise InputError(given, "a command needs some time: --timeout must be above 0", fix="write it like 10min")
    return seconds


def slurm_options(on: str, given: Sequence[str]) -> dict[str, str]:
    """What `--slurm-option` says, by name.

    Raises:
        InputError: the run is not on Slurm, or an option is not NAME=VALUE.
    """
    from loadmaster.model.errors import InputError

    if given and on != "slurm":
        raise InputError(f"--on {on}", "--slurm-option needs --on slurm", fix="leave one of them out")
    for option in given:
        if not option.partition("=")[0] or "=" not in option:
            raise InputError(option, "--slurm-option takes NAME=VALUE", fix="such as --slurm-option queue=short")
    return dict(option.split("=", 1) for option in given)


run = called_with(BagRunOptions, run_with)
