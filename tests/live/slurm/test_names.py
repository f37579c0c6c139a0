"""A number that Slurm gives twice is told apart; a job that was sent back is not."""

from loadmaster.live.slurm.listing import COLUMNS, ListedJob
from loadmaster.live.slurm.names import SlurmNames, number_of


def row(submit, priority="0", pin=""):
    cells = {"JobArrayID": "12", "SubmitTime": submit, "PriorityLong": priority, "ReqNodes": pin}
    return ListedJob("12", dict.fromkeys(COLUMNS, "") | cells)


def names(*seen):
    known = SlurmNames()
    return [known.told_apart(rows, token)[0].id for rows, token in seen]


def test_a_number_given_anew_after_a_restart_is_another_job_for_good():
    found = names(([row("100")], "a"), ([row("200")], "b"), ([row("200", "7", "n1")], "b"), ([row("200")], "c"))
    assert found == ["12", "12@200", "12@200", "12@200"]


def test_a_job_that_was_sent_back_keeps_its_name():
    assert names(([row("100")], "a"), ([row("200", "7", "n1")], "b")) == ["12", "12"]
    assert names(([row("100")], "a"), ([row("200")], "a")) == ["12", "12"]


def test_slurm_is_asked_by_its_own_number():
    assert (number_of("12@200"), number_of("12_3"), number_of("12_3@5")) == ("12", "12_3", "12_3")
