"""Rules that are called as they are, in this process: objects with state, and functions without a text.

Such a rule cannot be compiled, sent to another machine or made again from a record. It belongs to the process that made
it, and its state is its own after the run.
"""

from typing import Any, NamedTuple

from loadmaster.model.errors import InputError


class RuleInProcess(NamedTuple):
    """A rule that is called as it is.

    Attributes:
        thing: the object or the function.
        why: why it is not run from its text, as the end of a sentence.
    """

    thing: Any
    why: str


OBJECT = "it is an object, which may keep state between its calls"
_rules: dict[str, RuleInProcess] = {}


def keep_in_process(path: str, rule: RuleInProcess | None) -> None:
    """Let `path` stand for `rule`; None: it stands for a text from now on."""
    if rule is None:
        _rules.pop(path, None)
    else:
        _rules[path] = rule


def rule_in_process(path: str) -> RuleInProcess | None:
    """The rule that `path` stands for; None where it is a file's or known by its text."""
    return _rules.get(path)


def refuse_lost(path: str, what: str, fix: str) -> None:
    """Refuse `what` with a rule whose state it would lose.

    Raises:
        InputError: `path` is the name of such a rule.
    """
    if path in _rules:
        raise InputError(path, f"{what} would lose the state of this rule: it is called in this process", fix=fix)


def in_process_notes(paths: list[str]) -> list[str]:
    """What a user must know of those of `paths` that are rules of this process, a sentence each."""
    rules = [(path, rule) for path in dict.fromkeys(paths) if (rule := _rules.get(path)) is not None]
    return [
        f"{path} is called in this process, as it is, and its results are not stored: {rule.why}."
        for path, rule in rules
    ]
