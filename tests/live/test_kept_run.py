"""A live run as a run record: sound by the checker's own rules, and explained like any other."""

from dataclasses import replace

import numpy as np
import pytest
from fake_runs import drive, made_jobs, ruled

from loadmaster.live.clocks import FakeClock
from loadmaster.live.conduct import Conduct
from loadmaster.live.door import run_live
from loadmaster.live.fake import FakeEngine
from loadmaster.live.kept_run import kept_run
from loadmaster.live.record import LiveRecord, lines_of
from loadmaster.live.trouble import Trick
from loadmaster.measure import violations
from loadmaster.model import CalendarRow, Cluster, Constraints, InputError, SiteRules, Workload
from loadmaster.runs import Setting
from loadmaster.runs.delay import HELD, LATER
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


def test_who_is_held_or_may_not_begin_yet_is_said_to_have_waited_for_that(tmp_path):
    bound = Constraints(hold=[0, 1, 0, 0], eligible_s=[0.0, 0.0, 900.0, 0.0])
    jobs = Workload.of(submit_s=[0, 0, 0, 20], runtime_s=[9] * 4, cores=[1] * 4, memory=[1] * 4, constraints=bound)
    record = kept(tmp_path, drive(tmp_path, jobs, for_s=100.0))
    reasons = [set(explain(record, job).delay.reasons) for job in (1, 2)]
    assert reasons == [{HELD}, {LATER}]


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


def test_a_reservation_that_is_over_before_the_end_is_kept_and_named_by_who_waited_for_it(tmp_path):
    """Slurm no longer lists a reservation when it is over."""
    row = CalendarRow(0.0, 60.0, "reserved", (0,), "course")
    kept = Cluster(("cores", "memory"), [[4.0, 8.0]], ("a",), [1.0], SiteRules(calendar=(row,)))
    work = Workload.of(submit_s=[0, 90], runtime_s=[20, 20], cores=[1, 1], memory=[1, 1])
    clock, rule = FakeClock(), ruled("first-fit", "fcfs")
    engine, record = FakeEngine(work, kept, clock), LiveRecord(tmp_path)
    look = engine.observe

    def observe():
        seen = look()
        over = clock.now_s() >= 60.0
        return replace(seen, cluster=replace(seen.cluster, rules=SiteRules())) if over else seen

    engine.observe = observe
    run_live(engine, clock, rule, Conduct(10.0, for_s=200.0), record)
    record.close()
    setting = Setting("first-fit", "fcfs", interval_s=10.0)
    made = kept_run(lines_of(tmp_path), rule.discipline.order, setting, {})
    assert made.schedule.start_s.tolist() == [60.0, 90.0]
    reasons = explain(made, 0).delay.reasons
    assert list(reasons) == ["the hosts that had room were kept by the reservation course"]
