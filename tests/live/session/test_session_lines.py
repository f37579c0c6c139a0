"""Refusals in a record: whatever was asked of an engine, a reader of the line knows it again."""

import json

import pytest

from loadmaster.live.session.engine import Refusal
from loadmaster.live.session.lines import answer_line, refusals_in
from loadmaster.model.actions import KINDS, Cap, Explain, Hold, Move, Release, Rent, Repin, Start, Stop, Withdraw

ACTIONS = [
    Start("1", ("a", "b")), Repin("1", ("a",)), Hold("1"), Withdraw("1"), Cap("1", 0.5), Move("1", ("b",)),
    Rent("hour", 2), Release("a"), Stop("7.2"), Explain("1", "no room"),
]  # fmt: skip


def test_every_kind_of_action_is_tried_here():
    assert {type(action) for action in ACTIONS} == set(KINDS.values())


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: type(action).__name__)
def test_what_was_refused_is_read_as_it_was_written(action):
    refusal = Refusal(action, "busy", "not now")
    assert refusals_in(json.loads(json.dumps(answer_line([refusal])))) == [refusal]
