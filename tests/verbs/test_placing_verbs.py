"""`loadmaster.pack`, `rebalance` and `policies`."""

import re

import pytest

import loadmaster as lm

TASKS = "name,cores,memory_gb,host\na,3,4,0\nb,2,4,0\nc,1,4,0\nd,2,4,1\n"


@pytest.fixture
def tasks(tmp_path):
    (tmp_path / "tasks.csv").write_text(TASKS)
    return tmp_path / "tasks.csv"


def test_a_placement_is_a_table_a_sentence_and_figures(tasks, tmp_path):
    packed = lm.pack(tasks, hosts=lm.hosts("2x4c16g"), exact=True)
    assert packed.placed
    assert packed.frame["task"].to_list() == ["a", "b", "c", "d"]
    assert packed.figures["min_yield"] == pytest.approx(1.0)
    assert packed.answer == "4 tasks on 2 hosts by branch-and-bound: minimum yield 1.0000, optimal; mean yield 1.0000."
    assert packed.plot().to_dict()
    assert "minimum yield" in packed.report(tmp_path / "x.html").read_text()
    assert {path.name for path in packed.save(tmp_path / "out").iterdir()} >= {"placement.csv", "placement.parquet"}


def test_that_there_is_no_placement_is_a_result(tasks):
    packed = lm.pack(tasks, hosts="2x4c4g")
    assert not packed.placed
    assert packed.frame["host"].null_count() == len(packed.figures["left_over"]) > 0
    assert "no placement" in repr(packed)
    assert packed.plot().to_dict()
    with pytest.raises(lm.InputError, match="no placement to draw"):
        lm.pack(tasks, hosts="2x4c1g").plot()


def test_a_time_limit_is_a_duration_in_text_or_in_seconds(tasks):
    from loadmaster.verbs.pack import PlacingOptions
    from loadmaster.verbs.rebalance import RebalanceOptions

    assert PlacingOptions(tasks, time_limit="5min").time_limit == 300.0
    assert RebalanceOptions(tasks, time_limit="1.5h").time_limit == 5400.0
    assert PlacingOptions(tasks, time_limit=7).time_limit == 7
    with pytest.raises(lm.InputError, match="not a duration; write it like 30, 30s, 5min"):
        lm.pack(tasks, hosts="2x4c16g", exact=True, time_limit="soon")


def test_moves_are_a_table_in_their_order(tasks, tmp_path):
    plan = lm.rebalance(tasks, hosts="2x4c16g", moves=1)
    assert plan.answer.startswith("One move brings the minimum yield from ")
    assert lm.rebalance(tasks, hosts="2x4c16g", moves=0).answer.startswith("Nothing moves: the minimum yield is ")
    assert plan.done
    assert plan.frame.height == 1
    assert plan.frame["cost"].to_list() == [1.0]
    assert plan.figures["level"] > plan.figures["level_before"]
    assert plan.plot().to_dict()
    assert "The moves, in order" in plan.report(tmp_path / "x.html").read_text()


VMS = "name,cores,memory_gb,numa_nodes,host,on_numa_nodes\ndb,8,8,2,0,0 1\nweb,6,4,1,1,1\nnew,2,2,1,,\n"
"""On hosts of two nodes with 8 cores and 16 GiB each."""


def test_moves_of_tasks_on_numa_nodes_name_the_nodes(tmp_path):
    (tmp_path / "vms.csv").write_text(VMS)
    start = lm.rebalance(tmp_path / "vms.csv", hosts="3x16c32g", numa_nodes=2)
    assert [(row["task"], row["to"], row["on_numa_nodes"]) for row in start.figures["moves"]] == [("new", "0", [0])]
    drained = lm.rebalance(tmp_path / "vms.csv", hosts="3x16c32g", numa_nodes=2, drain="0", moves=1)
    assert drained.frame["on_numa_nodes"].to_list() == ["0 1"]
    assert "NUMA nodes" in drained.report(tmp_path / "x.html").read_text()
    assert "It takes NUMA nodes 0 and 1 there." in lm.explain(drained, "db").notes
    assert "It keeps NUMA node 1 there." in lm.explain(drained, "web").notes


def test_nodes_that_the_table_does_not_name_are_assumed_with_a_note(tmp_path):
    (tmp_path / "vms.csv").write_text("cores,memory_gb,numa_nodes,host\n6,4,1,0\n6,4,1,0\n2,4,1,0\n")
    plan = lm.rebalance(tmp_path / "vms.csv", hosts="2x16c32g", numa_nodes=2, drain="0")
    assert any("on_numa_nodes names no nodes of 3 running tasks" in note for note in plan.notes)
    (tmp_path / "vms.csv").write_text("cores,memory_gb,numa_nodes,host\n5,4,1,0\n5,4,1,0\n5,4,1,0\n")
    with pytest.raises(lm.InputError, match="no room for a task without it: task 2 requests 5 of cores"):
        lm.rebalance(tmp_path / "vms.csv", hosts="2x16c32g", numa_nodes=2, drain="0")


@pytest.mark.parametrize(
    ("change", "options", "rule"),
    [
        ((), {"numa_nodes": None}, "the hosts have none"),
        ((), {"minimise": "level"}, "no level to raise"),
        ((), {"method": "exact"}, "changes nothing here"),
        (("0 1", "0"), {}, "task db takes 2 NUMA nodes, each once"),
        (("0 1", "0 0"), {}, "task db takes 2 NUMA nodes, each once"),
        (("0 1", "0 2"), {}, "the NUMA nodes of a host are 0 to 1"),
        (("0 1", "0|1"), {}, "a list of numbers from 0"),
        (("new,2,2,1,,", "new,2,2,1,,0"), {}, "task new has no host"),
    ],
)
def test_what_does_not_go_with_numa_nodes_is_refused_in_rebalance(tmp_path, change, options, rule):
    (tmp_path / "vms.csv").write_text(VMS.replace(*change) if change else VMS)
    with pytest.raises(lm.InputError, match=re.escape(rule)):
        lm.rebalance(tmp_path / "vms.csv", hosts="3x16c32g", **({"numa_nodes": 2} | options))


def test_two_budgets_are_one_too_many(tasks):
    with pytest.raises(lm.InputError, match="only one of them can bind"):
        lm.rebalance(tasks, hosts="2x4c16g", moves=1, budget="1GiB")


def test_the_heuristic_takes_a_time_limit(tasks):
    assert lm.rebalance(tasks, hosts="2x4c16g", method="heuristic", time_limit=3.0).time_limit_s == 3.0


def test_every_rule_that_can_be_named_is_a_row():
    rules = lm.policies()
    assert {"placement", "order", "backfilling", "packer", "mover", "sizer"} <= {*rules["kind"]}
    assert lm.policies("mcb", kind="packer").height == 8
    with pytest.raises(lm.InputError, match="no such kind of rule"):
        lm.policies(kind="placements")
