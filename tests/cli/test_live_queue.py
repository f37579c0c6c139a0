from loadmaster.cli.live_queue import MOST_ROWS, _left_out


def test_who_was_not_decided_on_is_named_by_reason():
    lines = _left_out([["7", "held"], ["12_3", "no host has it"], ["9", "held"]])
    assert [line.split(maxsplit=3)[3] for line in lines] == ["7, 9: held", "12_3: no host has it"]


def test_of_very_many_the_first_are_named():
    (line,) = _left_out([[str(job), "held"] for job in range(MOST_ROWS + 1_500)])
    assert line.endswith(" and 1,500 more: held")
