"""A live run as a run record: sound by the checker's own rules, and explained like any other."""

import numpy as np
import pytest
from fake_runs import drive, made_jobs, ruled

from loadmaster.live.kept_run import kept_run
from loadmaster.live.record import lines_of
from loadmaster.live.trouble import Trick
from loadmaster.measure import violations
from loadmaster.model import InputError, Workload
from loadmaster.runs import Setting
from loadmaster.runs.explain import explain
from loadmaster.runs.record import read_record, write_record

SETTING = Setting("mix-fit", "easy", interval_s=5.0)


def kept(folder, run):
    return kept_run(lines_of(folder), run.scheduler.discipline.order, SETTING, {})


def test_a_run_without_trouble_is_a_sound_schedule_of_the_log(tmp_path):
    workload = made_jobs(30, 4)
    run = drive(tmp_path, workload, scheduler=ruled())
    record = kept(tmp_path, run)
    assert violations(record.workload, record.case.cluster, record.schedule) == ()
    assert record.workload.runtime_s.tolist() == workload.runtime_s.tolist()
    assert record.workload.submit_s.tolist() == workload.submit_s.tolist()
    starts = {str(job): start_s for job, start_s in enumerate(record.schedule.start_s.tolist())}
    assert starts == {name: start_s for name, (start_s, _) in run.starts.items()}


def test_it_is_written_read_and_explained_like_any_record(tmp_path):
    run = drive(tmp_path, made_jobs(30, 4), scheduler=ruled())
    write_record(tmp_path, kept(tmp_path, run))
    told = explain(read_record(tmp_path), 7)
    assert told.start_s == run.starts["7"][0]
    assert told.choice is not None


def test_a_run_that_was_cut_short_by_a_dead_host_is_a_segment(tmp_path):
    alone = Workload.of(submit_s=[0.0], runtime_s=[100.0], cores=[4], memory=[4])
    run = drive(tmp_path, alone, tricks=(Trick(8.0, "dead", "node0"),), for_s=600.0)
    cut = kept(tmp_path, run).schedule.segments
    assert cut is not None
    assert (len(cut), cut.lost.tolist()) == (1, [True])


def test_jobs_that_still_run_are_said_to_end_when_they_are_expected_to(tmp_path):
    workload = made_jobs(3, 4, every_s=1.0)
    record = kept(tmp_path, drive(tmp_path, workload, for_s=6.0))
    assert "still ran at the end" in record.case.notes[0]
    ends_s = record.schedule.ends_s(record.workload)
    assert np.allclose(ends_s, record.schedule.start_s + workload.expected_s)


def test_a_run_that_saw_no_job_has_nothing_to_keep(tmp_path):
    run = drive(tmp_path, made_jobs(1, 4, every_s=1000.0), for_s=5.0)
    assert run.engine.ids == ["0"]
    if run.starts:
        pytest.fail("the job came before the run ended")
    with pytest.raises(InputError, match="nothing was seen"):
        kept(tmp_path, run)
