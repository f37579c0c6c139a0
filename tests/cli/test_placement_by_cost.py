"""`rebalance` on files with costs of their own, as it prints them."""

import json
import sys

import pytest

from loadmaster.cli import main

NEEDS = {"requiredCpuPower": 2, "requiredMemory": 1, "requiredNetworkBandwidth": 1}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Exit code and both streams of `rebalance` on two computers of two cores and so many processes of two cores."""
    monkeypatch.chdir(tmp_path)
    sizes = {"cpuPower": 2, "memory": 4, "networkBandwidth": 4}

    def ran(processes, *words):
        content = {
            "computerList": [{"id": k, "cost": 10 + k, **sizes} for k in range(2)],
            "processList": [{"id": k, "computer": 1, **NEEDS} for k in range(processes)],
        }
        (tmp_path / "cloud.json").write_text(json.dumps(content))
        monkeypatch.setattr(sys, "argv", ["loadmaster", "rebalance", "cloud.json", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return ran


def test_costs_before_and_after_and_the_bound_are_shown(run):
    code, out, err = run(1, "--time-limit", "5", "-o", "better")
    assert code == 0
    assert "cloud.json: cost 10 instead of 11, optimal (the bound is 10): 1 of 1 tasks move" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["total", "11", "10"] in rows
    assert ["bound", "-", "10"] in rows
    assert "better/moves.csv, report.html" in err


def test_constraints_that_the_placement_before_breaks_are_shown(run):
    code, out, _ = run(2, "--time-limit", "0.2")
    assert code == 0
    assert "before: computer 1 holds 4 of cores; its capacity is 2" in out
    assert "cost 21 instead of 11" in out
    assert "stay broken" not in out


def test_without_a_placement_the_exit_code_is_1(run):
    code, out, _ = run(3, "--time-limit", "0.2")
    assert code == 1
    assert "no placement of all tasks exists: all tasks request 6 of cores; all hosts have 4" in out


@pytest.mark.parametrize("option", ["--moves", "--budget"])
def test_a_budget_is_refused_as_the_file_has_costs_of_its_own(run, option):
    code, _, err = run(1, option, "3")
    assert code == 2
    assert "the file has costs and machines of its own" in err
