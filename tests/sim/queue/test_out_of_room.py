"""An engine whose arrays prove too short stops before it writes behind them, and says that the fault is ours."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.model.errors import OutOfRoom
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine import general_layout, general_replay
from loadmaster.sim.queue.engine.profile import layout
from loadmaster.sim.queue.queue_run import QueueRun

JOBS = Workload.of(submit_s=[0] * 6, runtime_s=[9, 5, 7, 3, 4, 8], cores=[2, 1, 2, 1, 1, 2], memory=[1, 2, 1, 2, 1, 1])
HOSTS = Cluster.uniform(2, cores=2, memory=4)


def run(discipline, engine):
    return simulate(JOBS, HOSTS, POLICIES["first-fit"], discipline_named(discipline), interval_s=1.0, engine=engine)


def test_a_plan_that_has_run_out_of_steps_ends_the_run(monkeypatch):
    made, variants = layout.profile_at_start, [f"conservative(early_end={name})" for name in ("kept", "replan")]

    def run_out(capacity):
        sky = made(capacity)
        sky.used[0] = len(sky.time_s) + 1
        return sky

    assert all(run(each, "planning").started.all() for each in variants)
    monkeypatch.setattr(layout, "profile_at_start", run_out)
    for each in variants:
        with pytest.raises(OutOfRoom):
            run(each, "planning")


def test_more_jobs_that_are_to_start_now_than_there_is_room_for_end_the_run(monkeypatch):
    made = layout._kept_profile
    monkeypatch.setattr(layout, "_kept_profile", lambda *given: made(*given)._replace(moved=np.zeros(0, np.int32)))
    with pytest.raises(OutOfRoom):
        run("conservative(early_end=kept)", "planning")


def test_more_news_than_an_order_has_room_for_end_the_run(monkeypatch):
    policy, discipline = POLICIES["first-fit"], discipline_named("multifactor+easy(heads=2)")
    assert general_replay.replay_general(
        QueueRun(JOBS, HOSTS, Scheduler(policy, discipline), interval_s=0.0, seed=1)
    ).started.all()
    made = general_replay.general_pass_of
    few = general_layout.table(general_layout.EVENT, 3)
    monkeypatch.setattr(general_replay, "general_pass_of", lambda *given: made(*given)._replace(order_events=few))
    with pytest.raises(OutOfRoom):
        general_replay.replay_general(QueueRun(JOBS, HOSTS, Scheduler(policy, discipline), interval_s=0.0, seed=1))
