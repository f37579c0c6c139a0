"""Parameters of backfillings that are searched can be written as a discipline, and read again."""

import pytest

from loadmaster.model import InputError
from loadmaster.scheduling.notation import discipline_named
from loadmaster.tuning.backfillings import backfilling_knobs, backfilling_text, usual_backfilling


@pytest.mark.parametrize("name", ["easy", "conservative", "netbatch", "stepwise", "selective"])
@pytest.mark.parametrize("order", ["fcfs", "sjf"])
def test_every_end_of_every_range_is_a_discipline(name, order):
    knobs = backfilling_knobs(name, by_arrival=order == "fcfs")
    usual = usual_backfilling(knobs)
    for knob in knobs:
        for value in knob.words or (int(knob.low), int(knob.high)):
            text = backfilling_text(name, {}, knobs, {**usual, knob.name: value})
            made = discipline_named(f"{order}+{text}").backfilling
            assert getattr(made, knob.term) == value


def test_promises_that_stand_are_not_searched_where_jobs_go_in_another_order():
    assert [knob.term for knob in backfilling_knobs("conservative", by_arrival=False)] == ["lookahead"]


def test_a_backfilling_without_parameters_is_refused():
    with pytest.raises(InputError, match="no parameters to search"):
        backfilling_knobs("skip", by_arrival=True)
