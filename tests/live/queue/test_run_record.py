"""A live run as a run record: sound by the checker's own rules, and explained like any other."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from fake_runs import drive, made_jobs, ruled
from live_records import begin, cycle, first, job

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.fake.fault_injection import ScheduledFault
from loadmaster.live.queue.eligibility import IN_VAIN
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import applied
from loadmaster.live.queue.record import FILE, LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.run_record import run_record_of
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.wait_reasons import wait_reasons
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import CLAIMED
from loadmaster.measure import violations
from loadmaster.model import CalendarRow, Cluster, Constraints, Dependencies, InputError, SiteRules, Workload
from loadmaster.runs import Setting
from loadmaster.runs.delay import HELD, LATER
from loadmaster.runs.explain import explain
from loadmaster.runs.record import read_record, write_record

SETTING = Setting("mix-fit", "easy", interval_s=5.0)


def kept(folder, run):
    return run_record_of(lines_of(folder), run.scheduler.discipline.order, SETTING, {})


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
    run = drive(tmp_path, alone, faults=(ScheduledFault(8.0, "dead", "node0"),), for_s=600.0)
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
    run_live(engine, clock, rule, LiveSettings(10.0, for_s=200.0), record)
    record.close()
    setting = Setting("first-fit", "fcfs", interval_s=10.0)
    made = run_record_of(lines_of(tmp_path), rule.discipline.order, setting, {})
    assert made.schedule.start_s.tolist() == [60.0, 90.0]
    reasons = explain(made, 0).delay.reasons
    assert list(reasons) == ["the hosts that had room were kept by the reservation course"]


def dependent_run(folder, **more):
    """Job 1 waits for job 0, which takes 40 s; job 2 for job 0 to fail, which it does not."""
    bound = Constraints(depends=Dependencies.of(["", "afterok:0", "afternotok:0"]))
    jobs = Workload.of(submit_s=[0, 0, 0], runtime_s=[40] * 3, cores=[1] * 3, memory=[1] * 3, constraints=bound)
    return drive(folder, jobs, for_s=30.0, **more)


def test_a_job_that_waits_for_another_is_told_by_its_name(tmp_path):
    record = kept(tmp_path, dependent_run(tmp_path))
    assert explain(record, 1).delay.reasons == {"it waited for job 0 to end well": 1}


def test_what_an_engine_tells_of_dependencies_is_told_though_nothing_was_ever_decided(tmp_path):
    waits, never = [False, [["7", "end", False]]], [False, [["7", "end well", True]]]
    held = {**job(995.0), "eligible_s": "inf"}
    lines = [
        begin(sources={}),
        cycle(0.0, first({"8": {**held, "awaits": waits}}, ("a",))),
        cycle(10.0, {"set": {"8": {"awaits": never}}}),
        cycle(20.0, {"new": {"8": held}}),
    ]
    (tmp_path / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    record = run_record_of(lines_of(tmp_path), ruled().discipline.order, SETTING, {})
    told = explain(record, 8, live=partial(wait_reasons, tmp_path, record))
    assert told.delay.reasons == {
        "it waited for job 7 to end": 1,
        "it could never start: job 7 did not end well": 1,
        LATER: 1,
    }


def test_refused_starts_are_told_with_the_engines_words_and_so_is_the_rest_after_them(tmp_path):
    both = Workload.of(submit_s=[0.0, 40.0], runtime_s=[50.0, 5.0], cores=[4, 4], memory=[4, 4])
    unfit = tuple(ScheduledFault(0.0, "unfit") for _ in range(4))
    record = kept(tmp_path, drive(tmp_path, both, faults=unfit, for_s=100.0, on_exit="hold"))
    told = explain(record, 0, live=partial(wait_reasons, tmp_path, record))
    assert told.delay.reasons == {
        "it was asked to start on node0, and the engine refused: these hosts cannot serve it": 4,
        "it was not tried for a while: unfit: these hosts cannot serve it": 1,
    }


def test_a_start_that_came_to_nothing_without_a_word_is_told_too(tmp_path):
    alone = Workload.of(submit_s=[0.0], runtime_s=[50.0], cores=[4], memory=[4])
    stuck = tuple(ScheduledFault(0.0, "stuck") for _ in range(4))
    record = kept(tmp_path, drive(tmp_path, alone, faults=stuck, for_s=60.0, on_exit="hold"))
    told = explain(record, 0, live=partial(wait_reasons, tmp_path, record))
    assert told.delay.reasons == {"it was asked to start on node0, and the engine did not start it": 1}


def test_who_can_never_run_and_was_released_by_others_is_left_out_once(tmp_path):
    never = [False, [["7", "end well", True]]]
    released = {**job(995.0), "eligible_s": "inf", "awaits": never, "state": [CLAIMED]}
    ledger = Ledger(ruled().discipline.order, 1000.0)
    ledger.see(applied({}, first({"8": released}, ("a",))), 0.0)
    assert "8" in ledger.aside
    assert ledger.left_out() == [("8", IN_VAIN)]


def test_who_waits_in_vain_for_another_is_left_out_as_such(tmp_path):
    never = [False, [["7", "end well", True]]]
    ledger = Ledger(ruled().discipline.order, 1000.0)
    ledger.see(applied({}, first({"8": {**job(995.0), "eligible_s": "inf", "awaits": never}}, ("a",))), 0.0)
    assert ledger.left_out() == [("8", IN_VAIN)]
    assert ledger.waiting.why_never("8") == "can never start: job 7 did not end well"
