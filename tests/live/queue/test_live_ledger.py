"""What a live scheduler believes: constraints bind it as they bind a simulation."""

from dataclasses import replace

import numpy as np
import pytest
from bound_jobs import bound_jobs
from fake_runs import drive, ruled
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.live.queue.allocations import FOREIGN
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.forecast import ForecastSimulation
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import listing_of
from loadmaster.live.session.disruption import AGAIN_S
from loadmaster.live.session.engine import (
    CLAIMED,
    HELD,
    NOWHERE,
    RUNNING,
    EndedJob,
    Observation,
    ObservedTasks,
    Refusal,
)
from loadmaster.model import Cluster, Workload
from loadmaster.model.actions import Hold, Repin, Start
from loadmaster.order import ORDERS
from loadmaster.sim.queue.simulation import simulate

BINDS = ("begin", "array", "partition", "features", "speed", "accounts")


@pytest.fixture(autouse=True, scope="module")
def disk_of_this_process():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda file: None)
        yield


@given(
    seed=st.integers(0, 10_000), kinds=st.sets(st.sampled_from(BINDS), min_size=1, max_size=3),
    discipline=st.sampled_from(["easy", "netbatch", "fcfs", "wfp3+skip"]),
)  # fmt: skip
@settings(max_examples=40)
def test_jobs_that_constraints_bind_start_as_in_a_simulation(tmp_path_factory, seed, kinds, discipline):
    folder = tmp_path_factory.mktemp("live")
    workload, cluster = bound_jobs(seed, *kinds)
    scheduler = ruled("mix-fit", discipline)
    run = drive(folder, workload, cluster, scheduler=scheduler, on_exit="hold", for_s=1500.0)
    plan = simulate(workload, cluster, scheduler.policy, scheduler.discipline, interval_s=5.0, engine="reference")
    first, started = workload.first_task, np.flatnonzero(plan.started)
    hosts = {j: tuple(f"node{host}" for host in plan.host[first[j] : first[j + 1]]) for j in started}
    assert run.starts == {str(job): (plan.start_s[job], hosts[job]) for job in started}
    assert check_live(folder, scheduler).same


class World:
    """Observations written down by hand: two hosts of four cores, and jobs by name."""

    def __init__(self) -> None:
        self.at_s = 0.0
        self.up = [True, True]
        self.token = ""
        self.ledger = Ledger(ORDERS["fcfs"])

    def see(self, now_s, jobs, over=(), **more):
        """`jobs`: name -> (state, host, pin); each came at 0, requests 3 cores and expects to run for 60 s."""
        self.at_s += 1.0
        states, hosts, pins = (
            np.array(column, np.int32) for column in list(zip(*jobs.values(), strict=True)) or [()] * 3
        )
        count = len(jobs)
        work = Workload.of(submit_s=[0.0] * count, runtime_s=[60.0] * count, cores=[3] * count)
        tasks = ObservedTasks(np.arange(count), np.zeros(count, np.int32), states, hosts, pins)
        cluster = Cluster(("cores",), np.full((2, 1), 4.0), ("a", "b"))
        seen = Observation(self.at_s, cluster, np.array(self.up), work, tuple(jobs), tasks, (), over, self.token)
        seen.check()
        return self.ledger.see(listing_of(seen), now_s, **more)

    def start(self, *names):
        host = iter("ab")
        self.ledger.take([Start(name, (next(host),)) for name in names], [0] * len(names), self.ledger.carried)


WAITS = (HELD, NOWHERE, NOWHERE)


def test_a_claim_holds_its_hosts_from_the_decision_on_and_is_expected_to_end_by_that():
    world = World()
    world.see(10.0, {"x": WAITS, "y": WAITS})
    world.start("x")
    world.see(20.0, {"x": (RUNNING, 0, 0), "y": WAITS})
    snapshot = world.ledger.snapshot()
    assert snapshot.free.tolist() == [[1.0], [4.0]]
    assert (snapshot.running.start_s.tolist(), snapshot.running.expected_end_s.tolist()) == ([10.0], [70.0])


def test_nothing_is_due_when_nothing_has_happened():
    world = World()
    world.see(0.0, {"x": WAITS})
    assert world.ledger.due()
    world.ledger.take([], [], world.ledger.carried)
    assert not world.ledger.due()
    world.see(5.0, {"x": WAITS})
    assert not world.ledger.due()
    world.up = [True, False]
    world.see(10.0, {"x": WAITS})
    assert world.ledger.due()


def test_a_decision_is_due_when_the_last_one_asked_to_be_woken_and_once():
    world = World()
    world.see(0.0, {"x": WAITS})
    world.ledger.take([], [], replace(world.ledger.carried, wake_s=7.0))
    due = []
    for now_s in (5.0, 7.0, 9.0):
        world.see(now_s, {"x": WAITS})
        due.append(world.ledger.due())
        if due[-1]:
            world.ledger.take([], [], world.ledger.carried)
    assert due == [False, True, False]


def test_a_host_that_dies_under_a_run_is_given_to_nobody_when_that_run_would_have_ended():
    world = World()
    world.see(10.0, dict.fromkeys("xyz", WAITS))
    world.start("x")
    world.up = [False, True]
    world.see(20.0, {"x": (RUNNING, 0, 0), "y": WAITS, "z": WAITS})
    world.ledger.take([Start("y", ("b",))], [0], world.ledger.carried)
    onward = ForecastSimulation(world.ledger, ruled("first-fit", "fcfs"), 5.0, dict.fromkeys("xyz", 60.0))
    assert onward.starts("z") == 80.0


