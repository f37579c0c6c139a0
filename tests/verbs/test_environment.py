"""`lm.Environment`: what an agent sees, what it is paid, and what is refused."""

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model.constraints import Constraints

LOG = lm.Workload.of(
    submit_s=[0, 0, 1, 2, 3], runtime_s=[50, 20, 30, 5, 10], estimate_s=[60, 20, 40, 5, 10],
    cores=[4, 3, 4, 1, 2], tasks=[1, 1, 2, 1, 1],
)  # fmt: skip
HOSTS = lm.Cluster.uniform(2, cores=4)


def played(env, choose=lambda seen: seen.startable.argmax(), seed=0):
    seen, rewards = env.reset(seed), []
    while not env.is_done:
        seen, reward, _ = env.step(choose(seen))
        rewards.append(reward)
    return rewards


def busy(jobs=200, seed=0):
    draw = np.random.default_rng(seed)
    runtime_s = draw.integers(1, 90, jobs)
    return lm.Workload.of(
        submit_s=np.sort(draw.integers(0, 900, jobs)), runtime_s=runtime_s, cores=draw.integers(1, 5, jobs)
    )


def test_an_observation_shows_the_waiting_jobs_and_what_is_free():
    env = lm.Environment(LOG, HOSTS, window=3, spread="any")
    seen = env.reset()
    assert seen.jobs[:, :4].tolist() == [[0, 60, 1, 4], [0, 20, 1, 3], [0, 0, 0, 0]]
    assert (seen.row.tolist(), seen.startable.tolist()) == ([0, 1, -1], [True, True, False, True])
    assert seen.hosts.tolist() == [[4], [4]]
    seen, _, done = env.step(1)
    assert (seen.row.tolist(), seen.hosts.tolist(), done) == ([0, -1, -1], [[1], [4]], False)
    seen, reward, _ = env.step(3)
    assert (seen.clock[0], seen.row.tolist(), reward) == (1.0, [0, 2, -1], 0.0)
    assert seen.jobs[0, 0] == 1.0
    assert seen.startable.tolist() == [True, False, False, True]


def test_a_promise_keeps_a_long_job_from_delaying_the_first_that_waits():
    log = lm.Workload.of(submit_s=[0, 1, 2, 2], runtime_s=[10, 5, 20, 8], cores=[2, 4, 2, 2])
    one = lm.Cluster.uniform(1, cores=4)
    seen = lm.Environment(log, one, window=4, promises=True)
    view = seen.reset()
    view, _, _ = seen.step(0)
    assert (view.row.tolist()[:3], view.startable.tolist()) == ([1, 2, 3], [False, False, True, False, True])
    assert view.clock[2] == 10.0
    free = lm.Environment(log, one, window=4)
    free.reset()
    view, _, _ = free.step(0)
    assert view.startable.tolist() == [False, True, True, False, True]
    assert view.clock[2] == np.inf


@pytest.mark.parametrize("metric", ["mean_wait_s", "mean_bounded_slowdown", "makespan_s", "p95_wait_s"])
def test_rewards_sum_to_the_metric_as_a_loss(metric):
    env = lm.Environment(busy(), HOSTS, reward=metric)
    assert sum(played(env)) == pytest.approx(-env.metric(metric))
    assert env.metric(metric) > 0


def test_a_function_of_the_schedule_is_paid_as_it_is():
    env = lm.Environment(LOG, HOSTS, reward=lambda jobs: float(jobs.end_s.max()))
    assert played(env)[-1] == env.metric("makespan_s")


def test_an_action_that_names_a_host_starts_all_tasks_there():
    env = lm.Environment(LOG, HOSTS, choose_host=True)
    env.reset()
    seen, _, _ = env.step((1, 1))
    assert seen.hosts.tolist() == [[4], [1]]
    env.step((0, 1))  # no room
    assert env.refused
    assert not env.is_done


def test_what_cannot_start_is_refused_and_the_episode_goes_on():
    env = lm.Environment(LOG, HOSTS, window=3, spread="any")
    env.reset()
    env.step(2)
    assert env.refused
    env.step(0)
    assert not env.refused


def test_the_last_jobs_start_even_if_the_agent_starts_none():
    env = lm.Environment(LOG, HOSTS)
    played(env, lambda seen: len(seen.row))
    assert env.metric("unstarted") == 0
    assert (env.schedule().start_s >= 3.0).all()


def test_the_seed_draws_the_part_of_the_log():
    env = lm.Environment(busy(), HOSTS, episode_jobs=30)
    first, again, other = ([played(env, seed=seed), env.schedule().start_s.tolist()] for seed in (1, 1, 2))
    assert first == again != other
    assert len(first[1]) == 30 == env.jobs


def test_an_action_that_is_no_number_is_refused():
    for options, action in (({}, "first"), ({}, 1.5), ({"choose_host": True}, 1)):
        env = lm.Environment(LOG, HOSTS, **options)
        env.reset()
        with pytest.raises(lm.InputError, match="an action is a"):
            env.step(action)
    assert repr(env) == "<Environment: episodes of 4 jobs over 2 hosts, 64 rows>"


def test_what_is_no_episode_is_refused():
    env = lm.Environment(LOG, HOSTS)
    with pytest.raises(lm.InputError, match=r"call reset\(\) first"):
        env.step(0)
    played(env)
    with pytest.raises(lm.InputError, match=r"call reset\(\) first"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"reward": "mean_wait"}, "no such metric"),
        ({"promises": True, "choose_host": True}, "leave out promises or choose_host"),
        ({"window": 0}, "window"),
        ({"window": "many"}, "window is a whole number"),
        ({"policy": "best"}, "no such placement policy"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises(lm.InputError, match=message):
        lm.Environment(LOG, HOSTS, **options)


def test_jobs_that_a_rule_binds_are_refused():
    from dataclasses import replace

    bound = replace(LOG, constraints=Constraints(eligible_s=np.array([0.0, 0.0, 100.0, 0.0, 0.0])))
    with pytest.raises(lm.InputError, match="an environment has none"):
        lm.Environment(bound, HOSTS, spread="any")


def test_gymnasium_finds_nothing_wrong():
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    for options in ({}, {"promises": True}, {"choose_host": True}, {"episode_jobs": 40}):
        env = lm.Environment(busy(), HOSTS, window=6, **options).gym()
        with pytest.warns(UserWarning, match="infinity"):
            checker.check_env(env, skip_render_check=True)
        assert env.action_masks().shape == (7,)


def test_without_gymnasium_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(lm.LoadmasterError, match=r"pip install 'loadmaster\[gym\]'"):
        lm.Environment(LOG, HOSTS).gym()
