"""What a log of earlier starts comes to."""

import pytest

from loadmaster.live.bag.config import BagConfig, task_folder
from loadmaster.live.bag.earlier_starts import read_earlier_starts, take_up
from loadmaster.live.session.record_file import RecordFile, described
from loadmaster.model.errors import InputError
from loadmaster.sizing import FixedHosts, HostType

KIND = described(HostType("minute", 60.0, unit_s=60.0))


@pytest.fixture
def log(tmp_path):
    log = RecordFile(tmp_path / "log.jsonl")
    log.open()
    yield log
    log.close()


def test_a_task_that_was_being_tried_again_is_not_done(log):
    log.append([dict(session=0, commands=["false"], type=KIND)])
    log.append([dict(event="given-up", task=1, exit=1)])
    assert read_earlier_starts(log).done == {1: 1}
    log.append([dict(session=1, commands=["false"], type=KIND)])
    log.append([dict(event="started", task=1, attempt=2)])
    earlier = read_earlier_starts(log)
    assert (earlier.done, earlier.open) == ({}, {1: [2]})


def test_the_money_of_a_start_that_was_killed_counts_up_to_its_last_line(log):
    log.append([dict(session=100.0, commands=["true"], type=KIND)])
    log.append([dict(event="rented", t=0.0, host=0)])
    log.append([dict(event="rented", t=10.0, host=1)])
    log.append([dict(event="released", t=30.0, host=1)])
    assert read_earlier_starts(log).spent == 2.0
    log.append([dict(alive=True, t=61.0)])
    assert read_earlier_starts(log).spent == 3.0
    log.append([dict(session=500.0, commands=["true"], type=KIND)])
    log.append([dict(event="rented", t=0.0, host=0)])
    log.append([dict(ended="stopped", t=59.0, spent=1.0)])
    earlier = read_earlier_starts(log)
    assert (earlier.spent, earlier.began) == (4.0, 100.0)


@pytest.mark.parametrize(
    "line",
    [
        {"event": "rented", "t": 0.0, "host": 0},
        {"session": 0.0, "commands": ["true"], "type": "HostType(name='minute')"},
        {"session": 0.0, "commands": ["true"], "type": {"bogus": 1}},
        {"session": 0.0, "type": KIND},
    ],
)
def test_a_log_that_is_none_of_ours_is_one_clear_line(log, line):
    log.append([dict(**line)])
    with pytest.raises(InputError, match=r"log.jsonl:1: .*not a log of this program"):
        read_earlier_starts(log)


def test_a_result_that_a_later_start_takes_over_makes_the_killed_one_no_cheaper(log, tmp_path):
    log.append([dict(session=100.0, commands=["true"], type=KIND)])
    log.append([dict(event="rented", t=0.0, host=0)])
    log.append([dict(event="started", t=1.0, host=0, task=1, attempt=1)])
    log.append([dict(alive=True, t=121.0)])
    place = task_folder(tmp_path, 1, 1)
    place.mkdir(parents=True)
    (place / "result.json").write_text('{"command": "true", "exit_code": 0, "seconds": 7.0}')
    earlier, said = read_earlier_starts(log), []
    log.append(take_up(earlier, ["true"], BagConfig(tmp_path, FixedHosts(1)), said.append, said.append))
    assert said == ["task 1 had ended although the last run was stopped; its result is kept"]
    again = read_earlier_starts(log)
    assert (again.done, again.seconds, again.spent) == ({1: 0}, [7.0], 3.0)
