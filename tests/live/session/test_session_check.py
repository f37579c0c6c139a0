"""Decisions of a record taken again, by a state that adds numbers up."""

from loadmaster.live.session.check import check_decisions
from loadmaster.live.session.engine import Refusal
from loadmaster.live.session.lines import answer_line, begin_line, end_line, plain_actions
from loadmaster.model.actions import Cap

HALF = Cap("1", 0.5)


class Adds:
    """Caps by the sum of what it saw; a refusal takes one off."""

    def __init__(self, total):
        self.total, self.taken = total, 0

    def read_observation(self, line):
        self.total += line["more"]

    def read_decision(self, line):
        self.taken += len(line["asked"])

    def answered(self, refusals):
        self.total -= len(refusals)


def decided(state, line):
    now = plain_actions([Cap("1", state.total / 10)])
    return now, line["asked"], now == line["asked"]


def cycle(at_s, more, share):
    return {"cycle": at_s, "more": more, "asked": plain_actions([Cap("1", share)])}


def test_every_session_begins_anew_and_every_decision_is_taken_where_the_record_stands():
    lines = [
        begin_line(0.0, total=3),
        cycle(1.0, 2, 0.5),
        answer_line([Refusal(HALF, "busy")]),
        cycle(2.0, 1, 0.5),
        end_line("done", 3.0),
        begin_line(4.0, total=9),
        cycle(5.0, 0, 0.9),
    ]
    checked = check_decisions(lines, lambda line: Adds(line["total"]), decided)
    assert (checked.decisions, checked.same, checked.first) == (3, 3, "")


def test_the_first_difference_is_told_and_what_was_recorded_is_gone_on_with():
    states = []

    def begin(line):
        states.append(Adds(line["total"]))
        return states[-1]

    checked = check_decisions([begin_line(0.0, total=3), cycle(1.0, 2, 0.7), cycle(2.0, 1, 0.6)], begin, decided)
    assert (checked.decisions, checked.same, states[0].taken) == (2, 1, 2)
    assert checked.first == "at 1.000: now ['cap', '1', 0.5] in place of ['cap', '1', 0.7]"
