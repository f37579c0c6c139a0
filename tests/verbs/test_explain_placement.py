"""`explain` of a task of a placement: where it is, where else it could be, and what is refused."""

import numpy as np
import pytest

import loadmaster as lm


@pytest.fixture
def packed(tmp_path):
    (tmp_path / "tasks.csv").write_text("name,cores,memory\na,3,2GiB\nb,2,4GiB\nc,1,1GiB\nd,4,1GiB\n")
    return lm.pack(tmp_path / "tasks.csv", hosts="3x4c8g", out=tmp_path / "out")


def test_it_says_what_the_best_other_host_would_change(packed, tmp_path):
    told = lm.explain(packed, "b")
    assert told.sentences == [
        "Task b, which requests 2 cores and 4 GiB, is on host 2.",
        "As the other tasks are placed, 2 of 2 other hosts could hold it.",
        "On host 0, the best of them, the minimum yield of the placement would change from 1.0000 to 0.6667.",
    ]
    assert told.rows == lm.explain(tmp_path / "out", "b").rows
    assert told.frame["level"].to_list() == pytest.approx([1.0, 2 / 3, 2 / 3])
    assert "why not" in told.report(tmp_path / "why.html").read_text()
    assert len(lm.explain(packed, "b", top=1).rows) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"job": "bb"}, "no such task; did you mean b"),
        ({"trust": True}, "it works only with records of runs"),
        ({"beside": "other"}, "it works only with records of runs"),
    ],
)
def test_what_does_not_go_with_a_placement_is_refused(packed, change, says):
    with pytest.raises(lm.InputError, match=says):
        lm.explain(packed, **({"job": "b"} | change))


def test_the_result_of_another_verb_is_refused(tmp_path):
    lm.convert(lm.generate.netbatch(jobs=20, hosts=2, seed=1).workload, tmp_path / "log.swf")
    lm.info(tmp_path / "log.swf", out=tmp_path / "info")
    with pytest.raises(lm.InputError, match="a result of info, which has no reasons to show"):
        lm.explain(tmp_path / "info", "1")


def test_a_task_of_a_refused_job_is_refused(tmp_path):
    (tmp_path / "tasks.csv").write_text("name,cores,memory\na,4,2GiB\nb,4,2GiB\nc,4,2GiB\n")
    let = lm.pack(tmp_path / "tasks.csv", hosts="1x4c8g", admit=1.0)
    refused = next(row["task"] for row in let.rows if row["refused"])
    with pytest.raises(lm.InputError, match="its job was refused"):
        lm.explain(let, refused)


def test_reasons_on_numa_nodes_are_those_of_the_nodes(tmp_path):
    """Two hosts of 20 cores in two nodes: a and b fill 6 of each node of one, d 4 of one node of the other."""
    rows = ["name,cores,memory,numa_nodes", "a,6,1GiB,1", "b,6,1GiB,1", "c,14,1GiB,2", "d,4,1GiB,1", "e,12,1GiB,2"]
    (tmp_path / "numa.csv").write_text("\n".join(rows))
    made = lm.pack(tmp_path / "numa.csv", hosts="2x20c64g", numa_nodes=2, time_limit=1, out=tmp_path / "packed")
    nodes = {row["task"]: (row["host"], row["on_numa_nodes"]) for row in made.rows}
    told = lm.explain(tmp_path / "packed", "c")
    assert told.figures["placement"]["host"] == nodes["c"][0]
    assert "It takes NUMA nodes 0 and 1 there." in told.figures["placement"]["sentences"]
    other = next(row for row in told.rows if row["host"] != nodes["c"][0])
    there = [name for name, (host, _) in nodes.items() if host == other["host"]]
    cores = dict(zip("abcde", (6, 6, 14, 4, 12), strict=True))
    free = [10 - sum(cores[name] / len(nodes[name][1]) for name in there if node in nodes[name][1]) for node in (0, 1)]
    assert bool(other["why_not"]) == (min(free) < 7)
    assert any("on each of 2 NUMA nodes" in why for why in other["why_not"])


@pytest.mark.parametrize("seed", range(12))
def test_hosts_are_open_to_a_task_where_enough_nodes_have_room(tmp_path, seed):
    rng = np.random.default_rng(seed)
    cores, parts = rng.integers(1, 9, 14), rng.integers(1, 4, 14)
    rows = [f"t{k},{cores[k] * parts[k]},{parts[k]}" for k in range(14)]
    (tmp_path / "numa.csv").write_text("\n".join(["name,cores,numa_nodes", *rows]))
    made = lm.pack(tmp_path / "numa.csv", hosts="5x30c", numa_nodes=3, time_limit=0.2)
    use = np.zeros((5, 3))
    taken = {row["task"]: (int(row["host"]), row["on_numa_nodes"]) for row in made.rows if row["host"] is not None}
    for name, (host, nodes) in taken.items():
        use[host, nodes] += cores[int(name[1:])]
    for k in range(14):
        beside = use.copy()
        if f"t{k}" in taken:
            beside[taken[f"t{k}"]] -= cores[k]
        told = lm.explain(made, f"t{k}", top=5)
        able = (10 - beside >= cores[k]).sum(axis=1) >= parts[k]
        assert {int(row["host"]) for row in told.rows if not row["why_not"]} == set(np.flatnonzero(able).tolist())
