"""`loadmaster pack` and `rebalance` as a user meets them, on tables and on real files."""

import json
import re
import tarfile

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model.errors import InputError
from loadmaster.packing import pack
from loadmaster.packing.check import violations
from loadmaster.packing.fewer_tasks import without
from loadmaster.packing.read import read_tasks
from loadmaster.packing.solve import pack_what_fits

TABLE = "name,cpu,memory,job,weight\na,4,8GiB,x,1\nb,4,8GiB,x,1\nc,6,4GiB,y,2\n"


@pytest.fixture
def tasks(tmp_path):
    path = tmp_path / "tasks.csv"
    path.write_text(TABLE)
    return path


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def test_pack_prints_one_json_document_and_writes_files(tasks, tmp_path):
    result = run("pack", tasks, "--hosts", "2x8c16g", "--exact", "--json", "-o", tmp_path / "out")
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert facts["proven"]
    assert facts["jobs"] == 2
    assert facts["level"] == 1.0
    placement = pl.read_parquet(tmp_path / "out" / "placement.parquet")
    assert placement["task"].to_list() == ["a", "b", "c"]
    assert (tmp_path / "out" / "hosts.png").stat().st_size > 5000


def test_pack_says_that_not_all_tasks_are_placed_with_exit_code_1(tasks):
    result = run("pack", tasks, "--hosts", "1x8c16g")
    assert result.exit_code == 1
    assert "not all tasks are placed" in result.stdout
    assert json.loads(run("pack", tasks, "--hosts", "1x8c16g", "--json").stdout)["min_yield"] is None


def test_pack_refuses_jobs_to_keep_a_yield(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("cores,memory,tasks\n4,1,5\n3,1,\n")
    facts = json.loads(run("pack", path, "--hosts", "1x8c1g", "--admit", "0.9", "--json").stdout)
    assert facts["refused"] == ["0"]
    assert facts["min_yield"] == 1.0


def test_refused_jobs_are_named_in_text_json_and_the_placement_file(tasks, tmp_path):
    tasks.write_text(TABLE + "d,9,40GiB,z,2\n")
    words = ("pack", tasks, "--hosts", "2x8c16g", "--admit", "0.9")
    assert re.search(r"refused jobs .*1: z", run(*words).stdout)
    facts = json.loads(run(*words, "--json", "-o", tmp_path / "out").stdout)
    assert facts["refused"] == ["z"]
    assert [(row["task"], row["job"], row["refused"], row["host"] is None) for row in facts["rows"]] == [
        ("a", "x", False, False),
        ("b", "x", False, False),
        ("c", "y", False, False),
        ("d", "z", True, True),
    ]
    placement = pl.read_csv(tmp_path / "out" / "placement.csv")
    assert placement["job"].to_list() == ["x", "x", "y", "z"]
    assert placement["host"].is_null().to_list() == placement["refused"].to_list() == [False, False, False, True]


def test_a_job_that_the_table_does_not_name_bears_the_name_of_its_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("name,cpu,memory,job,tasks\na,1,1GiB,,2\nb,1,1GiB,own,1\n")
    instance = read_tasks(path, "1x8c16g").instance
    assert (instance.task_names, instance.job_names) == (("a.0", "a.1", "b"), ("a", "own"))


def test_no_job_let_in_is_infeasible_and_says_so(tasks):
    result = run("pack", tasks, "--hosts", "1x1c1g", "--admit", "0.9")
    assert result.exit_code == 1
    assert "no job a yield of 0.9" in result.stdout
    assert "--admit" not in result.stdout


def test_an_infeasible_packing_says_what_fits_nowhere_how_much_fits_and_what_helps(tasks):
    tasks.write_text(TABLE + "d,1,40GiB,z,2\n")
    result = run("pack", tasks, "--hosts", "2x8c16g")
    assert result.exit_code == 1
    for words in (
        r"fit on no host .*1: d",
        r"placed .*3 of 4 tasks placed, the most possible",
        r"what helps .*--admit",
    ):
        assert re.search(words, result.stdout)
    facts = json.loads(run("pack", tasks, "--hosts", "2x8c16g", "--json").stdout)
    assert (facts["fits_nowhere"], facts["placed_tasks"]) == (["d"], 3)
    assert facts["left_over"] == [{"task": "d", "demand": {"cores": 1.0, "memory": 40 * 2.0**30}}]
    assert facts["place_bound"] == 3


def test_a_weighted_packing_shows_the_bound_on_the_minimum_and_that_on_the_level(tasks):
    table = run("pack", tasks, "--hosts", "1x8c32g").stdout
    shown = dict(re.findall(r"^([a-z /]+?) {2,}([\d.]+)", table, re.MULTILINE))
    assert (shown["minimum yield"], shown["bound on the minimum"]) == ("0.4000", "0.5714")  # 8 cores for 14 asked
    assert (shown["least yield / weight"], shown["bound on that"]) == ("0.8000", "0.8000")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cpu,memory\n1,x\n", "t.csv:2"),
        ("a,b\n1,2\n", "not a column of a table of tasks"),
        ("cpu\n-1\n", "zero or more"),
        ("cpu\n", "no task"),
        ("cpu,cores\n1,1\n", "more than one column of cores"),
        ("cpu,tasks\n1,2.5\n", "whole number"),
        ("cpu,tasks\n1,1e300\n", "whole number"),
        ("cpu_milli,name\n1,a\n", "pod list"),
    ],
)
def test_a_bad_table_is_told_in_one_line(tmp_path, text, says):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=says):
        read_tasks(path, "1x8c16g")


