"""Options that would change nothing are refused: who types one expects it to do something."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

    from loadmaster.runs import Case, Setting

READING = (
    "format", "trace_format", "swf_memory", "memory_unit", "columns", "strict", "swf_partition",
    "swf_feedback", "ignore",
)  # fmt: skip
"""Parameters that say how a log is read."""


def typed(context: "typer.Context") -> list[str]:
    """The names of the parameters that stand on the command line, in the verb's order."""
    names = (parameter.name for parameter in context.command.params if parameter.name is not None)
    return [name for name in names if _source(context, name) == "COMMANDLINE"]


def refuse_idle(context: "typer.Context", names: Iterable[str], why: str, fix: str = "leave it out") -> None:
    """Refuse those of the parameters `names` that the user typed.

    Args:
        context: of the verb.
        names: parameters that do nothing here.
        why: the rest of the sentence "this option changes nothing: ...".
        fix: what to do instead.

    Raises:
        InputError: one was typed.
    """
    from loadmaster.model import InputError

    idle = set(names)
    for name in typed(context):
        if name in idle:
            raise InputError(option(context, name), f"this option changes nothing here: {why}", fix=fix)


def option(context: "typer.Context", name: str) -> str:
    """How parameter `name` is written on the command line.

    Arguments have no name to write but their own.
    """
    parameter = next(parameter for parameter in context.command.params if parameter.name == name)
    return max(parameter.opts, key=len) if parameter.param_type_name == "option" else name.upper()


def refuse_idle_settings(context: "typer.Context", settings: "Sequence[Setting]") -> list[str]:
    """Refuse options that none of the runs looks at.

    Returns:
        Sentences on options that some of the runs do not look at.

    Raises:
        InputError: a typed option changes none of the runs.
    """
    from loadmaster.runs import MAX_JOBS

    members = {"max_jobs_members": "members", "max_jobs_target": "target"}
    if all(setting.policy != MAX_JOBS for setting in settings):
        refuse_idle(context, members, f"it is for {MAX_JOBS}", f"add {MAX_JOBS} to the policies, or leave it out")
    said = []
    for name in ("reservations", "lookahead", "shares"):
        takes = {setting.discipline: name in setting.essential() for setting in settings}
        without = [discipline for discipline, on in takes.items() if not on]
        if len(without) == len(takes):
            refuse_idle(context, [name], f"{_and(without)} {'has' if len(without) == 1 else 'have'} no such number")
        elif without and name in typed(context):
            said.append(f"{option(context, name)} changes nothing under {_and(without)}.")
    return said


def refuse_idle_foresight(context: "typer.Context", case: "Case", settings: "Sequence[Setting]") -> list[str]:
    """Refuse estimates that none of the runs looks at, and what the log does not say enough for.

    Returns:
        Sentences on disciplines that do not look at them.

    Raises:
        InputError: a typed option changes none of the runs, or the log lacks what it needs.
    """
    from loadmaster.runs import discipline_of, sources_of
    from loadmaster.schedule.binding import binds

    for setting in settings:
        setting.foresight.check(case.workload)
    if "estimates" not in typed(context) or binds(case.workload, case.cluster):
        return []
    looks = {each.discipline: discipline_of(each, sources_of(each)).looks_ahead for each in settings}
    blind = [discipline for discipline, on in looks.items() if not on]
    if len(blind) == len(looks):
        why = f"{_and(blind)} {'does' if len(blind) == 1 else 'do'} not look at runtimes"
        refuse_idle(context, ["estimates"], why, "name a discipline that does, such as easy")
    return [f"--estimates changes nothing under {_and(blind)}."] if blind else []


def refuse_reading(context: "typer.Context", trace: object) -> None:
    """Without a log, refuse what says how one is read.

    Raises:
        InputError: such an option was typed.
    """
    if trace is None:
        refuse_idle(context, READING, "without a log the demo is used, which is not read from a file")


def _source(context: "typer.Context", name: str) -> str:
    source = context.get_parameter_source(name)
    return "" if source is None else source.name


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


Needs = Mapping[str, tuple[bool, str]]
"""For parameters: whether anything looks at it, and what would."""


def refuse_unneeded(context: "typer.Context", needs: Needs) -> None:
    """Refuse typed options that nothing looks at.

    Raises:
        InputError: there is one.
    """
    for name, (looked_at, by) in needs.items():
        if not looked_at:
            refuse_idle(context, [name], f"it is for {by}")
