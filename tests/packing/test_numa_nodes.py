"""NUMA nodes: small tasks on one node, large ones in equal parts on two, beside all placements and by hand."""

import itertools
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import loadmaster
from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.packing import Instance
from loadmaster.packing.check import violations
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.numa_nodes import NumaNodes, broken_nodes
from loadmaster.packing.numa_placement import best_fit, fewest_hosts, largest_first, pack_on_numa_nodes


def instance_at_random(seed):
    """5 tasks of 1 or 2 nodes on 4 hosts of two nodes with 8 cores and 8 GiB each."""
    rng = np.random.default_rng(seed)
    parts = rng.integers(1, 3, 5)
    instance = Instance(
        np.zeros((5, 0)),
        np.column_stack((rng.integers(1, 8, 5) * parts, rng.integers(1, 6, 5) * parts)).astype(float),
        np.zeros((4, 0)),
        np.full((4, 2), 16.0),
        fluid_names=(),
        rigid_names=("cores", "memory"),
    )
    return instance, NumaNodes.of(instance, parts, 2)


def fewest_by_trying_all(numa):
    """The fewest hosts of any placement, tried one by one."""
    choices = [[(0,), (1,)] if parts == 1 else [(0, 1)] for parts in numa.parts.tolist()]
    best = np.inf
    for hosts in itertools.product(range(4), repeat=len(numa.parts)):
        if len(set(hosts)) >= best:
            continue
        for nodes in itertools.product(*choices):
            taken = np.array([[n in row for n in range(2)] for row in nodes])
            if not broken_nodes(numa, np.array(hosts), taken):
                best = len(set(hosts))
                break
    return best


@pytest.mark.parametrize("seed", range(6))
def test_no_placement_uses_fewer_hosts_than_the_bound_and_the_search_is_near(seed):
    instance, numa = instance_at_random(seed)
    best = fewest_by_trying_all(numa)
    packing = pack_on_numa_nodes(instance, numa, tries=200)
    assert fewest_hosts(instance, numa) <= best
    assert packing.cost == best
    assert violations(instance, packing) == []
    assert broken_nodes(numa, packing.host, packing.numa) == []


def test_by_hand_two_hosts_are_needed_though_one_has_the_room():
    """Three tasks of 6 cores are 18 of a host's 20, but a node of 10 holds one of them: two hosts."""
    three = Instance.of(hosts=3, cpu=[0.3, 0.3, 0.3], memory=[0.1, 0.1, 0.1])
    numa = NumaNodes.of(three, [1, 1, 1], 2)
    packing = pack_on_numa_nodes(three, numa)
    assert sorted(packing.host.tolist()) == [0, 0, 1]
    assert (packing.cost, packing.cost_bound, packing.proven) == (2.0, 2.0, True)
    assert packing.numa.sum(axis=1).tolist() == [1, 1, 1]


def test_by_hand_a_large_task_is_split_evenly():
    """A task of .8 takes .4 of both nodes of .5; a task of .2 fits beside it on no node."""
    two = Instance.of(hosts=2, cpu=[0.8, 0.2], memory=[0.1, 0.1])
    packing = pack_on_numa_nodes(two, NumaNodes.of(two, [2, 1], 2), tries=200)
    assert packing.host.tolist() == [0, 1]
    assert packing.numa.tolist() == [[True, True], [True, False]]
    assert packing.min_yield == 1.0


def test_why_a_task_may_not_be_on_a_host():
    two = Instance.of(hosts=1, cpu=[0.8, 0.2], memory=[0.1, 0.1])
    numa = NumaNodes.of(two, [2, 1], 2)
    free = numa.all_free()
    free[0] -= numa.demand[0]
    assert numa.why_not(free, 1, 0) == (
        "task 1 requests 0.2 of cpu on one NUMA node; the nodes of host 0 have 0.1, 0.1 free"
    )


