"""Who pays for a gain is said, whoever has most jobs; times that differ by far have units of their own."""

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.measure.group_waits import Groups
from loadmaster.report.group_comparison import group_effects, groups_that_lose, settled
from loadmaster.report.page import Table


def groups(by, waits):
    ones, none = np.ones(len(waits)), np.zeros(len(waits), np.int64)
    jobs, mean_s = np.array([10, 2, 5][: len(waits)]), np.array(list(waits.values()))
    return Groups(by, tuple(waits), jobs, mean_s, ones, ones, ones, none, none, ones, ones, ones, ones)


BEFORE = {"ann": 100.0, "bob": 100.0, "cid": 100.0}


def test_who_pays_most_is_named_by_what_all_its_jobs_wait_more():
    found = groups("user", {"ann": 110.0, "bob": 140.0, "cid": 50.0})
    words = (
        "Groups that lose: 2 of 3 users wait over 1 % longer than under first-fit, most of all ann (1.83 min on "
        "average, not 1.67 min)."
    )
    assert groups_that_lose(found, BEFORE, "first-fit") == words


def test_nobody_pays_where_nobody_waits_longer():
    found = groups("size", {"1": 1.0, "2": 2.0})
    assert (
        groups_that_lose(found, {"1": 1.0, "2": 9.0}, "easy")
        == "No size of jobs waits over 1 % longer than under easy."
    )


def test_a_group_that_did_not_run_before_pays_nothing():
    found = groups("hour", {"3": 5.0, "4": 9.0})
    assert groups_that_lose(found, {"3": 4.0}, "easy").startswith(
        "Groups that lose: 1 of 1 hours of arrival waits over 1 % longer"
    )


def test_a_group_pays_only_for_more_than_the_part_in_a_hundred_that_is_called_level_elsewhere():
    found = groups("hour", {"3": 100.9, "4": 102.0, "5": 1.0})
    before = {"3": 100.0, "4": 100.0, "5": 1.0}
    words = "Groups that lose: 1 of 3 hours of arrival waits over 1 % longer than under easy, most of all 4 (1.7 min on"
    assert groups_that_lose(found, before, "easy").startswith(words)
    assert groups_that_lose(groups("hour", {"3": 14.8}), {"3": 14.78}, "easy").startswith("No hour of arrival")
    assert groups_that_lose(groups("hour", {"3": 5.0}), {"3": 0.0}, "easy").startswith("Groups that lose: 1 of 1")


def test_the_page_says_who_pays_beside_the_baseline_only():
    rng = np.random.default_rng(1)
    jobs = lm.Workload.of(
        submit_s=np.arange(300) * 100.0,
        runtime_s=rng.lognormal(4.0, 1.5, 300),
        cores=np.ones(300),
        user=rng.integers(0, 9, 300),
    )
    compared = lm.compare(jobs, "1x1c", policies="first-fit", disciplines="fcfs,sjf+easy").comparison
    captions = [block.caption for block in group_effects(compared) if isinstance(block, Table)]
    assert any("Groups that lose: " in caption for caption in captions[1:])
    alone = lm.compare(jobs, "1x1c", policies="first-fit").comparison
    assert not any("longer than" in block.caption for block in group_effects(alone) if isinstance(block, Table))


@pytest.mark.parametrize("submit_s", [np.arange(99) * 60.0, np.zeros(200)])
def test_of_few_jobs_or_all_at_once_nothing_is_said_of_a_queue_that_settles(submit_s):
    jobs = lm.Workload.of(submit_s=submit_s, runtime_s=np.full(len(submit_s), 20.0), cores=np.ones(len(submit_s)))
    compared = lm.compare(jobs, "1x1c", policies="first-fit").comparison
    assert settled(compared, compared.outcomes[0].load) == []


def test_users_that_are_not_shown_stand_in_a_file_whose_writer_is_named():
    jobs = lm.Workload.of(
        submit_s=np.arange(300) * 100.0, runtime_s=np.full(300, 90.0), cores=np.ones(300), user=np.arange(300) % 20
    )
    compared = lm.compare(jobs, "1x1c", policies="first-fit").comparison
    captions = [block.caption for block in group_effects(compared) if isinstance(block, Table)]
    assert any("8 more stand in groups.parquet, which compare writes." in caption for caption in captions)


def test_a_drain_of_seconds_is_not_drawn_in_days():
    jobs = lm.Workload.of(
        submit_s=np.minimum(np.arange(400), 398) * 6000.0, runtime_s=np.full(400, 20.0), cores=np.ones(400)
    )
    compared = lm.compare(jobs, "1x1c", policies="first-fit", disciplines="fcfs,easy", interval=0).comparison
    table = next(block for block in settled(compared, compared.outcomes[0].load) if isinstance(block, Table))
    assert table.columns[-1] == "drain s"
    assert [row[-1] for row in table.rows] == ["20.0", "20.0"]