def test_rebalance_lists_moves_within_the_budget(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cpu,memory,host\na,6,3GiB,0\nb,6,2GiB,0\nc,3,4GiB,1\n")
    facts = json.loads(run("rebalance", path, "--hosts", "2x10c10g", "--budget", "2GiB", "--json").stdout)
    assert facts["level"] == 1.0
    assert [(m["task"], m["from"], m["to"]) for m in facts["moves"]] == [("b", "0", "1")]
    table = run("rebalance", path, "--hosts", "2x10c10g", "--budget", "1GiB")
    assert "Nothing to move that the budget allows" in table.stdout
    assert run("rebalance", path, "--hosts", "2x10c10g", "--moves", "1").exit_code == 0


def test_tasks_that_cannot_change_places_are_named_with_their_hosts_and_the_exit_code_is_1(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cpu,memory,host\na,9,5GiB,0\nb,2,5GiB,1\nc,9,5GiB,0\nd,2,5GiB,1\n")
    result = run("rebalance", path, "--hosts", "2x10c10g", "--json", "-o", tmp_path / "out")
    assert result.exit_code == 1
    facts = json.loads(result.stdout)
    assert (facts["status"], facts["moves"], facts["better"]["level"]) == ("stuck", [], pytest.approx(10 / 11))
    assert {row["from"] + row["to"]: row["lacks"] for row in facts["stuck"]} == {
        "01": {"memory": 5 * 2**30},
        "10": {"memory": 5 * 2**30},
    }
    assert "stop them" in facts["missing"][0]
    assert not (tmp_path / "out" / "moves.csv").exists()
    text = run("rebalance", path, "--hosts", "2x10c10g").stdout
    assert "no order of moves within the budget raises it" in text
    assert "5 GiB of memory" in text


def test_a_state_without_a_placement_within_the_budget_says_what_is_missing(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cpu,memory,host\na,1,6GiB,0\nb,1,6GiB,0\n")
    result = run("rebalance", path, "--hosts", "2x10c10g", "--moves", "0", "--json")
    facts = json.loads(result.stdout)
    assert (result.exit_code, facts["status"], facts["missing"]) == (
        1,
        "infeasible",
        ["There is one for a larger budget."],
    )
    path.write_text("name,cpu,memory,host\na,1,6GiB,0\nb,1,60GiB,0\n")
    text = run("rebalance", path, "--hosts", "2x10c10g").stdout
    assert "Task b requests more than any host has" in text


def test_what_temporary_places_cost_beyond_the_budget_is_said(tmp_path):
    path = tmp_path / "state.csv"
    path.write_text("name,cpu,memory,host\na,9,1GiB,0\nb,2,1GiB,1\nc,9,1GiB,0\nd,2,1GiB,1\ne,0,1GiB,2\n")
    hosts = tmp_path / "hosts.csv"
    hosts.write_text("name,cores,memory\n0,10,2GiB\n1,10,2GiB\n2,0.1,2GiB\n")
    for budget, code in (("2GiB", 1), ("3GiB", 0)):
        result = run("rebalance", path, "--hosts", hosts, "--budget", budget, "--json")
        facts = json.loads(result.stdout)
        assert (result.exit_code, facts["status"]) == (code, "stuck" if code else "ok")
        assert facts["spent"] == (0 if code else 3 * 2**30)
    text = run("rebalance", path, "--hosts", hosts, "--moves", "2").stdout
    assert "the budget lacks 1 move" in text


def test_optaplanner_instances_are_packed_and_checked(real_logs, tmp_path):
    with tarfile.open(real_logs / "optaplanner-cloudbalancing.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    for name, method in (("4computers-12processes", "exact"), ("200computers-600processes", "mcb8")):
        instance = read_tasks(next(tmp_path.rglob(f"{name}.json"))).instance
        packing = pack(instance, method)
        assert packing.placed
        assert violations(instance, packing) == []
        assert packing.proven


def test_alibaba_pods_are_packed_and_checked(real_logs):
    pods, nodes = real_logs / "openb_pod_list_default.csv.gz", real_logs / "openb_node_list_all_node.csv.gz"
    instance = read_tasks(pods, str(nodes)).instance
    assert (instance.tasks, instance.hosts) == (8152, 1523)
    packing = pack_what_fits(instance, "mcb8")
    assert len(packing.left_over) < 100
    assert violations(instance, packing) == []


def test_alibaba_pods_get_single_gpus_of_their_hosts(real_logs):
    pods, nodes = real_logs / "openb_pod_list_default.csv.gz", real_logs / "openb_node_list_all_node.csv.gz"
    instance = read_tasks(pods, str(nodes)).instance
    packing = pack(instance, "fgd")
    assert len(packing.left_over) < 400
    assert violations(instance, packing) == []
    some = without(instance, np.arange(instance.jobs) >= 7000)
    packing = pack(some, "fgd")
    assert packing.placed
    assert violations(some, packing) == []


@pytest.mark.parametrize("kind", ["virtual-clusters", "virtual-jobs"])
def test_generated_tasks_can_be_packed_as_they_are(kind, tmp_path):
    path = tmp_path / "tasks.csv"
    facts = json.loads(run("generate", kind, "-o", path, "--hosts", 8, "--tasks", 40, "--slack", 0.5, "--json").stdout)
    assert facts["synthetic"]
    assert (facts["jobs"] < 40) == (kind == "virtual-jobs")
    packed = json.loads(run("pack", path, "--hosts", facts["hosts"], "--json").stdout)
    assert packed["status"] == "ok"
    assert packed["jobs"] == facts["jobs"]


def test_the_slip_of_the_later_generator_is_drawn_when_asked_for(tmp_path):
    jobs = []
    for option in ([], ["--lublin-bug"]):
        path = tmp_path / f"tasks{len(option)}.csv"
        jobs.append(
            json.loads(run("generate", "virtual-jobs", "-o", path, "--tasks", 4000, "--json", *option).stdout)["jobs"]
        )
    assert jobs[1] > 1.1 * jobs[0]


@pytest.fixture
def few_tasks(tmp_path):
    path = tmp_path / "few.csv"
    assert run("generate", "virtual-clusters", "--hosts", 4, "--tasks", 16, "-o", path).exit_code == 0
    return path


def written(tmp_path, body):
    (tmp_path / "mine.py").write_text(f"def mine(demand, free, capacity):\n    {body}\n")
    return f"{tmp_path}/mine.py:mine"


def test_a_policy_of_ones_own_packs_as_the_built_in_that_it_equals(few_tasks, tmp_path):
    mine = written(tmp_path, "return free[1] - demand[1]")
    one, other = (
        json.loads(run("pack", few_tasks, "--hosts", "4x1c1g", "--json", "--method", name).stdout)
        for name in (mine, "best-fit-memory")
    )
    assert one["solver"] == mine
    assert (one["rows"], one["min_yield"]) == (other["rows"], other["min_yield"])


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return free[7]", "reads a resource that the hosts do not have"),
        ("demand[0] = 0; return 0.0", "a policy must not change its arguments"),
        ("return (free[1] - free[1]) / 0.0 * free[0]", "ZeroDivisionError|finite number"),
    ],
)
def test_a_policy_that_fails_is_told_in_one_line(few_tasks, tmp_path, body, says):
    result = run("pack", few_tasks, "--hosts", "4x1c1g", "--method", written(tmp_path, body))
    assert isinstance(result.exception, InputError)
    assert re.search(says, str(result.exception))
    assert "\n" not in str(result.exception)


VMS = "name,cores,memory,tasks\nsmall,2,4GiB,40\nwide,12,24GiB,9\nfat,4,48GiB,8\n"


@pytest.fixture
def vms(tmp_path):
    path = tmp_path / "vms.csv"
    path.write_text(VMS)
    return path


def test_hosts_are_minimised_where_every_demand_is_rigid(vms, tmp_path):
    words = ("pack", vms, "--hosts", "30x16c64g", "--fluid", "none", "--exact")
    text = run(*words).stdout
    assert re.search(r"result +optimal\b", text)
    assert re.search(r"hosts used +17\b", text)
    facts = json.loads(run(*words, "--json", "-o", tmp_path / "out").stdout)
    assert (facts["minimise"], facts["cost"], facts["cost_bound"], facts["proven"]) == ("hosts", 17, 17, True)
    assert len({row["host"] for row in facts["rows"]}) == 17
    assert "bound" in (tmp_path / "out" / "report.html").read_text()


def test_a_placement_that_is_not_proven_is_never_called_optimal(vms):
    text = run("pack", vms, "--hosts", "30x16c64g", "--fluid", "none").stdout
    assert re.search(r"result +best found, at most 21\.43 % from optimal", text)
    facts = json.loads(run("pack", vms, "--hosts", "30x16c64g", "--fluid", "none", "--json").stdout)
    assert (facts["cost"], facts["cost_bound"], facts["proven"]) == (17, 14, False)


def test_the_cheapest_hosts_are_chosen_by_their_prices(vms):
    priced = ("pack", vms, "--hosts", "20x16c64g@0.8,10x32c128g@1.5", "--fluid", "none", "--exact")
    facts = json.loads(run(*priced, "--minimise", "cost", "--json").stdout)
    assert facts["proven"]
    assert facts["cost"] == pytest.approx(facts["cost_bound"])
    fewest = json.loads(run(*priced, "--json").stdout)
    assert fewest["hosts_used"] <= facts["hosts_used"]
    spread = json.loads(run("pack", vms, "--hosts", "30x16c64g", "--exact", "--minimise", "level", "--json").stdout)
    assert spread["minimise"] == "level"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--hosts", "30x16c64g", "--minimise", "cost"), "the hosts have no prices"),
        (("--hosts", "30x16c64g", "--minimise", "hosts", "--admit", "0.5"), "two goals at once"),
        (("--hosts", "30x16c64g", "--fluid", "licences"), "known: cores, memory, or none"),
    ],
)
def test_what_cannot_be_minimised_is_refused_in_one_line(vms, words, says):
    with pytest.raises(InputError, match=says):
        raise run("pack", vms, *words).exception


def test_ctrl_c_shows_the_best_placement_and_ends_with_130(tasks, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("loadmaster.packing.exact._branch", stopped)
    tasks.write_text("cores,memory_gb\n9,1\n2,6\n7,2\n3,5\n5,3\n")
    result = run("pack", tasks, "--hosts", "2x10c10g", "--exact")
    assert result.exit_code == 130
    assert re.search(r"result +best found, at most .* from optimal", result.stdout)
    assert "Ctrl-C" in result.stderr
