"""`simulate` takes the cheaper of two engines that give the same schedule."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Cluster, Partition, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate, simulate_lived
from loadmaster.sim.queue.engine import general_replay
from loadmaster.sim.queue.engine_cost import is_cheaper_than_a_kept_plan
from loadmaster.sim.queue.queue_run import QueueRun
from loadmaster.sim.queue.reference import replay

FIRST_FIT, EASY = POLICIES["first-fit"], discipline_named("easy")
HOSTS = Cluster.uniform(40, cores=2)
ONE_PARTITION = SiteRules((Partition("main"),))


def _jobs(jobs: int, tasks: int) -> Workload:
    """Jobs of about `tasks` tasks each, many of which wait."""
    rng = np.random.default_rng(7)
    runtime_s = rng.integers(10, 2000, jobs).astype(float)
    arrivals_s = np.sort(rng.integers(0, jobs * tasks * 14, jobs)).astype(float)
    wide = rng.integers(1, 2 * tasks, jobs).astype(np.int32)
    return Workload.of(
        submit_s=arrivals_s, runtime_s=runtime_s, estimate_s=runtime_s * 3, cores=np.ones(jobs), tasks=wide
    )


@pytest.mark.parametrize("rules", [None, ONE_PARTITION])
@pytest.mark.parametrize("cores", [1, 2])
def test_wide_jobs_are_placed_as_by_the_board(monkeypatch, cores, rules):
    log, hosts = _jobs(1000, 8), replace(Cluster.uniform(40, cores=cores), rules=rules)
    this_pass = general_replay.replay_general(QueueRun(log, hosts, Scheduler(FIRST_FIT, EASY), interval_s=0.0, seed=0))
    monkeypatch.setattr(general_replay, "replay_general", None)
    bulk = simulate(log, hosts, FIRST_FIT, EASY)
    assert (bulk.start_s.tolist(), bulk.host.tolist()) == (this_pass.start_s.tolist(), this_pass.host.tolist())


def test_every_event_is_a_moment_of_decision_unless_an_interval_is_given():
    late = Workload.of(submit_s=[7.0], runtime_s=[1.0], cores=[1])
    given = late, HOSTS, FIRST_FIT, EASY
    schedules = simulate(*given), simulate_lived(*given)[1], replay(late, HOSTS, Scheduler(FIRST_FIT, EASY))
    assert [schedule.start_s.tolist() for schedule in schedules] == [[7.0]] * 3


@pytest.mark.parametrize(
    ("jobs", "tasks", "hosts", "cores", "cheaper"),
    [
        (1000, 60, 200, 2, False), (1000, 2, 500, 3, True), (1000, 2, 499, 3, False), (999, 2, 500, 3, False),
        (1000, 10, 500, 1.5, False),
    ],
)  # fmt: skip
def test_a_kept_plan_gives_way_to_the_board_on_many_hosts_without_a_queue(jobs, tasks, hosts, cores, cheaper):
    given = _jobs(jobs, tasks), Cluster.uniform(hosts, cores=cores)
    assert is_cheaper_than_a_kept_plan(*given, discipline_named("conservative")) is cheaper
    assert not is_cheaper_than_a_kept_plan(*given, discipline_named("conservative(early_end=replan)"))


def test_many_hosts_keep_the_plan_where_jobs_wait():
    crowd = replace(_jobs(1000, 4), submit_s=np.zeros(1000))
    assert not is_cheaper_than_a_kept_plan(crowd, Cluster.uniform(500, cores=2), discipline_named("conservative"))


@pytest.mark.parametrize("policy", ["first-fit", "worse-fit-cores"])
def test_conservative_backfilling_of_very_wide_jobs_keeps_its_plan_and_equals_the_board(monkeypatch, policy):
    log, hosts, rule = _jobs(1000, 60), Cluster.uniform(80, cores=2), discipline_named("conservative")
    this_pass = general_replay.replay_general(
        QueueRun(log, hosts, Scheduler(POLICIES[policy], rule), interval_s=0.0, seed=0)
    )
    monkeypatch.setattr(general_replay, "replay_general", None)
    plan = simulate(log, hosts, POLICIES[policy], rule)
    assert (plan.start_s.tolist(), plan.host.tolist()) == (this_pass.start_s.tolist(), this_pass.host.tolist())
