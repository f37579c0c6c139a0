"""Options of the verbs that simulate, written once, and the settings that they come to."""

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from loadmaster.runs import Case, Setting

RUN = "The run"

Interval = Annotated[
    str,
    typer.Option(metavar="TIME", help="Time between scheduling cycles, 30s or 5min; 0: at every event.",
                 rich_help_panel=RUN),
]  # fmt: skip
Reservations = Annotated[
    str,
    typer.Option(metavar="N|all", help="How many waiting jobs a cycle may reserve hosts for.", rich_help_panel=RUN),
]
Lookahead = Annotated[
    str, typer.Option(metavar="N|all", help="How many waiting jobs a cycle may try.", rich_help_panel=RUN)
]
Shares = Annotated[
    str,
    typer.Option(metavar="S0,S1,...", help="Share of every project, for fair-share.", rich_help_panel=RUN),
]
MaxJobsMembers = Annotated[
    str,
    typer.Option("--max-jobs-members", metavar="A,B,...", help="Policies that max-jobs chooses from.",
                 rich_help_panel=RUN),
]  # fmt: skip
MaxJobsTarget = Annotated[
    Literal["jobs", "cores", "weighted"],
    typer.Option("--max-jobs-target", help="What max-jobs maximises in a cycle.", rich_help_panel=RUN),
]
Estimates = Annotated[
    str,
    typer.Option(metavar="user|exact|last-two|FACTOR", help="What disciplines expect of runtimes: the user's estimate, "
                 "the runtime, the mean of the user's last two, the estimate times FACTOR.", rich_help_panel=RUN),
]  # fmt: skip
Overrun = Annotated[
    str,
    typer.Option(metavar="run|kill", help="Whether jobs run on past their limit, or are killed there.",
                 rich_help_panel=RUN),
]  # fmt: skip
Check = Annotated[bool, typer.Option("--check", help="Check every schedule by itself, host by host.")]


def split(text: str) -> list[str]:
    """The parts of a list parted by commas, each once, in order."""
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def numbers(text: str, option: str, rule: str = "a number above 0") -> list[float]:
    """The numbers of a list parted by commas, each above 0.

    Raises:
        InputError: one of them is not, or there is none in a text that is not empty.
    """
    from loadmaster.model import InputError

    parts = split(text)
    if text and not parts:
        raise InputError(text, f"{option} names nothing", fix=f"write it like {option} 0.8,0.9")
    found = []
    for part in parts:
        try:
            number = float(part)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise InputError(part, f"{option} takes {rule}", fix=f"write it like {option} 0.8,0.9")
        found.append(number)
    return found


def count(text: str, option: str, least: int) -> int | None:
    """A whole number of at least `least`, or None for `all`."""
    from loadmaster.model import InputError

    if text.strip() == "all":
        return None
    if not text.strip().isdecimal() or int(text) < least:
        raise InputError(text, f"{option} takes a whole number of at least {least}, or all")
    return int(text)


def noting_runs(case: "Case", settings: "list[Setting]") -> "Case":
    """`case` with what must be said of the rules that are to run on it."""
    from loadmaster.cli.load import noting
    from loadmaster.runs import discipline_of, sources_of

    case = noting(case, *(spec for setting in settings for spec in setting.policies))
    notes: dict[str, None] = {}
    for setting in settings:
        discipline = discipline_of(setting, sources_of(setting))
        notes |= dict.fromkeys(discipline.notes)
        notes |= dict.fromkeys(setting.foresight.notes)
        tell = getattr(discipline.order, "notes", None)  # a class of the user's own need not have it
        notes |= dict.fromkeys(tell(case.workload, case.cluster) if tell is not None else ())
    return replace(case, notes=(*case.notes, *notes))


