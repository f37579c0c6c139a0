"""Why a job of a live run got its host is told from what was seen, also where the run cannot be made again."""

import numpy as np
import pytest
from fake_runs import drive, made_jobs, ruled

from loadmaster.live.queue.choice import live_choice
from loadmaster.live.queue.record import lines_of
from loadmaster.live.queue.run_record import run_record_of
from loadmaster.model import InputError
from loadmaster.runs import Setting
from loadmaster.runs.explain import explain


def kept(folder, rule):
    return run_record_of(lines_of(folder), rule.discipline.order, Setting("mix-fit", "easy", interval_s=5.0), {})


@pytest.mark.parametrize(
    ("policy", "discipline"), [("mix-fit", "multifactor+easy"), ("max-jobs", "easy"), ("mix-fit", "conservative")]
)
def test_every_start_of_a_troubled_run_is_decided_again_as_it_was(tmp_path, policy, discipline):
    rule = ruled(policy, discipline)
    drive(tmp_path, made_jobs(60, 5), scheduler=rule, rates="busy=0.05,gone=0.02,dead=0.005,slow=0.05", deaths=(40,))
    record, told = kept(tmp_path, rule), 0
    for job in np.flatnonzero(record.schedule.started).tolist():
        try:
            choice = live_choice(tmp_path, record, job, rule)
        except InputError as error:
            assert "loadmaster did not start it" in str(error)  # noqa: PT017 - handed over, and started by the engine
            continue
        told += 1
        assert choice.same
        first, last = record.workload.first_task[job : job + 2]
        assert {each.host for each in choice.candidates[:1]} <= set(record.schedule.host[first:last].tolist())
    assert told > 40


def test_what_a_site_started_beside_a_shadow_was_not_started_by_us(tmp_path):
    rule = ruled()
    drive(tmp_path, made_jobs(12, 5), scheduler=rule, mode="shadow", deaths=())
    record = kept(tmp_path, rule)
    for job in range(12):
        told = explain(record, job, chosen=lambda job: live_choice(tmp_path, record, job, rule))
        assert told.choice is None
        assert (told.unexplained == "loadmaster did not start it") == (told.start_s is not None)
