"""The fake engine does what it is told, and what it is told to do wrong."""

import numpy as np
import pytest
from fake_runs import FOUR, made_jobs, ruled

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.fake.fault_injection import FAULTS, FaultRates, ScheduledFault
from loadmaster.live.queue.decider import LiveExtras
from loadmaster.live.queue.record import LiveRecord
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import CLAIMED, HELD, RUNNING, EngineDown
from loadmaster.model import InputError, Workload
from loadmaster.model.actions import Cap, Hold, Repin, Start, Withdraw


def engine(*faults, **more):
    jobs = Workload.of(
        submit_s=[0.0, 5.0], runtime_s=[20.0, 20.0], cores=[8, 8], memory=[1, 1], estimate_s=[40.0, 40.0]
    )
    clock = FakeClock()
    return FakeEngine(jobs, FOUR, clock, faults=faults, **more), clock


def state(fake, job=0):
    return int(fake.observe().tasks.state[job])


def test_what_it_shows_is_sound_and_says_nothing_of_true_runtimes():
    fake, clock = engine()
    clock.sleep_until(7.0)
    seen = fake.observe()
    seen.check()
    assert (seen.at_s, seen.ids, seen.jobs.runtime_s.tolist()) == (7.0, ("0", "1"), [40.0, 40.0])


def test_a_job_waits_is_started_runs_and_ends():
    fake, clock = engine(launch_s=2.0)
    assert fake.act(Start("0", ("node2",))) is None
    assert state(fake) == CLAIMED
    clock.sleep_until(2.0)
    assert state(fake) == RUNNING
    clock.sleep_until(22.0)
    assert fake.observe().ids == ("1",)
    assert fake.over == {"0": (22.0, "ok")}


def test_what_is_not_held_is_not_started_and_what_runs_is_not_touched():
    fake, _ = engine(launch_s=2.0)
    fake.act(Start("0", ("node2",)))
    assert fake.act(Start("0", ("node1",))).kind == "busy"
    assert fake.act(Repin("0", ("node1",))) is None
    assert fake.act(Hold("0")) is None
    assert state(fake) == HELD
    fake, _ = engine()
    fake.act(Start("0", ("node2",)))
    assert {fake.act(action).kind for action in (Start("0", ("node1",)), Hold("0"), Withdraw("0"))} == {"busy"}
    assert fake.act(Start("1", ("node1",))).kind == "gone"  # it has not come yet
    assert fake.act(Cap("7", 0.5)).kind == "gone"


def test_a_claim_waits_until_its_host_has_room():
    fake, clock = engine()
    fake.act(Start("0", ("node0",)))
    clock.sleep_until(5.0)
    fake.act(Start("1", ("node0",)))
    assert state(fake, 1) == CLAIMED
    clock.sleep_until(30.0)
    assert state(fake) == RUNNING
    assert fake.over["0"] == (20.0, "ok")
    clock.sleep_until(41.0)
    fake.observe()
    assert fake.over["1"] == (40.0, "ok")


@pytest.mark.parametrize("trouble", ["gone", "denied", "busy"])
def test_refusals_that_are_asked_for_come(trouble):
    fake, _ = engine(ScheduledFault(0.0, trouble))
    assert fake.act(Start("0", ("node0",))).kind == trouble


def test_an_engine_that_is_down_answers_nobody():
    fake, _ = engine(ScheduledFault(0.0, "down"), ScheduledFault(0.0, "down"))
    with pytest.raises(EngineDown):
        fake.observe()
    with pytest.raises(EngineDown):
        fake.act(Start("0", ("node0",)))
    assert state(fake) == HELD


def test_a_restart_forgets_pins_of_what_does_not_run_and_shows_another_token():
    fake, clock = engine(ScheduledFault(1.0, "restart"), launch_s=50.0)
    fake.act(Start("0", ("node0",)))
    before = fake.observe().token
    clock.sleep_until(1.0)
    assert (state(fake), fake.observe().token == before) == (HELD, False)


def test_a_host_that_dies_sends_its_jobs_back_pinned_to_it_and_is_not_up():
    fake, clock = engine(ScheduledFault(3.0, "dead", "node1"))
    fake.act(Start("0", ("node1",)))
    clock.sleep_until(3.0)
    seen = fake.observe()
    assert (int(seen.tasks.state[0]), int(seen.tasks.pin[0]), seen.up.tolist()) == (
        CLAIMED,
        1,
        [True, False, True, True],
    )
    clock.sleep_until(303.0)
    assert fake.observe().up.all()