def warn_of_plain(case: "Case", settings: "list[Setting]") -> None:
    """Say on stderr which of the runs only the plain engine can make, and how fast the first of each discipline begins.

    Raises:
        InputError: a rule of the user's own fails on the first jobs.
    """
    from loadmaster.report.console import for_notes
    from loadmaster.runs import discipline_of, policy_of, sources_of
    from loadmaster.runs.pace import jobs_a_second
    from loadmaster.schedule.binding import binds
    from loadmaster.sim.queue.door import is_compiled

    bound = binds(case.workload, case.cluster)
    tried: set[str] = set()
    for setting in settings:
        texts = sources_of(setting)
        rules = policy_of(setting, texts), discipline_of(setting, texts)
        compiled = is_compiled(case.workload, case.cluster, *rules, setting.foresight)
        if setting.discipline in tried or compiled:
            continue
        tried.add(setting.discipline)
        rate = jobs_a_second(case, setting, texts)
        if rate is not None:
            text = f"{setting.policy} under {setting.discipline}: not compiled, begins at {rate:,.0f} jobs a second"
            less = "--limit reads fewer" + (", --ignore all without what binds them" if bound else "")
            for_notes().print(f"{text} ({case.workload.jobs:,} jobs; {less})", style="yellow")


def settings(
    policies: str,
    disciplines: str,
    betas: list[float],
    *,
    interval: str = "30s",
    seed: int = 0,
    reservations: str = "all",
    lookahead: str = "all",
    shares: str = "",
    members: str = "",
    target: str = "jobs",
    site: str = "",
    estimates: str = "user",
    overrun: str = "run",
) -> "list[Setting]":
    """Every combination of load, discipline and policy, in this order; `site` is what the discipline `site` stands for.

    Raises:
        InputError: a list is empty, or a value breaks its rule.
    """
    from loadmaster.model import InputError
    from loadmaster.model.units import parse_seconds
    from loadmaster.runs import Setting
    from loadmaster.runs.setting import SITE
    from loadmaster.schedule.foresight import foresight_named
    from loadmaster.schedule.notation import split_specs

    foresight_named(estimates, overrun)

    for text, option in ((policies, "--policies"), (disciplines, "--disciplines")):
        if not split(text):
            raise InputError(text, f"{option} names nothing", fix="see `loadmaster policies`")
    return [
        Setting(
            policy, discipline, beta, 0.0 if discipline == SITE else parse_seconds(interval), seed,
            count(reservations, "--reservations", 0), count(lookahead, "--lookahead", 1),
            tuple(numbers(shares, "--shares")), tuple(split(members)), target,
            site if discipline == SITE else "", estimates, overrun,
        )
        for beta in betas
        for discipline in split_specs(disciplines)
        for policy in split(policies)
    ]  # fmt: skip


def betas(case: "Case", loads: str, beta: str) -> list[float]:
    """Factors on the times between arrivals: from offered loads, or as given; 1 if neither is.

    Raises:
        InputError: both are given, a value is not above 0, or all jobs arrive at once.
    """
    from loadmaster.model import InputError

    if loads and beta:
        raise InputError(f"--loads {loads} --beta {beta}", "two ways of saying the same", fix="give one of them")
    if loads:
        return [case.beta_for(load) for load in numbers(loads, "--loads")]
    if beta and not math.isfinite(case.load):
        raise InputError(
            f"--beta {beta}", "changes nothing here: all jobs of this log arrive at once", fix="leave it out"
        )
    return numbers(beta, "--beta") or [1.0]


def baseline(name: str, settings: "list[Setting]") -> str:
    """The policy to measure the others against: the one named, else the first.

    Raises:
        InputError: the one named is not among the policies.
    """
    from loadmaster.model import InputError

    policies = list(dict.fromkeys(setting.policy for setting in settings))
    if name and name not in policies:
        raise InputError(name, "the baseline is not among the policies", fix=f"one of {', '.join(policies)}")
    return name or policies[0]


def make_folder(folder: Path) -> None:
    """Make `folder` if it is not there, and see that files can be written into it.

    Raises:
        InputError: they cannot.
    """
    import tempfile

    from loadmaster.model import InputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        raise InputError(folder, f"cannot write there: {error.strerror}", fix="give another folder with -o") from error


def command_line() -> str:
    """The command that is running, as one would type it."""
    import sys

    from loadmaster.report.console import as_typed

    return as_typed(["loadmaster", *sys.argv[1:]])


def only(settings: "list[Setting]") -> "Setting":
    """The one setting of a single run.

    Raises:
        InputError: there are several.
    """
    from loadmaster.model import InputError

    if len(settings) > 1:
        fix = "`loadmaster compare` makes several runs"
        raise InputError(f"{len(settings)} runs", "one run takes one policy, one discipline and one load", fix=fix)
    return settings[0]
