"""Moves of tasks that hold NUMA nodes: by hand, beside a plain reference, and beside all plans that can be made."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from loadmaster.move.constrained.cheaper_moves import plan_cheaper_moves
from loadmaster.move.constrained.goal_plan import GoalQuestion, plan_towards
from loadmaster.move.constrained.replay import replay
from loadmaster.move.constrained.valid_moves import ValidMove, ValidMoves, arrival_nodes
from loadmaster.packing import Instance
from loadmaster.packing.constrained.constraints import OnNumaNodes
from loadmaster.packing.constrained.instance_problem import instance_problem
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.weighted_sum import WeightedSum
from loadmaster.packing.numa_nodes import NumaNodes, broken_nodes, held_nodes
from loadmaster.packing.objective import summed


def problem_of(cores, parts, now, held, hosts=2, capacity=20, nodes=2):
    """Tasks of so many cores; `held` are the nodes of each, None for those that are to be assumed."""
    rigid, room = np.array(cores, float).reshape(len(cores), -1), np.array(capacity, float)
    names = ("cores", "memory")[: rigid.shape[1]]
    nothing = np.zeros((len(cores), 0)), np.zeros((hosts, 0))
    capacity = np.broadcast_to(room, (hosts, len(names)))
    instance = Instance(nothing[0], rigid, nothing[1], capacity, fluid_names=(), rigid_names=names)
    now = np.array(now, np.int64)
    numa = NumaNodes.of(instance, parts, nodes)
    problem, _ = instance_problem(instance, now)
    constraint = OnNumaNodes(numa, held_nodes(numa, now, held)[0])
    return replace(problem, constraints=(*problem.constraints, constraint))


def plan(goal, problem, budget=np.inf, hosts=()):
    drained, none = np.isin(np.arange(problem.hosts), hosts), np.zeros(problem.tasks)
    question = GoalQuestion(
        goal, problem, np.ones(problem.tasks), budget, none.astype(bool), none, drained, problem.capacity
    )
    return plan_towards(question)


def random_problem(seed, tasks=7, hosts=3):
    """Tasks of 1, 2 or 4 nodes on hosts of 4 nodes with 8 cores and 8 GiB each; some wait."""
    draw = np.random.default_rng(seed)
    parts = draw.choice([1, 1, 1, 2, 4], tasks)
    amounts = draw.integers(1, 7, (tasks, 2)) * parts[:, None]
    now, held = np.full(tasks, -1), [None] * tasks
    free = np.full((hosts, 4, 2), 8.0)
    for task in range(tasks - 1):
        host, nodes = draw.integers(hosts), draw.permutation(4)[: parts[task]]
        if (free[host, nodes] >= amounts[task] / parts[task]).all():
            free[host, nodes] -= amounts[task] / parts[task]
            now[task], held[task] = host, tuple(nodes.tolist())
    return problem_of(amounts, parts, now, held, hosts, [32, 32], 4)


class PlainNodes:
    """The tasks on each node of each host; rule B14 word by word."""

    def __init__(self, problem):
        self.problem, self.numa = problem, problem.constraints[-1].numa
        held = problem.constraints[-1].held
        self.holds = {task: [] for task in range(problem.tasks)}
        for task in np.flatnonzero(problem.now >= 0).tolist():
            self.holds[task] = [(int(problem.now[task]), node) for node in np.flatnonzero(held[task]).tolist()]

    def free(self, host, node):
        left = self.numa.capacity[host].tolist()
        for task, places in self.holds.items():
            if (host, node) in places:
                left = [a - b for a, b in zip(left, self.numa.demand[task].tolist(), strict=True)]
        return left

    def arrival(self, task, host):
        """The nodes that the task takes on arrival; None if too few have room."""
        left = [self.free(host, node) for node in range(self.numa.nodes)]
        asked = self.numa.demand[task].tolist()
        able = [n for n, each in enumerate(left) if all(a >= b for a, b in zip(each, asked, strict=True))]
        able.sort(key=lambda n: (sum(left[n]), n))
        return able[: self.numa.parts[task]] if len(able) >= self.numa.parts[task] else None

    def move(self, task, host):
        self.holds[task] = [(host, node) for node in self.arrival(task, host)]


@pytest.mark.parametrize("seed", range(8))
def test_moves_and_their_nodes_are_those_of_a_plain_reference(seed):
    problem, draw, moves = random_problem(seed), np.random.default_rng(seed), []
    plain, state = PlainNodes(problem), ValidMoves(problem, np.ones(problem.tasks), problem.capacity)
    for _ in range(30):
        task, host = int(draw.integers(problem.tasks)), int(draw.integers(problem.hosts))
        source = int(state.host[task])
        if source == host:
            continue
        able = not state.placement.why_not(task, host)
        assert able == (plain.arrival(task, host) is not None)
        assert able == (host in state.targets(task))
        if able:
            plain.move(task, host)
            state.go(task, host)
            moves.append(ValidMove(task, source, host))
            assert np.flatnonzero(state.placement.nodes.held[task]).tolist() == sorted(n for _, n in plain.holds[task])
    nodes = arrival_nodes(problem, moves)
    replay(problem, moves, nodes)
    held = state.placement.nodes.held.copy()
    assert broken_nodes(plain.numa, state.host, held) == []
    made = len(state.moves) // 2
    rest = state.moves[made:]
    state.undo(made)
    for move in rest:
        state.go(move.task, move.target)
    assert (state.placement.nodes.held == held).all()


def reachable(problem):
    """The hosts of each task in every state that valid moves lead to, tried one by one."""
    start = ValidMoves(problem, np.ones(problem.tasks), problem.capacity)
    seen, states = set(), []

    def visit(state):
        key = (tuple(state.host.tolist()), state.placement.nodes.held.tobytes())
        if key in seen:
            return
        seen.add(key)
        states.append(state.host.copy())
        for task, host in itertools.product(range(problem.tasks), range(problem.hosts)):
            if state.host[task] != host and not state.placement.why_not(task, host):
                state.go(task, host)
                visit(state)
                state.undo(len(state.moves) - 1)

    visit(start)
    return states


@pytest.mark.parametrize("seed", range(4))
def test_no_plan_is_better_than_all_that_moves_can_reach_and_none_is_below_its_bound(seed):
    problem = random_problem(seed, tasks=4, hosts=2)
    running = problem.now >= 0
    states = reachable(problem)
    fewest = min(len(set(host[running].tolist())) for host in states if (host[~running] < 0).all())
    made = plan("consolidate", problem)
    assert made.bound.value <= fewest <= made.after["hosts_in_use"]
    drained = plan("drain", problem, hosts=[0])
    if not drained.left:
        assert any((host[running] != 0).all() for host in states)


@pytest.mark.parametrize("goal", ["place", "drain", "consolidate", "balance"])
@pytest.mark.parametrize("seed", range(4))
def test_a_larger_budget_reaches_no_less_on_nodes(goal, seed):
    problem = random_problem(seed, tasks=10)
    plans = [plan(goal, problem, budget, [0]) for budget in (0, 1, 2, 4, np.inf)]
    reach = {
        "place": lambda made: -made.after["waiting"],
        "drain": lambda made: -made.after["to_drain"],
        "consolidate": lambda made: -made.after["hosts_in_use"],
        "balance": lambda made: -made.after["highest_load"],
    }[goal]
    assert [reach(made) for made in plans] == sorted(reach(made) for made in plans)
    for made in plans:
        assert broken_nodes(problem.constraints[-1].numa, made.host, made.held) == []


def test_by_hand_a_task_makes_way_so_that_both_nodes_have_room():
    """Nodes have 10 cores; 2 needs 7 on each of two. On host 1, task 3 leaves 4 of node 0, or makes way for it."""
    nodes = [(0,), (1,), None, (0,)]
    stuck = plan("place", problem_of([6, 6, 14, 6], [1, 1, 2, 1], [0, 0, -1, 1], nodes))
    assert stuck.moves == ()
    assert stuck.left[0].reasons[1].reason == (
        "2 requests 7 of cores on each of 2 NUMA nodes; the nodes of host 1 have 4, 10 free"
    )
    made = plan("place", problem_of([6, 6, 14, 4], [1, 1, 2, 1], [0, 0, -1, 1], nodes))
    assert made.moves == (ValidMove(3, 1, 0), ValidMove(2, -1, 1))
    assert made.nodes == ((0,), (0, 1))


def test_by_hand_two_small_tasks_leave_one_node_for_a_large_one():
    """A task of 9 cores waits; each node of host 0 holds two tasks of 4, and host 1 has 4 free on each node."""
    problem = problem_of(
        [4, 4, 4, 4, 6, 6, 9], [1] * 7, [0, 0, 0, 0, 1, 1, -1], [(0,), (0,), (1,), (1,), (0,), (1,), None]
    )
    made = plan("place", problem)
    assert made.moves == (ValidMove(0, 0, 1), ValidMove(1, 0, 1), ValidMove(6, -1, 0))
    assert made.nodes == ((0,), (1,), (0,))


def test_a_node_that_is_too_full_is_mended():
    problem = problem_of([6, 6], [1, 1], [0, 0], [(0,), (0,)])
    before = CountedPlacement(problem).why_not(0, 0)
    assert before == ("NUMA node 0 of host 0 holds 12 of cores and has 10",)
    made = plan("fix", problem)
    assert (made.before["broken"], made.after["broken"], made.left) == (2.0, 0.0, ())
    assert len(made.moves) == 1


def test_a_sum_is_made_smaller_as_far_as_nodes_have_room():
    """Three tasks of 6 cores on three hosts: one host of 20 has the room, but two nodes of 10 hold only two of them."""
    problem = problem_of([6, 6, 6], [1, 1, 1], [0, 1, 2], [(0,), (0,), (0,)], hosts=3)
    total = WeightedSum(summed("hosts", ()), problem, problem.capacity, None)
    made = plan_cheaper_moves(total, np.ones(3), np.inf, slices=3)
    assert (made.after, made.bound) == (2.0, 1.0)
    nodes = arrival_nodes(problem, made.moves)
    assert nodes == ((1,),)


@pytest.mark.parametrize(
    ("nodes", "fault"),
    [
        ([(0,)], "NUMA node 0 has no room"),
        ([(0, 1)], r"NUMA nodes \(0, 1\) are not 1 of 2"),
        ([(2,)], r"NUMA nodes \(2,\) are not 1 of 2"),
    ],
)
def test_the_checker_replays_nodes(nodes, fault):
    problem = problem_of([6, 6], [1, 1], [0, 1], [(0,), (0,)])
    replay(problem, [ValidMove(1, 1, 0)], [(1,)])
    with pytest.raises(AssertionError, match=fault):
        replay(problem, [ValidMove(1, 1, 0)], nodes)
