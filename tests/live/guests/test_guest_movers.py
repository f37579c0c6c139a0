"""Movers on the scene of a live run: a tick is that of the simulator; what may not move is never planned to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.live.guests.movers import MosixTurns, MoveRequest, Rebalance, guest_mover_named
from loadmaster.live.guests.snapshot import Guest, GuestHost, GuestSnapshot
from loadmaster.model import Workload
from loadmaster.move.change import State
from loadmaster.move.enhanced_mosix import EnhancedMosix
from loadmaster.move.migration import MigrationCost
from loadmaster.move.mosix import Mosix
from loadmaster.move.plan import plan_moves
from loadmaster.packing import Instance
from loadmaster.scheduling.time_shared import METHODS, Method
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.reference import replay_timeshared


def snapshot(hosts, guests):
    return GuestSnapshot(
        {name: GuestHost(float(cores), float(memory), True) for name, (cores, memory) in hosts.items()},
        {name: Guest(float(c), float(m), at, "", 1.0, False) for name, (c, m, at) in guests.items()},
    )


@settings(max_examples=40, deadline=None)
@given(
    asks=st.lists(st.integers(1, 30), min_size=2, max_size=6),
    cores=st.lists(st.integers(90, 200), min_size=2, max_size=4),
    mover=st.sampled_from([Mosix(period_s=100.0), EnhancedMosix(period_s=100.0)]),
    seed=st.integers(0, 50),
)
def test_a_tick_moves_whom_the_simulator_of_time_shared_clusters_moves(asks, cores, mover, seed):
    demand = np.column_stack((np.minimum(asks, 15), np.ones(len(asks)))).astype(float)
    names = [f"h{row}" for row in range(len(cores))]
    made = snapshot({name: (each, 1000) for name, each in zip(names, cores, strict=True)}, {})
    work = Workload(("cores", "memory"), np.zeros(len(asks)), np.full(len(asks), 150.0), demand)
    method = Method("crowded", METHODS["assign-u"].policy if seed % 2 else METHODS["pvm"].policy, mover)
    pause = MigrationCost(pause_s=1.0)
    simulated = replay_timeshared(TimesharedProblem(work, made.cluster, method, migration=pause, seed=seed))
    first = {str(row): (*demand[row], names[at]) for row, at in enumerate(simulated.first_host.tolist())}
    now = snapshot({name: (each, 1000) for name, each in zip(names, cores, strict=True)}, first)
    plan = MosixTurns(mover).plan(MoveRequest(now, (), 1, float("inf"), "count", seed))
    moved = {step.id: names.index(step.host) for step in plan.steps}
    assert moved == {str(row): int(simulated.host[row]) for row in np.flatnonzero(simulated.moves)}


def test_repacking_makes_the_moves_that_rebalance_plans_within_the_same_budget():
    guests = {"w": (2, 3, "a"), "x": (1, 1, "a"), "y": (1, 2, "a"), "z": (1, 1, "b")}
    now = snapshot({"a": (2, 8), "b": (2, 8)}, guests)
    plan = Rebalance().plan(MoveRequest(now, (), 1, 2.0, "bytes"))
    instance = Instance.of(2, cpu=[1.0, 0.5, 0.5, 0.5], memory=[3 / 8, 1 / 8, 2 / 8, 1 / 8])
    wanted = plan_moves(State(instance, np.array([0, 0, 0, 1], np.int32)), 2 / 8, "heuristic")
    assert [(step.id, step.host) for step in plan.steps] == [("wxyz"[m.task], "ab"[m.target]) for m in wanted.moves]
    assert plan.steps


def test_repacking_leaves_whom_it_may_not_move_and_hosts_that_are_down():
    guests = {"w": (2, 1, "a"), "x": (2, 1, "a"), "y": (2, 1, "a")}
    now = snapshot({"a": (2, 8), "b": (2, 8), "c": (8, 8)}, guests)
    stays = GuestSnapshot(
        now.hosts | {"c": now.hosts["c"]._replace(up=False)}, now.guests | {"w": now.guests["w"]._replace(stays=True)}
    )
    plan = Rebalance().plan(MoveRequest(stays, {"x"}, 1, 10.0, "count"))
    assert plan.steps == [("y", "b")]


def test_a_gain_that_is_hardly_one_is_not_worth_a_journey():
    guests = {"x": (100, 1, "a"), "y": (1, 1, "a"), "z": (100, 1, "b")}
    now = snapshot({"a": (50, 8), "b": (51, 8)}, guests)
    assert Rebalance(gain=0.0).plan(MoveRequest(now, (), 1, 10.0, "count")).steps
    assert not Rebalance().plan(MoveRequest(now, (), 1, 10.0, "count")).steps


@pytest.mark.parametrize("name", ["rebalance", "mosix", "enhanced-mosix"])
def test_a_budget_that_is_spent_moves_nobody(name):
    mover = guest_mover_named(name)
    now = snapshot({"a": (1, 8), "b": (1, 8)}, {str(k): (1, 1, "a") for k in range(4)})
    assert not mover.plan(MoveRequest(now, (), 1, 0.0, "count")).steps
    assert mover.plan(MoveRequest(now, (), 1, 1.0, "count")).steps