def test_hosts_that_are_down_are_closed_to_everyone():
    world = World()
    world.up = [False, True]
    world.see(0.0, {"x": WAITS})
    decision = ruled("first-fit").decide(world.ledger.snapshot())
    assert [place.hosts for place in decision.place] == [(1,)]


def test_a_job_that_no_host_could_ever_hold_is_left_out_by_name():
    world = World()
    world.see(0.0, {"x": WAITS})
    ledger = Ledger(ORDERS["fcfs"])
    listing = world.ledger.listing
    listing["jobs"]["x"]["demand"] = [5.0]
    ledger.see(listing, 0.0)
    assert ledger.left_out() == [("x", "no host has what it requests")]
    assert ledger.snapshot() is None


def test_what_an_engine_says_of_an_end_counts_and_else_the_cycle_does():
    world = World()
    world.see(0.0, {"x": WAITS, "y": WAITS})
    world.start("x", "y")
    changes = world.see(30.0, {}, over=(EndedJob("x", 22.0, "failed"),))
    assert changes.ended == [("x", 22.0, "failed"), ("y", 30.0, "ok")]
    assert world.ledger.early_end


def test_jobs_gone_after_a_restart_without_a_word_are_lost_by_the_engine():
    world = World()
    world.see(0.0, {"x": WAITS, "y": WAITS, "z": WAITS})
    world.token = "again"
    changes = world.see(10.0, {"z": WAITS}, over=(EndedJob("y", 4.0, "cancelled"),))
    assert (changes.restarted, changes.lost, changes.withdrawn) == (True, ["x"], ["x", "y"])


def test_a_claim_that_is_not_shown_is_kept_for_ten_seconds_and_given_up_at_once_after_a_restart():
    world = World()
    world.see(0.0, {"x": WAITS})
    world.start("x")
    assert world.see(5.0, {"x": WAITS}).stopped == []
    assert world.see(10.0, {"x": WAITS}).stopped == [("x", False)]
    world.start("x")
    world.token = "again"
    assert world.see(15.0, {"x": WAITS}).stopped == [("x", False)]


def test_pins_of_an_earlier_life_are_adopted_and_what_others_run_is_respected():
    world = World()
    changes = world.see(0.0, {"x": (CLAIMED, NOWHERE, 1), "y": (RUNNING, 0, NOWHERE), "z": (CLAIMED, NOWHERE, NOWHERE)})
    assert {name: run.by for name, run in changes.found} == {"x": "adopted", "y": FOREIGN}
    assert changes.released == ["z"]
    assert world.ledger.left_out() == [("z", "released by someone else")]
    assert world.ledger.snapshot() is None


def test_a_job_that_runs_elsewhere_than_decided_holds_what_it_really_holds():
    world = World()
    world.see(0.0, {"x": WAITS, "y": WAITS})
    world.start("x")
    changes = world.see(5.0, {"x": (RUNNING, 1, NOWHERE), "y": WAITS})
    assert changes.moved == ["x"]
    assert world.ledger.snapshot().free.tolist() == [[4.0], [1.0]]


def test_where_others_have_put_more_on_a_host_than_it_has_nothing_is_free():
    world = World()
    world.see(0.0, {"x": WAITS, "y": WAITS, "z": WAITS})
    world.start("x")
    world.see(5.0, {"x": (CLAIMED, NOWHERE, 0), "y": (RUNNING, 0, NOWHERE), "z": WAITS})
    assert world.ledger.snapshot().free.tolist() == [[0.0], [4.0]]


def test_a_released_job_without_a_host_is_pinned_anew_or_held():
    world = World()
    world.see(0.0, {"x": WAITS})
    world.start("x")
    world.up = [False, True]
    world.see(5.0, {"x": (CLAIMED, NOWHERE, 0)})
    assert world.ledger.wanted(Start("x", ("b",))) == Repin("x", ("b",))
    assert world.ledger.loose() == [Hold("x")]
    assert world.ledger.loose() == []  # asked once in ten seconds


def test_a_refused_job_waits_again_and_one_that_is_denied_is_left_alone_for_five_minutes():
    world = World()
    world.see(0.0, {"x": WAITS})
    world.start("x")
    world.ledger.refused(Refusal(Start("x", ("a",)), "busy", "try again"))
    assert len(world.ledger.snapshot().queue) == 1
    world.start("x")
    world.ledger.refused(Refusal(Start("x", ("a",)), "denied", "no"))
    assert world.ledger.left_out() == [("x", "denied: no")]
    assert world.ledger.snapshot() is None
    world.see(AGAIN_S, {"x": WAITS})
    assert len(world.ledger.snapshot().queue) == 1


def test_what_is_held_for_us_or_pinned_by_us_is_releasable_and_nothing_else():
    world = World()
    world.see(
        0.0,
        {
            "held": WAITS,
            "pinned": (CLAIMED, NOWHERE, 1),
            "others": (CLAIMED, NOWHERE, NOWHERE),
            "runs": (RUNNING, 0, 0),
        },
    )
    assert world.ledger.releasable() == ["held", "pinned"]


def test_what_others_run_against_all_rules_holds_its_host_and_the_check_outlives_it(tmp_path):
    """Somebody releases jobs, and they start on hosts outside their partitions."""
    scheduler = ruled("mix-fit", "multifactor+easy")
    for seed in (3, 22):
        workload, cluster = bound_jobs(seed, "partition", "features", "array")
        folder = tmp_path / str(seed)
        run = drive(folder, workload, cluster, scheduler=scheduler, rates="meddle=0.2", seed=seed, deaths=(9,))
        assert run.report is not None
        assert run.report.foreign > 0
        assert check_live(folder, scheduler).first == ""
