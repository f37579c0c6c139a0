"""A run that lasts too long in the plain engine is made by the compiled one."""

import pytest

from loadmaster import generate
from loadmaster.model import Cluster
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import engine_cost, simulate
from loadmaster.sim.queue.engine import general_replay


@pytest.fixture
def few_jobs():
    log = generate.netbatch(jobs=80, hosts=1, load=1.2, seed=3)
    return log.workload, log.cluster or Cluster.uniform(1, cores=8, memory=32.0)


@pytest.mark.parametrize("limit_s", [0.0, 1e9])
def test_runs_that_last_too_long_change_the_engine_and_not_the_schedule(few_jobs, monkeypatch, limit_s):
    changed = []
    monkeypatch.setattr(engine_cost, "PLAIN_LIMIT_S", limit_s)
    monkeypatch.setattr(general_replay, "replay_general", _counting(changed, general_replay.replay_general))
    run = *few_jobs, POLICIES["first-fit"], discipline_named("slurm")
    seen = []
    schedule = simulate(*run, progress=lambda done, jobs: seen.append((done, jobs)))
    plain = simulate(*run, engine="reference")
    assert len(changed) == (limit_s == 0)
    assert {jobs for _, jobs in seen} == {few_jobs[0].jobs}
    assert schedule.start_s.tolist() == plain.start_s.tolist()
    assert schedule.host.tolist() == plain.host.tolist()


def test_runs_that_no_other_engine_serves_stay(few_jobs, monkeypatch):
    monkeypatch.setattr(engine_cost, "PLAIN_LIMIT_S", 0.0)
    run = *few_jobs, POLICIES["first-fit"], discipline_named("lookahead(window=64)")
    assert simulate(*run).start_s.tolist() == simulate(*run, engine="reference").start_s.tolist()


def _counting(calls, function):
    def counted(*arguments, **named):
        calls.append(arguments)
        return function(*arguments, **named)

    return counted
