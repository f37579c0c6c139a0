"""Writes the winner as a Python file that every verb takes (rule U4)."""

import math

from loadmaster import __version__
from loadmaster.measure.metric import METRICS
from loadmaster.runs.setting import Setting
from loadmaster.tuning.figures import Figures
from loadmaster.tuning.search import SearchOutcome, SearchPlan
from loadmaster.tuning.slurm_parameters import slurm_conf_lines, what_if_words
from loadmaster.tuning.space import FILE

FRONT = "front"
"""The folder of candidates on the Pareto front, where there are several targets."""


def rule_file(selection: SearchOutcome, plan: SearchPlan, summary: str, source: str) -> str:
    """The text of `winner.py`: what it is and how it was found, then the functions with their constants.

    Args:
        selection: with a winner.
        plan: of the search.
        summary: the gain, in a sentence.
        source: name of the log.
    """
    assert selection.winner is not None
    if selection.won is None:
        return _built_in(selection, plan, summary, source)
    return _file(selection, plan, selection.won.number, FILE, summary, source)


def front_files(selection: SearchOutcome, plan: SearchPlan, source: str) -> dict[str, str]:
    """The files of all candidates on the Pareto front by their paths, each as it came off in the trials."""
    numbers = selection.front if len(plan.targets) > 1 and selection.space.writes else ()
    paths = {f"{FRONT}/candidate-{number + 1}.py": number for number in numbers}
    return {
        path: _file(selection, plan, number, path, _front_figures(selection.trials[number].figures, plan), source)
        for path, number in paths.items()
    }


def _front_figures(figures: Figures, plan: SearchPlan) -> str:
    """The figures of a candidate of the front in the trials."""
    pairs = zip(plan.targets, figures.values, strict=True)
    parts = [f"{METRICS[target].heading} {math.exp(value):.2f} times" for target, value in pairs]
    trials = f"On the training logs, against {plan.baseline_name}: {', '.join(parts)}."
    return f"{trials} No other candidate had less of one without more of another."


def _file(selection: SearchOutcome, plan: SearchPlan, number: int, path: str, summary: str, source: str) -> str:
    values = selection.trials[number].values
    first = f"Candidate {number + 1} of {len(selection.trials)}"
    head = _head(selection, plan, first, summary, source, selection.space.setting(values, path))
    return "\n".join([*head, selection.space.text(values)])


def _built_in(selection: SearchOutcome, plan: SearchPlan, summary: str, source: str) -> str:
    """What is told of a winner that needs no file."""
    assert selection.winner is not None
    first = f"A built-in rule, lower on the final logs than all of {len(selection.trials)} candidates"
    return "\n".join(_head(selection, plan, first, summary, source, selection.winner.rule.setting))


def _head(
    selection: SearchOutcome, plan: SearchPlan, first: str, summary: str, source: str, setting: Setting
) -> list[str]:
    what = " and ".join(selection.space.parts)
    return [
        f'"""A rule ({what}) found by `loadmaster tune` {__version__} on {_plain(source)}.',
        "",
        *_wrapped(_plain(summary)),
        "",
        f"{first}, seed {plan.seed}; for {', '.join(plan.targets)}; longest wait at most {plan.limit:g} times",
        f"that of {plan.baseline_name}. Constants of other logs are other constants: tune again for yours.",
        "",
        "Use:",
        f"    {_usage(setting)}",
        '"""',
        "",
    ]


def usage(selection: SearchOutcome) -> str:
    """Options of `compare` that take the winner."""
    assert selection.winner is not None
    if "slurm" in selection.space.parts and selection.won is not None:
        return f"loadmaster compare LOG --site slurm.conf --what-if '{_what_if(selection)}'"
    return _usage(selection.winner.rule.setting)


def _usage(setting: Setting) -> str:
    return f"loadmaster compare LOG --policies {setting.policy} --disciplines '{setting.discipline}'"


def winner_lines(selection: SearchOutcome, plan: SearchPlan) -> tuple[str, ...]:
    """The lines of slurm.conf that the winner changes; () where parameters of Slurm were not searched."""
    if "slurm" not in selection.space.parts or selection.won is None:
        return ()
    return slurm_conf_lines(selection.space.knobs, selection.won.values, plan.scheduler_parameters)


def _what_if(selection: SearchOutcome) -> str:
    assert selection.won is not None
    return what_if_words(selection.space.knobs, selection.won.values)


def file_name(selection: SearchOutcome) -> str | None:
    """The file that the winner needs; None where it is built-in but for parameters of a backfilling."""
    assert selection.winner is not None
    return FILE if FILE in selection.winner.rule.sources else None


def _plain(text: str) -> str:
    """Words that stand in a docstring of plain letters."""
    return (
        text.replace("\\", "/").replace('"""', "'''").replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ")
    )


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 110)
