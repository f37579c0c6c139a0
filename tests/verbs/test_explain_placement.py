"""`explain` of a task of a placement: where it is, where else it could be, and what is refused."""

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


def test_a_task_of_a_refused_job_and_one_on_numa_nodes_are_refused(tmp_path):
    (tmp_path / "tasks.csv").write_text("name,cores,memory\na,4,2GiB\nb,4,2GiB\nc,4,2GiB\n")
    let = lm.pack(tmp_path / "tasks.csv", hosts="1x4c8g", admit=1.0)
    refused = next(row["task"] for row in let.rows if row["refused"])
    with pytest.raises(lm.InputError, match="its job was refused"):
        lm.explain(let, refused)
    (tmp_path / "numa.csv").write_text("name,cores,memory,numa_nodes\na,2,2GiB,1\n")
    with pytest.raises(lm.InputError, match="where hosts have NUMA nodes"):
        lm.explain(lm.pack(tmp_path / "numa.csv", hosts="1x4c8g", numa_nodes=2), "a")
