"""One soundness check for every verb: whoever runs a policy of the user's, it is tried out first."""

import math
import os
from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.packing.by_score import best_by_score
from loadmaster.packing.instance import Instance
from loadmaster.place import Policy
from loadmaster.place.trial import remarks, typical_states
from loadmaster.scheduling import MaxJobs
from loadmaster.scheduling import discipline_named as named
from loadmaster.scheduling.time_shared import METHODS, Method
from loadmaster.sim.queue import simulate
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.simulation import simulate_timeshared

HOSTS = Cluster.uniform(2, cores=4, memory=8)
LOG = Workload.of(submit_s=[0.0, 1.0], runtime_s=[9.0, 9.0], cores=[1, 4], memory=[1, 8])


def nan(demand, free, capacity):
    return math.nan * free[0]


def far(demand, free, capacity):
    return free[7]


def far_where_full(demand, free, capacity):
    return free[2] if free[0] == demand[0] else 0.0


def writes(demand, free, capacity):
    demand[0] = 0.0
    return free[0]


def divides(demand, free, capacity):
    return 1.0 / (free[0] - demand[0])


def uncompiled(demand, free, capacity):
    return float(os.getpid())


def in_simulate(policy):
    simulate(LOG, HOSTS, policy, named("netbatch"), interval_s=30.0)


def in_plain_simulate(policy):
    simulate(LOG, HOSTS, policy, named("netbatch"), interval_s=30.0, engine="reference")


def in_backfill(policy):
    simulate(LOG, HOSTS, policy, named("easy"))


def as_member(policy):
    simulate(LOG, HOSTS, MaxJobs((policy,)), named("netbatch"), interval_s=30.0)


def as_member_with_backfill(policy):
    simulate(LOG, HOSTS, MaxJobs((policy,)), named("easy"))


def in_share(policy):
    simulate_timeshared(TimesharedProblem(LOG, HOSTS, Method("mine", policy)))


def in_share_behind_a_mover(policy):
    simulate_timeshared(TimesharedProblem(LOG, HOSTS, replace(METHODS["mosix"], policy=policy)))


def in_pack(policy):
    best_by_score(Instance.of(hosts=2, cpu=[0.5, 1.0], memory=[0.2, 1.0]), policy)


CALLS = [
    in_simulate, in_plain_simulate, in_backfill, as_member, as_member_with_backfill, in_share, in_share_behind_a_mover,
    in_pack,
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("score", "says"),
    [
        (nan, "finite"),
        (far, "reads a resource"),
        (far_where_full, "reads resource 2, gpus"),
        (writes, "change its arguments"),
        (divides, "finite"),
        (uncompiled, "cannot be compiled"),
    ],
)
def test_a_policy_that_is_not_sound_is_refused_by_every_call(call, score, says):
    with pytest.raises(InputError, match=says) as refusal:
        call(Policy("mine", score))
    assert refusal.value.value == "mine"
    assert len(str(refusal.value)) < 300


def nan_at_five_hosts(demand, free, capacity, context):
    return math.nan if context.task == 1 else 0.0


def far_at_the_second_task(demand, free, capacity, context):
    return free[5 * context.task]


def sometimes_in_place(demand, free, capacity, context):
    if context.task == 1:
        raise ValueError("no")
    return 0.0


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("score", "says"),
    [(nan_at_five_hosts, "finite"), (far_at_the_second_task, "IndexError"), (sometimes_in_place, "ValueError")],
)
def test_what_goes_wrong_only_while_it_runs_ends_in_one_line_by_every_call(call, score, says):
    with pytest.raises(InputError, match=says):
        call(Policy("mine", score, contextual=True, varies=True))


def cores_and_memory(demand, free, capacity):
    return abs((free[0] - demand[0]) / capacity[0] - (free[1] - demand[1]) / capacity[1])


def test_a_policy_of_memory_on_a_log_without_it_is_told_what_is_missing():
    log = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[1])
    with pytest.raises(InputError) as refusal:
        simulate(log, Cluster.uniform(2, cores=4), Policy("even_leftover", cores_and_memory), named("fcfs"))
    assert str(refusal.value) == (
        "'even_leftover': this policy reads resource 1, memory, which the jobs and hosts here do not have; "
        "they have 0 cores; give a log and --hosts with memory, or rate without it"
    )


def test_the_states_tried_are_of_several_jobs_on_empty_half_full_and_filled_hosts():
    demand = np.array([[1.0, 8.0], [2.0, 2.0], [4.0, 1.0], [3.0, 3.0]])
    tried = list(typical_states(demand, np.array([[4.0, 8.0], [8.0, 4.0]])))
    assert {tuple(asked) for asked, *_ in tried} == {(1.0, 8.0), (4.0, 1.0)}
    assert all((asked <= free).all() and (free <= capacity).all() for asked, free, capacity, _ in tried)
    assert any((asked == free).all() for asked, free, *_ in tried)
    assert {context.last_host for *_, context in tried} == {-1, 0, 1}


def drawn(demand, free, capacity):
    return np.random.random()  # noqa: NPY002


def test_a_policy_that_draws_without_a_seed_runs_and_is_remarked_on():
    in_simulate(Policy("mine", drawn))
    assert "cannot be repeated" in remarks(Policy("mine", drawn))[0]
    assert remarks(Policy("mine", cores_and_memory)) == ()
