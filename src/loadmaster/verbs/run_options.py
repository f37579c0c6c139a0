"""Options of the verbs that simulate the queue, and the settings that follow from them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import RUN, Estimates, Overrun, Seed
from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.rules import Discipline, Naming, Rule, name_of, names_of

if TYPE_CHECKING:
    from loadmaster.runs import Case, Setting
    from loadmaster.runs.site_case import SiteCase

NETBATCH_CYCLE_S = 30.0
"""Shai 2014, section 2.2."""


@dataclass(frozen=True, kw_only=True)
class RunOptions(Options):
    """How every run is made, whatever its policy, discipline and load."""

    interval: Annotated[
        str | float,
        Option(
            "Time between scheduling cycles, such as 30s or 5min; 0: at every event. Default: 30s if a run uses "
            "netbatch, else 0.",
            metavar="TIME",
            panel=RUN,
            typed=str,
        ),
    ] = ""
    reservations: Annotated[
        str | int,
        Option("How many waiting jobs a cycle may reserve hosts for.", metavar="N|all", panel=RUN, typed=str),
    ] = "all"
    lookahead: Annotated[
        str | int, Option("How many waiting jobs a cycle may try.", metavar="N|all", panel=RUN, typed=str)
    ] = "all"
    shares: Annotated[
        str | Sequence[float],
        Option("Share of every project, for fair-share.", metavar="S0,S1,...", panel=RUN, typed=str),
    ] = ""
    max_jobs_members: Annotated[
        str | Sequence[Rule],
        Option("Policies that max-jobs chooses from.", metavar="A,B,...", panel=RUN, typed=str),
    ] = ""
    max_jobs_target: Annotated[
        Literal["jobs", "cores", "weighted"], Option("What max-jobs maximises in a cycle.", panel=RUN)
    ] = "jobs"
    twin_members: Annotated[
        str | Sequence[Discipline],
        Option("Disciplines that twin chooses from.", metavar="A,B,...", panel=RUN, typed=str),
    ] = ""
    estimates: Estimates = "user"
    overrun: Overrun = "run"
    seed: Seed = 0
    check: Annotated[bool, Option("Check every schedule independently, host by host.")] = False

    def settings(
        self,
        policies: Sequence[str],
        disciplines: Sequence[str],
        betas: Sequence[float],
        name: Naming,
        at: "SiteCase | None" = None,
    ) -> "list[Setting]":
        """Every combination of load, discipline and policy, in this order.

        Args:
            policies: their names.
            disciplines: their names.
            betas: factors on the times between arrivals.
            name: what names functions among the members of max-jobs.
            at: what the discipline `site` stands for.

        Raises:
            InputError: a value breaks its rule.
        """
        from loadmaster.model.units import parse_seconds
        from loadmaster.runs import Setting
        from loadmaster.runs.setting import SITE
        from loadmaster.scheduling.estimate_model import estimate_model_named

        given, estimates = self.max_jobs_members, str(self.estimates)
        members = tuple(split(given) if isinstance(given, str) else (name_of(each, name) for each in given))
        estimate_model_named(estimates, self.overrun)
        disciplines = with_members(disciplines, self.twin_members, name)
        interval_s = parse_seconds(str(self.interval)) if self.interval != "" else one_clock(disciplines, at)
        reservations = count(self.reservations, "--reservations", 0)
        lookahead = count(self.lookahead, "--lookahead", 1)
        shares = tuple(numbers(self.shares, "--shares"))

        def made(policy: str, discipline: str, beta: float) -> Setting:
            own = at is not None and discipline == SITE
            setting = Setting(
                policy,
                "netbatch" if own else discipline,
                beta,
                interval_s,
                self.seed,
                reservations,
                lookahead,
                shares,
                members,
                self.max_jobs_target,
                "",
                estimates,
                self.overrun,
            )
            return setting if at is None or not own else at.own(setting)

        return [made(policy, discipline, beta) for beta in betas for discipline in disciplines for policy in policies]


def usual_discipline(log: object) -> str:
    """The discipline where none is named: EASY; of the demo, that of the thesis that it stands for."""
    return "netbatch" if log is None else "easy"


def rules_or_site(
    given: Sequence[str], policy: Rule, discipline: Discipline, at: "SiteCase | None"
) -> tuple[Rule, Discipline]:
    """Policy and discipline of one run: under a site its own, where neither is given or its queue without a policy.

    Args:
        given: names of the options that were given.
        policy: what the option says.
        discipline: what the option says.
        at: the site; None without one.
    """
    chosen = {"policy", "discipline"} & {*given}
    if at is None or (chosen and not (chosen == {"discipline"} and discipline == "site")):
        return policy, discipline
    return at.policy, "site"


def one_clock(disciplines: Sequence[str], at: "SiteCase | None" = None) -> float:
    """Seconds between the cycles of all runs that are compared: they decide at the same moments.

    At every event, which is 0, unless one of them is NetBatch's or a site was found to have cycles.
    """
    from loadmaster.backfilling import NetBatch
    from loadmaster.runs.setting import SITE
    from loadmaster.scheduling import discipline_named

    named = [discipline_named(each) for each in disciplines if each != SITE]
    tried = [*named, *(member for each in named for member in getattr(each, "members", ()))]
    walks = any(type(each.backfilling) is NetBatch for each in tried)
    return max(NETBATCH_CYCLE_S if walks else 0.0, 0.0 if at is None else at.queue.interval_s)


def notes_on_clock(options: RunOptions, settings: "Sequence[Setting]") -> list[str]:
    """That all rows wait for the cycle of one of them, where the user did not say so."""
    interval_s = settings[0].interval_s
    if not interval_s or options.interval != "" or len({setting.queue for setting in settings}) == 1:
        return []
    return [
        f"All rows decide every {interval_s:g} s, since one of them needs this cycle. With --interval 0 all decide "
        "at every event."
    ]


def with_members(disciplines: Sequence[str], members: str | Sequence[Discipline], name: Naming) -> list[str]:
    """The disciplines, a twin among them with the members that were given for it.

    Raises:
        InputError: it names members itself.
    """
    from loadmaster.model import InputError
    from loadmaster.rules.part import Part
    from loadmaster.scheduling.notation import is_whole

    if not members:
        return list(disciplines)
    named, written = ";".join(names_of(members, "--twin-members", name)), []
    for discipline in disciplines:
        part = Part.of(discipline) if is_whole(discipline) else None
        if part is not None and "members" in part.given:
            raise InputError(discipline, "names its members, and so does --twin-members", fix="leave one out")
        says = "" if part is None else ",".join(f"{key}={value}" for key, value in part.given.items())
        comma = "," if says else ""
        written.append(discipline if part is None else f"{part.name}({says}{comma}members={named})")
    return written


def split(names: str | Sequence[str]) -> list[str]:
    """The parts of a list parted by commas, or of a list as it is, each once, in order."""
    parts = names.split(",") if isinstance(names, str) else names
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def numbers(given: str | float | Sequence[float], option: str, rule: str = "a number above 0") -> list[float]:
    """The numbers of a list, in text parted by commas, each above 0.

    Raises:
        InputError: one of them is not, or there is none in a text that is not empty.
    """
    from loadmaster.model import InputError

    listed = [given] if isinstance(given, int | float) else given
    parts = split(given) if isinstance(given, str) else [str(each) for each in listed]
    if given and not parts:
        raise InputError(given, f"{option} names nothing", fix=f"write it like {option} 0.8,0.9")
    values = []
    for part in parts:
        try:
            number = float(part)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise InputError(
                part,
                f"{option} takes {rule}",
                fix=f"write it like {option} {'0.8,0.9' if option != '--load' else '0.9'}",
            )
        values.append(number)
    return values


def count(given: str | int, option: str, least: int) -> int | None:
    """A whole number of at least `least`, or None for `all`."""
    from loadmaster.model import InputError

    text = str(given).strip()
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < least:
        raise InputError(given, f"{option} takes a whole number of at least {least}, or all")
    return int(text)


def betas(
    case: "Case", loads: str | float | Sequence[float], beta: str | float | Sequence[float], option: str = "--loads"
) -> list[float]:
    """Factors on the times between arrivals: from offered loads, given by `option`, or as given; 1 if neither is.

    Raises:
        InputError: both are given, a value is not above 0, or all jobs arrive at once.
    """
    from loadmaster.model import InputError

    wanted, factors = numbers(loads, option), numbers(beta, "--beta")
    if wanted and factors:
        given = f"{option} {_typed(loads)} --beta {_typed(beta)}"
        raise InputError(given, "two ways of saying the same", fix="give one of them")
    if wanted:
        return [case.beta_for(load) for load in wanted]
    if factors and not math.isfinite(case.load):
        rule = "changes nothing here: all jobs of this log arrive at once"
        raise InputError(f"--beta {_typed(beta)}", rule, fix="leave it out")
    return factors or [1.0]


def _typed(given: str | float | Sequence[float]) -> str:
    return ",".join(f"{each:g}" for each in given) if not isinstance(given, str | int | float) else str(given)


def only(settings: "Sequence[Setting]") -> "Setting":
    """The one setting of a single run.

    Raises:
        InputError: there are several.
    """
    from loadmaster.model import InputError

    if len(settings) > 1:
        fix = "`loadmaster compare` makes several runs"
        raise InputError(f"{len(settings)} runs", "one run takes one policy, one discipline and one load", fix=fix)
    return settings[0]