def test_the_same_seed_brings_the_same_troubles():
    def told(seed):
        clock = FakeClock()
        fake = FakeEngine(made_jobs(20, 1), FOUR, clock, rates=FaultRates(gone=0.3, busy=0.3), seed=seed)
        clock.sleep_until(60.0)
        ids = fake.observe().ids
        refusals = [fake.act(Start(name, ("node0",))) for name in ids]
        return [None if each is None else each.kind for each in refusals]

    assert told(5) == told(5) != told(6)


def test_nobody_ever_holds_more_than_there_is_even_when_others_meddle():
    clock = FakeClock()
    fake = FakeEngine(made_jobs(40, 2, every_s=1.0), FOUR, clock, rates=FaultRates(meddle=0.5), seed=1)
    for moment in range(60):
        clock.sleep_until(moment)
        fake.observe()
        assert (fake.free >= 0).all()
    assert np.sum(fake.free < FOUR.capacity) > 0


@pytest.mark.parametrize(
    ("text", "rule"), [("x=1", "no such fault"), ("gone", "its probability"), ("gone=1", "from 0 up to 1")]
)
def test_troubles_that_are_none_are_refused(text, rule):
    with pytest.raises(InputError, match=rule):
        FaultRates.of(text)


def test_every_trouble_has_a_rate_and_a_word():
    assert set(FAULTS) == set(vars(FaultRates()))


def test_jobs_of_one_number_bear_names_of_their_own_and_all_end():
    log = Workload.of(submit_s=[0, 10, 20], runtime_s=[60, 60, 60], cores=[1, 1, 1], job_id=[1, 1, 2])
    clock = FakeClock()
    fake = FakeEngine(log, FOUR, clock, looks_on=True)
    assert fake.ids == ["1", "1-2", "2"]
    fake.run_out(1000.0)
    assert fake.is_done()


def test_a_year_in_which_nobody_comes_is_passed_over_in_one_step(tmp_path):
    year_s = 365 * 86400.0
    log = Workload.of(submit_s=[0, year_s + 2, 2 * year_s], runtime_s=[60, 10, 10], cores=[8, 1, 1], memory=[1, 1, 1])
    clock = FakeClock()
    fake = FakeEngine(log, FOUR, clock)
    record = LiveRecord(tmp_path)
    report = run_live(
        fake, clock, ruled(), LiveSettings(interval_s=5.0), record, LiveExtras(idle_until=fake.idle_until)
    )
    record.close()
    assert report.cycles < 50
    assert [end_s for end_s, _ in fake.over.values()] == [60.0, year_s + 15.0, 2 * year_s + 10.0]


def test_a_run_is_over_when_the_last_of_the_starts_that_it_may_make_has_ended(tmp_path):
    log = Workload.of(submit_s=[0, 1, 50], runtime_s=[60, 10, 10], cores=[8, 1, 1], memory=[1, 1, 1])
    clock = FakeClock()
    fake = FakeEngine(log, FOUR, clock)
    record = LiveRecord(tmp_path)
    settings = LiveSettings(interval_s=5.0, max_starts=1, on_exit="hold")
    run_live(fake, clock, ruled(), settings, record, LiveExtras(idle_until=fake.idle_until))
    record.close()
    assert list(fake.over.values()) == [(60.0, "ok")]
    assert clock.now_s() < 100.0


def test_time_is_not_passed_over_beyond_the_end_of_a_run_nor_where_troubles_may_come(tmp_path):
    log = Workload.of(submit_s=[0, 1e6], runtime_s=[60, 10], cores=[8, 1], memory=[1, 1])
    clock = FakeClock()
    fake = FakeEngine(log, FOUR, clock)
    record = LiveRecord(tmp_path)
    run_live(
        fake, clock, ruled(), LiveSettings(interval_s=5.0, for_s=1003.0), record, LiveExtras(idle_until=fake.idle_until)
    )
    record.close()
    assert 1000.0 <= clock.now_s() < 1010.0
    troubled = FakeEngine(log, FOUR, FakeClock(500.0), rates=FaultRates(down=0.1))
    assert troubled.idle_until() == -np.inf
