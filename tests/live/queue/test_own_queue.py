"""A queue of our own beside a site runs on as simulations and live runs do."""

import numpy as np
import pytest
from fake_runs import FOUR, made_jobs, ruled

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.fake.fault_injection import ScheduledFault
from loadmaster.live.queue.decider import LiveExtras
from loadmaster.live.queue.observed_history import observed_history_in
from loadmaster.live.queue.own_queue import OwnQueue
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.shadow_waits import TimeLimitReached, interim_waits_of, interim_waits_within
from loadmaster.live.session.clocks import FakeClock
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.runs.setting import Setting
from loadmaster.sim.queue.reference import replay

SITE = Setting("first-fit", "fcfs+skip", interval_s=0.0).plain()
"""What a fake that is only looked on at does."""


def shadowed(folder, work, cluster=FOUR, *, scheduler=None, faults=(), mode="shadow", for_s=3000.0, site=SITE):
    clock = FakeClock()
    engine = FakeEngine(work, cluster, clock, faults=faults, looks_on=mode != "live")
    record = LiveRecord(folder)
    try:
        settings = LiveSettings(5.0, mode, for_s)
        about = {"site": site} if site else {}
        run_live(engine, clock, scheduler or ruled(), settings, record, LiveExtras(about=about))
    finally:
        record.close()
    return lines_of(folder)


@pytest.mark.parametrize("discipline", ["fcfs", "easy", "fair-share", "sjf+easy", "multifactor+easy", "conservative"])
def test_once_every_runtime_is_known_the_queue_is_the_simulated_one(tmp_path, discipline):
    work, scheduler = made_jobs(60, 3), ruled(discipline=discipline)
    lines = shadowed(tmp_path, work, scheduler=scheduler)
    happened = observed_history_in(lines, scheduler.discipline.order)
    ours = OwnQueue(happened, scheduler, 5.0, 0)
    simulated = replay(work, FOUR, scheduler, interval_s=5.0)
    assert [ours.began_s[str(job)] for job in range(work.jobs)] == simulated.start_s.tolist()


def test_a_model_of_the_site_that_is_right_has_no_error(tmp_path):
    lines = shadowed(tmp_path, made_jobs(60, 4))
    found = interim_waits_of(lines, ruled())
    assert found.jobs == 60
    assert found.open == 0
    assert found.site_wait_s > 0
    assert found.error == pytest.approx(0.0, abs=1e-12)
    assert found.gain == pytest.approx(found.own_wait_s / found.site_wait_s - 1)


def one_core(submit_s, runtime_s, estimate_s=None):
    return Workload.of(
        submit_s=submit_s,
        runtime_s=runtime_s,
        cores=[1] * len(submit_s),
        memory=[1] * len(submit_s),
        estimate_s=runtime_s if estimate_s is None else estimate_s,
    )


ONE = Cluster.uniform(1, cores=1, memory=8)


def test_means_are_those_counted_by_hand(tmp_path):
    """The site: 0 from 0, 1 from 10, 2 from 110. Shortest first: 0 from 0, 2 from 10, 1 from 15."""
    work = one_core([0.0, 1.0, 2.0], [10.0, 100.0, 5.0])
    found = interim_waits_of(
        shadowed(tmp_path, work, ONE, scheduler=ruled("first-fit", "sjf")), ruled("first-fit", "sjf")
    )
    assert found.site_wait_s * found.jobs == pytest.approx(0 + 9 + 108)
    assert found.own_wait_s * found.jobs == pytest.approx(0 + 14 + 8)
    assert found.tells


def test_what_still_waits_counts_with_its_wait_so_far_and_what_runs_as_long_as_is_expected(tmp_path):
    """At 30 s: job 1 runs at the site since 10 and has 90 s to go; ours began the short one, which will last 5 s."""
    work = one_core([0.0, 1.0, 2.0, 30.0], [10.0, 100.0, 5.0, 200.0])
    rule = ruled("first-fit", "sjf")
    found = interim_waits_of(shadowed(tmp_path, work, ONE, scheduler=rule, for_s=30.0), rule)
    assert found.site_wait_s * found.jobs == pytest.approx(9 + 28)
    assert found.own_wait_s * found.jobs == pytest.approx(14 + 8)
    assert (found.jobs, found.open) == (3, 3)


def test_a_runtime_that_becomes_known_takes_the_place_of_what_was_expected(tmp_path):
    """Job 1 requests 50 s and takes 1: as long as only our queue has begun it, nobody knows."""
    work = one_core([0.0, 1.0, 2.0, 3.0, 25.0], [10.0, 20.0, 1.0, 20.0, 9.0], [10.0, 60.0, 50.0, 60.0, 100.0])
    rule = ruled("first-fit", "sjf")
    early = interim_waits_of(shadowed(tmp_path / "a", work, ONE, scheduler=rule, for_s=25.0), rule)
    late = interim_waits_of(shadowed(tmp_path / "b", work, ONE, scheduler=rule), rule)
    assert early.own_wait_s * early.jobs == pytest.approx(24 + 8 + 22)
    assert late.own_wait_s * late.jobs == pytest.approx((15 - 1) + 8 + (35 - 3) + (55 - 25))


def test_a_host_that_dies_dies_in_our_queue_too_and_its_jobs_begin_anew(tmp_path):
    work = made_jobs(40, 5)
    lines = shadowed(tmp_path, work, faults=(ScheduledFault(60.0, "dead", "node1"),))
    happened = observed_history_in(lines, ruled().discipline.order)
    ours = OwnQueue(happened, ruled(), 5.0, 0)
    down = [moment.now_s for moment in happened.moments if not moment.up[1]]
    assert down
    assert not ours.open
    cut = ours.occupancy.segments()
    began = np.array([run.start_s for run in ours.occupancy.running.values()])
    assert not began.size
    on_it = [job for job in range(work.jobs) if 1 in ours.occupancy.hosts_of(job)]
    assert not [job for job in on_it if down[0] <= ours.occupancy.start_s[job] <= down[-1]]
    assert cut is not None


def test_without_the_sites_own_rule_no_gain_is_told(tmp_path):
    found = interim_waits_of(shadowed(tmp_path, made_jobs(40, 4), site=None), ruled())
    assert found.model_wait_s is None
    assert found.gain is None
    assert not found.tells
    assert "no gain is claimed" in str(found)


def test_a_run_that_acts_has_no_site_to_compare_with(tmp_path):
    lines = shadowed(tmp_path, made_jobs(10, 4), mode="live")
    with pytest.raises(InputError, match="this run acts"):
        interim_waits_of(lines, ruled())


def test_who_does_not_want_to_wait_any_longer_is_not_kept_waiting(tmp_path):
    lines = shadowed(tmp_path, made_jobs(20, 4))
    with pytest.raises(TimeLimitReached, match="more than -1 s"):
        interim_waits_within(lines, ruled(), -1.0)
    assert interim_waits_within(lines, ruled(), 1e6) == interim_waits_of(lines, ruled())
