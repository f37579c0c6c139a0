"""Lines that the record of every live session has: its begin, actions sent and refused, its end."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.live.session.engine import Refusal
from loadmaster.model.actions import KINDS, Action

FORMAT = 1
"""Of the records of queues, of shares and of guests."""
_WORDS = {kind: word for word, kind in KINDS.items()}


def begin_line(at_s: float, **about: Any) -> dict[str, Any]:
    """A session begins at that time of its engine."""
    return {"begin": FORMAT, "at_s": at_s, **about}


def answer_line(refusals: Sequence[Refusal]) -> dict[str, Any]:
    """What became of what was asked last: what is not here was accepted."""
    return {"answer": plain_refusals(refusals)}


def end_line(ended: str, at_s: float, **about: Any) -> dict[str, Any]:
    """A session ends: why, and when on the clock of its engine."""
    return {"end": ended, "at_s": at_s, **about}


def plain_refusals(refusals: Sequence[Refusal]) -> list[list[Any]]:
    """Refusals as JSON takes them: what was asked, the kind, the engine's words."""
    return [[plain_action(each.action), each.kind, each.text] for each in refusals]


def refusals_in(line: Mapping[str, Any]) -> list[Refusal]:
    """The refusals of a line of a record: those of an answer, or those that an observation showed."""
    plain = line["answer"] if "answer" in line else line.get("refused", ())
    return [Refusal(action_in(action), kind, text) for action, kind, text in plain]


def plain_actions(actions: Sequence[Action]) -> list[list[Any]]:
    """Actions as JSON takes them; see `plain_action`."""
    return [plain_action(action) for action in actions]


def actions_in(line: Mapping[str, Any]) -> list[Action]:
    """What a line of a record says was asked of the engine."""
    return [action_in(plain) for plain in line.get("asked", ())]


def plain_action(action: Action) -> list[Any]:
    """An action as JSON takes it: its word, then its fields.

    Example:
        >>> from loadmaster.model.actions import Start
        >>> plain_action(Start("17", ("n1", "n2")))
        ['start', '17', ['n1', 'n2']]
    """
    values = [list(value) if isinstance(value, tuple) else value for value in vars(action).values()]
    return [_WORDS[type(action)], *values]


def action_in(plain: Sequence[Any]) -> Action:
    """The action that `plain_action` wrote."""
    values: list[Any] = [tuple(value) if isinstance(value, list) else value for value in plain[1:]]
    return KINDS[plain[0]](*values)