@pytest.mark.parametrize(
    ("host", "taken", "broken"),
    [
        ([0, 0], [[1, 1], [1, 0]], "node 0 of host 0 is too full of cpu"),
        ([0, 1], [[1, 0], [1, 0]], "task 0 takes 1 nodes, not 2"),
        ([0, -1], [[1, 1], [1, 0]], "task 1 takes 1 nodes, not 0"),
    ],
)
def test_the_checker_names_what_is_broken(host, taken, broken):
    two = Instance.of(hosts=2, cpu=[0.8, 0.2], memory=[0.1, 0.1])
    numa = NumaNodes.of(two, [2, 1], 2)
    assert broken in broken_nodes(numa, np.array(host), np.array(taken, bool))


@pytest.fixture
def vms(tmp_path):
    path = tmp_path / "vms.csv"
    path.write_text("name,cores,memory,numa_nodes\na,12,8GiB,1\nb,12,8GiB,1\nc,12,8GiB,1\nbig,32,64GiB,2\n")
    return path


def test_pack_names_the_nodes(vms):
    given = ["pack", str(vms), "--hosts", "4x40c128g", "--numa-nodes", "2", "--json"]
    facts = json.loads(CliRunner().invoke(app, given).stdout)
    assert (facts["minimise"], facts["cost"], facts["proven"]) == ("hosts", 3.0, True)
    rows = {row["task"]: row["on_numa_nodes"] for row in facts["rows"]}
    assert rows["big"] == [0, 1]
    assert all(len(rows[name]) == 1 for name in "abc")


def test_pack_says_which_nodes_lack_what(vms):
    made = loadmaster.pack(vms, hosts="1x40c128g", numa_nodes=2, time_limit=0.1)
    assert not made.placed
    assert made.figures["proven"]
    assert "on one NUMA node; the nodes of host 0 have" in made.answer


def test_an_order_ends_at_the_deadline():
    two = Instance.of(hosts=1, cpu=[0.2, 0.2], memory=[0.1, 0.1])
    numa = NumaNodes.of(two, [1, 1], 2)
    order = largest_first(numa)
    assert best_fit(numa, order).host.tolist() == [0, 0]
    assert best_fit(numa, order, Deadline.after(0.0)) is None


def test_what_does_not_go_with_numa_nodes_is_refused(vms):
    with pytest.raises(InputError, match="changes nothing here"):
        loadmaster.pack(vms, hosts="4x40c128g", numa_nodes=2, exact=True)
    with pytest.raises(InputError, match="takes 1 to 1 NUMA nodes"):
        loadmaster.pack(vms, hosts="4x40c128g", numa_nodes=1)
    with pytest.raises(InputError, match="the hosts have none"):
        loadmaster.pack(vms, hosts="4x40c128g")


def test_two_kinds_of_mig_slices_on_one_host(tmp_path):
    """4 slices of 1g and one of 3g: a task takes a slice of the kind that it names, and no other."""
    (tmp_path / "tasks.csv").write_text(
        "name,cores,gpus,gpu_kind\na,1,1,3g.40gb\nb,1,2,1g.10gb\nc,1,2,1g.10gb\nd,1,1,3g.40gb\n"
    )
    (tmp_path / "hosts.csv").write_text("name,cores,memory_gb,gpus,features\nn1,32,64,5,1g.10gb:4;3g.40gb:1\n")
    made = loadmaster.pack(tmp_path / "tasks.csv", hosts=str(tmp_path / "hosts.csv"), method="best-fit-cores")
    cards = {row["task"]: row["cards"] for row in made.rows}
    three = [name for name in "ad" if cards[name]]
    assert [cards[name] for name in three] == [[4]]
    assert sorted(cards["b"] + cards["c"]) == [0, 1, 2, 3]
    (tmp_path / "hosts.csv").write_text("name,cores,memory_gb,gpus,features\nn1,32,64,6,1g.10gb:4;3g.40gb:1\n")
    with pytest.raises(InputError, match="the counts add up to 5, and the host has 6 gpus"):
        loadmaster.pack(tmp_path / "tasks.csv", hosts=str(tmp_path / "hosts.csv"))
