"""Refuses options that would change nothing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from loadmaster.runs import Case, Setting


class GivenOptions(Protocol):
    """Options of which some were given."""

    @property
    def given(self) -> Sequence[str]:
        """Their names, in the order in which they are refused."""

    def flag(self, name: str, /) -> str:
        """How an option is written on the command line."""


def refuse_unused(options: GivenOptions, names: Iterable[str], why: str, fix: str = "leave it out") -> None:
    """Refuse those of the options `names` that were given.

    Args:
        options: the options of a verb.
        names: those that do nothing here.
        why: the rest of the sentence "this option changes nothing: ...".
        fix: what to do instead.

    Raises:
        InputError: one was given.
    """
    from loadmaster.model import InputError

    idle = set(names)
    for name in options.given:
        if name in idle:
            raise InputError(options.flag(name), f"this option changes nothing here: {why}", fix=fix)


def refuse_all_but(options: GivenOptions, names: Iterable[str], why: str, fix: str = "leave it out") -> None:
    """Refuse every option that was given beside `names`.

    Raises:
        InputError: one was given.
    """
    refuse_unused(options, set(options.given) - set(names), why, fix)


def refuse_unused_settings(options: GivenOptions, settings: "Sequence[Setting]") -> list[str]:
    """Refuse options that none of the runs looks at.

    Returns:
        Sentences on options that some of the runs do not look at.

    Raises:
        InputError: an option that was given changes none of the runs.
    """
    from loadmaster.runs import MAX_JOBS
    from loadmaster.scheduling.notation import is_whole

    members = {"max_jobs_members": "members", "max_jobs_target": "target"}
    if not any(setting.has_members for setting in settings):
        refuse_unused(
            options,
            members,
            f"it works only with {MAX_JOBS}",
            f"add {MAX_JOBS} to the policies, or leave it out",
        )
    if not any(is_whole(setting.discipline) for setting in settings):
        refuse_unused(
            options,
            ["twin_members"],
            "it works only with twin",
            "add twin to the disciplines, or leave it out",
        )
    sentences = []
    for name in ("reservations", "lookahead", "shares"):
        takes = {setting.discipline: name in setting.essential() for setting in settings}
        without = [discipline for discipline, on in takes.items() if not on]
        if len(without) == len(takes):
            refuse_unused(options, [name], f"{_and(without)} {'has' if len(without) == 1 else 'have'} no such number")
        elif without and name in options.given:
            sentences.append(f"{options.flag(name)} changes nothing under {_and(without)}.")
    return sentences


def refuse_unused_foresight(options: GivenOptions, case: "Case", settings: "Sequence[Setting]") -> list[str]:
    """Refuse estimates that none of the runs looks at, and what the log does not say enough for.

    Returns:
        Sentences on disciplines that do not look at them.

    Raises:
        InputError: an option that was given changes none of the runs, or the log lacks what it needs.
    """
    from loadmaster.runs import discipline_of, sources_of
    from loadmaster.scheduling.resolved_constraints import binds

    for setting in settings:
        setting.estimate_model.check(case.workload)
    if "estimates" not in options.given or binds(case.workload, case.cluster):
        return []
    looks = {each.discipline: discipline_of(each, sources_of(each)).looks_ahead for each in settings}
    blind = [discipline for discipline, on in looks.items() if not on]
    if len(blind) == len(looks):
        why = f"{_and(blind)} {'does' if len(blind) == 1 else 'do'} not look at runtimes"
        refuse_unused(options, ["estimates"], why, "name a discipline that does, such as easy")
    return [f"--estimates changes nothing under {_and(blind)}."] if blind else []


Needs = Mapping[str, tuple[bool, str]]
"""For options: whether anything looks at it, and what would."""


def refuse_unneeded(options: GivenOptions, needs: Needs) -> None:
    """Refuse options that were given and that nothing looks at.

    Raises:
        InputError: there is one.
    """
    for name, (looked_at, by) in needs.items():
        if not looked_at:
            refuse_unused(options, [name], f"it works only with {by}")


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
