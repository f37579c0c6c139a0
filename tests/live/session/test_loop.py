"""The loop on the fake engine: what fails is dealt with by rule, and nothing is lost, started twice or left behind."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fake_runs import FOUR, Failing, Looking, disk_of_this_process, drive, made_jobs, one_job, ruled
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.fake.fault_injection import FAULTS, ScheduledFault
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.loop import Denied, Loop
from loadmaster.live.session.report import Report
from loadmaster.model import Account, Cluster, SiteRules, Workload
from loadmaster.scheduling.scheduler import WORTHWHILE
from loadmaster.sim.queue.simulation import simulate


@pytest.fixture(autouse=True, scope="module")
def without_waiting():
    with disk_of_this_process():
        yield


ALL = "gone=0.03,busy=0.05,stale=0.05,down=0.03,restart=0.02,dead=0.01,meddle=0.02,stuck=0.05,unfit=0.05,slow=0.05"


def accounts() -> tuple[Account, ...]:
    return tuple(row for name in "012" for row in (Account(name), *(Account(name, user) for user in "01234")))


@pytest.mark.parametrize(
    ("policy", "discipline"), [("mix-fit", "netbatch"), ("max-jobs", "easy"), ("mix-fit", "multifactor+easy")]
)
def test_live_and_simulated_are_one_hundred_percent_equal_on_eight_nodes_and_500_jobs(tmp_path, policy, discipline):
    """With the same arrivals and runtimes every job starts in the same cycle on the same hosts."""
    workload = made_jobs(500, 3, every_s=9.0)
    cluster = Cluster(("cores", "memory"), np.tile([8.0, 16.0], (8, 1)), rules=SiteRules(accounts=accounts()))
    scheduler = ruled(policy, discipline)
    run = drive(tmp_path, workload, cluster, scheduler=scheduler, interval_s=30.0, for_s=6000.0)
    plan = simulate(workload, cluster, scheduler.policy, scheduler.discipline, interval_s=30.0, engine="reference")
    first = workload.first_task
    hosts = [tuple(f"node{host}" for host in plan.host[first[job] : first[job + 1]]) for job in range(workload.jobs)]
    assert (plan.start_s - workload.submit_s).mean() > 20.0  # they queue
    assert run.starts == {str(job): (plan.start_s[job], hosts[job]) for job in range(workload.jobs)}
    checked = check_live(tmp_path, scheduler)
    assert (checked.same, checked.starts) == (True, 500)


@given(seed=st.integers(0, 10_000), discipline=st.sampled_from(["easy", "netbatch", "fair-share", "multifactor+easy"]))
@settings(max_examples=12)
def test_whatever_goes_wrong_no_job_is_lost_started_twice_or_stranded(tmp_path_factory, seed, discipline):
    folder = tmp_path_factory.mktemp("live")
    run = drive(
        folder,
        made_jobs(20, seed, longest_s=80),
        rates=ALL,
        seed=seed,
        scheduler=Looking(ruled("mix-fit", discipline)),
        for_s=300.0,
    )
    run.ends_well()
    assert run.report is not None
    assert run.report.stranded == []


@given(seed=st.integers(0, 10_000), trouble=st.sampled_from(sorted(set(FAULTS) - {"denied"})))
@settings(max_examples=12)
def test_the_simulator_fed_with_what_went_wrong_decides_as_the_loop_did(tmp_path_factory, seed, trouble):
    folder = tmp_path_factory.mktemp("live")
    run = drive(folder, made_jobs(20, seed, longest_s=80), rates=f"{trouble}=0.05", seed=seed)
    checked = check_live(folder, run.scheduler)
    assert (checked.first, checked.same) == ("", True)
    assert checked.starts >= 20 - (run.report.foreign if run.report else 0)


@given(
    seed=st.integers(0, 10_000),
    deaths=st.lists(st.integers(0, 60), min_size=1, max_size=4),
    torn=st.booleans(),
    rates=st.sampled_from(["", ALL]),
)
@settings(max_examples=15)
def test_killed_between_any_two_writes_the_next_life_goes_on_as_if_nothing_had_happened(
    tmp_path_factory, seed, deaths, torn, rates
):
    folder = tmp_path_factory.mktemp("live")
    run = drive(folder, made_jobs(20, seed, longest_s=80), rates=rates, seed=seed, deaths=tuple(deaths), torn=torn)
    assert run.report is not None
    assert run.report.stranded == []
    checked = check_live(folder, run.scheduler)
    assert (checked.first, checked.same) == ("", True)
    run.ends_well()


@pytest.mark.parametrize("steps", range(40))
def test_killed_at_every_single_step_of_a_small_run_every_job_runs_once(tmp_path, steps):
    run = drive(tmp_path, made_jobs(8, 5, every_s=3.0), deaths=(steps, 1, 2), interval_s=10.0)
    run.ends_well()
    assert set(run.engine.ran.values()) == {1}


def asked(folder: Any) -> list[tuple[float, str, str]]:
    """(cycle, what, job) of all that was asked of the engine."""
    return [(line["cycle"], what[0], what[1]) for line in lines_of(folder) for what in line.get("asked", ())]


def test_a_job_that_goes_as_it_is_asked_to_start_is_counted_and_passed_over(tmp_path):
    run = drive(tmp_path, one_job(), faults=(ScheduledFault(0.0, "gone"),))
    assert run.report is not None
    assert (run.report.refusals["gone"], asked(tmp_path)) == (1, [(0.0, "start", "0")])


def test_a_claim_that_does_not_run_is_pinned_again_after_ten_seconds_and_held_after_three_tries(tmp_path):
    stuck = tuple(ScheduledFault(0.0, "stuck") for _ in range(4))
    drive(tmp_path, one_job(), faults=stuck, for_s=100.0, on_exit="hold")
    words = [(at_s, what) for at_s, what, _ in asked(tmp_path)]
    assert words == [(0.0, "start"), (10.0, "repin"), (20.0, "repin"), (30.0, "repin"), (40.0, "hold")]


def test_what_is_handed_back_at_the_end_is_written_down_before_it_is_asked(tmp_path):
    wide = Workload.of(submit_s=[0.0, 0.0, 0.0], runtime_s=[90.0, 23.0, 90.0], cores=[8, 8, 8], memory=[1, 1, 1])
    run = drive(tmp_path, wide, Cluster.uniform(2, cores=8, memory=16), for_s=20.0)
    lines = lines_of(tmp_path)
    assert asked(tmp_path)[-1] == (20.0, "withdraw", "2")
    assert "end" in lines[-1]
    assert check_live(tmp_path, run.scheduler).same


def test_a_job_that_could_not_be_started_is_shown_and_tried_again_later(tmp_path):
    stuck = tuple(ScheduledFault(0.0, "stuck") for _ in range(4))
    run = drive(tmp_path, one_job(), faults=stuck, for_s=60.0, on_exit="hold")
    assert run.report is not None
    assert [why for _, why in run.report.left_out] == ["did not start on node0, asked 4 times"]
    again = drive(tmp_path / "longer", one_job(), faults=stuck, for_s=600.0)
    assert again.engine.over["0"] == (390.0, "ok")  # held at 40 s, 300 s later it starts and runs for 50


def test_a_start_that_is_accepted_and_held_again_is_a_refusal_and_left_alone_after_a_few(tmp_path):
    unfit = tuple(ScheduledFault(0.0, "unfit") for _ in range(4))
    run = drive(tmp_path, one_job(), faults=unfit, for_s=100.0, on_exit="hold")
    assert run.report is not None
    assert asked(tmp_path) == [(at_s, "start", "0") for at_s in (0.0, 5.0, 10.0, 15.0)]
    assert run.report.refusals == {"unfit": 4}
    assert run.report.left_out == [("0", "unfit: these hosts cannot serve it")]
    assert check_live(tmp_path, run.scheduler).same
    again = drive(tmp_path / "longer", one_job(), faults=unfit, for_s=600.0)
    assert again.engine.over["0"] == (370.0, "ok")  # refused for the last time at 20 s, 300 s later it runs for 50


def test_a_claim_whose_host_dies_is_pinned_elsewhere_at_once(tmp_path):
    run = drive(
        tmp_path, one_job(), faults=(ScheduledFault(0.0, "stuck"), ScheduledFault(3.0, "dead", "node0")), for_s=300.0
    )
    assert [(what, at_s) for at_s, what, _ in asked(tmp_path)] == [("start", 0.0), ("repin", 5.0)]
    assert run.starts["0"] == (5.0, ("node1",))


def test_a_job_whose_host_dies_while_it_runs_is_pinned_to_another(tmp_path):
    run = drive(tmp_path, one_job(), faults=(ScheduledFault(20.0, "dead", "node0"),), for_s=300.0)
    assert asked(tmp_path) == [(0.0, "start", "0"), (20.0, "repin", "0")]
    assert run.engine.ran == {"0": 2}
    run.ends_well()


def test_a_job_without_a_place_after_its_host_died_is_held_not_left_pinned_to_a_dead_host(tmp_path):
    alone = Cluster.uniform(1, cores=4, memory=8)
    drive(tmp_path, one_job(), alone, faults=(ScheduledFault(20.0, "dead", "node0"),), for_s=60.0, on_exit="hold")
    assert asked(tmp_path) == [(0.0, "start", "0"), (20.0, "hold", "0")]


def test_while_the_engine_is_down_nothing_is_decided_and_it_is_asked_less_and_less_often(tmp_path):
    moments = []

    class Down(FakeEngine):
        def observe(self):
            moments.append(clock.now_s())
            return super().observe()

    clock = FakeClock()
    engine = Down(one_job(), FOUR, clock, faults=tuple(ScheduledFault(0.0, "down") for _ in range(7)))
    run_live(engine, clock, ruled(), LiveSettings(5.0, for_s=100.0), LiveRecord(tmp_path))
    assert moments[:8] == [0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 61.0, 91.0]


@pytest.mark.parametrize("before_s", [0.0, 20.0])
def test_the_time_of_a_run_is_over_also_while_the_engine_is_down(tmp_path, before_s):
    """It was requested again and again, whatever --for said."""
    clock = FakeClock()
    engine = FakeEngine(one_job(), FOUR, clock, faults=tuple(ScheduledFault(before_s, "down") for _ in range(99)))
    report = run_live(engine, clock, ruled(), LiveSettings(5.0, for_s=100.0, on_exit="hold"), LiveRecord(tmp_path))
    assert (report.ended, clock.now_s()) == ("done", 100.0)


def test_pins_that_an_engine_has_forgotten_are_decided_again_at_once(tmp_path):
    faults = (ScheduledFault(0.0, "stuck"), ScheduledFault(4.0, "restart"))
    drive(tmp_path, one_job(), faults=faults, for_s=100.0)
    assert asked(tmp_path) == [(0.0, "start", "0"), (5.0, "start", "0")]


def test_an_old_listing_decides_nothing(tmp_path):
    workload = one_job(submit_s=[0.0, 4.0], runtime_s=[50.0, 50.0], cores=[4, 4], memory=[4, 4])
    run = drive(tmp_path, workload, faults=(ScheduledFault(4.5, "stale"),), for_s=100.0)
    assert asked(tmp_path) == [(0.0, "start", "0"), (10.0, "start", "1")]
    assert run.report is not None
    assert "old listing" in run.report.notes[0]


def test_what_others_release_is_respected_and_counted(tmp_path):
    full = one_job(submit_s=[0.0, 0.0], runtime_s=[50.0, 50.0], cores=[8, 8], memory=[4, 4])
    alone = Cluster.uniform(1, cores=8, memory=8)
    run = drive(tmp_path, full, alone, faults=(ScheduledFault(7.0, "meddle"),), for_s=200.0)
    assert asked(tmp_path) == [(0.0, "start", "0")]
    assert run.report is not None
    assert run.report.foreign >= 1
    run.ends_well()


def test_a_first_start_that_is_denied_ends_the_run_and_nothing_is_touched(tmp_path):
    with pytest.raises(Denied, match="refuses every start: permission denied"):
        drive(tmp_path, made_jobs(5, 1), faults=(ScheduledFault(0.0, "denied"),))
    assert len(asked(tmp_path)) >= 1
    assert [line["end"] for line in lines_of(tmp_path) if "end" in line] == ["denied"]


def test_one_that_is_denied_later_is_left_alone_and_the_others_go_on(tmp_path):
    workload = one_job(submit_s=[0.0, 4.0, 9.0], runtime_s=[20.0] * 3, cores=[1] * 3, memory=[1] * 3)
    run = drive(tmp_path, workload, faults=(ScheduledFault(4.5, "denied"),), for_s=60.0, on_exit="hold")
    assert run.report is not None
    assert run.report.left_out == [("1", "denied: permission denied")]
    assert sorted(run.engine.over) == ["0", "2"]


def test_a_rule_that_raises_skips_the_cycle_and_after_three_the_fallback_decides_and_says_so(tmp_path):
    workload = one_job(submit_s=[0.0, 4.0], runtime_s=[20.0] * 2, cores=[1] * 2, memory=[1] * 2)
    run = drive(tmp_path, workload, scheduler=Failing(0.0, 14.0), for_s=60.0)
    by = [
        (line["cycle"], line.get("by"), line.get("skipped", "")[:9]) for line in lines_of(tmp_path) if "cycle" in line
    ]
    assert by[:3] == [(0.0, None, "'my_rule'"), (5.0, None, "'my_rule'"), (10.0, "fallback", "'my_rule'")]
    assert run.report is not None
    assert [note.partition(" in the place")[0] for note in run.report.notes][-1] == "first-fit decides"
    assert set(run.starts) == {"0", "1"}


def test_the_fallback_waits_for_no_compiler(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a decision was compiled")

    monkeypatch.setattr("loadmaster.scheduling.compiled_decide.compiled", refuse)
    many = WORTHWHILE // 2
    workload = one_job(submit_s=[0.0] * many, runtime_s=[20.0] * many, cores=[1] * many, memory=[1] * many)
    run = drive(tmp_path, workload, scheduler=Failing(0.0), for_s=20.0)
    assert run.report is not None
    assert run.report.fallbacks > 0
    assert run.starts


def test_a_rule_that_takes_more_than_half_of_the_interval_skips_the_cycle_and_claims_stay(tmp_path):
    """The second job would fit only if the claim of the first, which does not run yet, were forgotten meanwhile."""
    workload = one_job(submit_s=[0.0, 4.0], runtime_s=[20.0] * 2, cores=[4, 6], memory=[1] * 2)
    clock, alone = FakeClock(), Cluster.uniform(1, cores=8, memory=8)
    slow = Failing(5.0, 9.0, took_s=3.0, clock=clock)
    run = drive(
        tmp_path, workload, alone, faults=(ScheduledFault(0.0, "stuck"),), scheduler=slow, clock=clock, for_s=60.0
    )
    skipped = {line["cycle"]: line["skipped"] for line in lines_of(tmp_path) if "skipped" in line}
    assert skipped == {5.0: "'3.0 s': deciding took more than half of the interval"}
    assert asked(tmp_path) == [(0.0, "start", "0"), (10.0, "repin", "0"), (30.0, "start", "1")]
    assert run.report is not None
    assert (run.report.skipped, run.report.missed) == (1, 0)
    assert run.report.notes == ["no decision in a cycle: '3.0 s': deciding took more than half of the interval"]
    assert check_live(tmp_path, ruled()).same


@pytest.mark.parametrize(("interval_s", "took_s"), [(5.0, 2.5), (1.0, 2.0)])
def test_a_rule_that_takes_half_of_the_interval_or_two_seconds_decides(tmp_path, interval_s, took_s):
    clock = FakeClock()
    slow = Failing(0.0, took_s=took_s, clock=clock)
    run = drive(tmp_path, one_job(), scheduler=slow, clock=clock, for_s=60.0, interval_s=interval_s)
    assert run.report is not None
    assert (run.report.skipped, run.starts) == (0, {"0": (took_s, ("node0",))})  # after a trial that took as long


@pytest.mark.parametrize(("others", "words"), [("release", [(0.0, "withdraw", "0")]), ("keep", [])])
def test_what_the_model_has_no_words_for_goes_to_the_engine_once_if_asked_and_its_hosts_are_seen_as_taken(
    tmp_path, others, words
):
    two = one_job(submit_s=[0.0, 4.0], runtime_s=[50.0] * 2, cores=[6, 4], memory=[1] * 2)
    alone = Cluster.uniform(1, cores=8, memory=8)
    run = drive(tmp_path, two, alone, strange={"0": "a licence"}, others=others, for_s=300.0, on_exit="hold")
    starts = [(50.0 if words else 5.0, "start", "1")]
    assert asked(tmp_path) == words + starts
    assert run.engine.ran == {"0": len(words), "1": 1}
    assert run.report is not None
    assert run.report.left_out == ([] if words else [("0", "a licence")])


def test_what_was_handed_to_an_engine_that_was_restarted_is_handed_to_it_again(tmp_path):
    two = one_job(submit_s=[0.0, 0.0], runtime_s=[50.0] * 2, cores=[7, 7], memory=[1] * 2)
    alone = Cluster.uniform(1, cores=8, memory=8)
    faults = (ScheduledFault(20.0, "restart"),)
    run = drive(
        tmp_path, two, alone, strange={"1": "a licence"}, others="release", faults=faults, for_s=300.0, on_exit="hold"
    )
    assert [each[:3] for each in asked(tmp_path) if each[1] == "withdraw"] == [
        (0.0, "withdraw", "1"),
        (20.0, "withdraw", "1"),
    ]
    assert run.engine.ran == {"0": 1, "1": 1}


def test_no_more_jobs_are_started_than_max_starts_allows(tmp_path):
    run = drive(tmp_path, made_jobs(20, 2), max_starts=3, for_s=300.0, on_exit="hold")
    assert (len(run.starts), len(asked(tmp_path))) == (3, 3)
    assert run.report.notes[0].startswith("3 jobs were asked to start, the limit of --max-starts")
    assert run.report.notes[1].startswith("17 jobs stay held (--on-exit hold)")
    assert check_live(tmp_path, run.scheduler).same


@pytest.mark.parametrize("mode", ["shadow", "dry-run"])
def test_a_shadow_decides_and_writes_down_and_asks_nothing_of_the_engine(tmp_path, mode):
    run = drive(tmp_path, made_jobs(20, 2), mode=mode, for_s=300.0)
    assert asked(tmp_path) == []
    assert run.starts
    assert set(run.engine.ran.values()) == {0}
    assert check_live(tmp_path, run.scheduler).same


def test_claims_made_before_a_death_still_count_with_the_moment_of_their_decision(tmp_path):
    """A job starts and the loop dies; the next life knows when it is expected to end: EASY keeps its promise."""
    jobs = one_job(
        submit_s=[0.0, 1.0, 12.0],
        runtime_s=[100.0, 50.0, 95.0],
        cores=[4, 8, 4],
        memory=[1, 1, 1],
        estimate_s=[100.0, 50.0, 95.0],
    )
    alone = Cluster.uniform(1, cores=8, memory=8)
    whole = drive(tmp_path / "whole", jobs, alone, for_s=400.0)
    cut = drive(tmp_path / "cut", jobs, alone, for_s=400.0, deaths=(6,))
    assert whole.starts["2"][0] > whole.starts["1"][0] == cut.starts["1"][0]
    assert cut.starts == whole.starts


def test_what_an_observation_notes_is_said_at_once_and_once():
    told = []
    report = Report(listener=told.append)
    seen = SimpleNamespace(at_s=1.0, notes=("Slurm was reconfigured",))
    loop = Loop(SimpleNamespace(name="fake", observe=lambda: seen), None, None, None, report)
    loop._look()
    loop._look()
    assert told == report.notes == ["Slurm was reconfigured"]
