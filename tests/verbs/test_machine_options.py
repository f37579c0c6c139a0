"""Several `--hosts`: the same from Python and on the command line, named, priced, refused where they say nothing."""

import json
import sys

import pytest

import loadmaster as lm
from loadmaster.cli import main


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("submit_s,runtime_s,cores\n" + "".join(f"{10 * i},400,1\n" for i in range(60)))
    return path


def test_machines_are_rows_with_costs_from_python_and_on_the_command_line_alike(log, tmp_path, capsys, monkeypatch):
    command = f"compare {log} --hosts 2x4c@1 --hosts 4x8c@2.5 --policies first-fit,mix-fit --currency EUR --json"
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split(), "-o", str(tmp_path / "r")])
    with pytest.raises(SystemExit):
        main()
    made = json.loads(capsys.readouterr().out)
    frame = lm.compare(log, hosts=["2x4c@1", "4x8c@2.5"], policies="first-fit,mix-fit", currency="EUR").frame
    for column in ("hosts", "policy", "mean_wait_s", "cost_per_hour", "cost", "currency", "hosts_load"):
        assert [row[column] for row in made["rows"]] == frame[column].to_list()
    assert [row["hosts"] for row in made["rows"]] == ["2x4c@1"] * 2 + ["4x8c@2.5"] * 2
    assert [row["cost_per_hour"] for row in made["rows"]] == [2.0, 2.0, 10.0, 10.0]
    assert "4x8c@2.5" in made["answer"]
    assert "2.00 EUR an hour" in made["answer"]
    page = (tmp_path / "r" / "report.html").read_text()
    assert "What the machines do" in page
    assert "EUR an hour" in page


def test_sets_are_named_by_their_text_by_files_by_what_objects_hold_or_by_a_name_of_ones_own(log, tmp_path):
    (tmp_path / "big.csv").write_text("count,cores\n2,16\n")
    given = ["2x4c", str(tmp_path / "big.csv"), lm.hosts("1x32c,2x8c")]
    assert lm.compare(log, given, policies="first-fit").frame["hosts"].to_list() == ["2x4c", "big.csv", "2x8c,1x32c"]
    mine = lm.compare(log, {"now": "2x4c", "next year": "3x4c"}, policies="first-fit").frame
    assert mine["hosts"].to_list() == ["now", "next year"]


def test_samples_judge_rules_on_machines(log):
    found = lm.compare(log, ["2x4c", "3x4c"], policies="first-fit", samples=5).frame
    assert found["difference"][0] == 0.0
    assert found["difference"][1] < 0
    assert found["samples"].to_list() == [5, 5]


def test_what_says_nothing_is_refused_in_one_line(log):
    with pytest.raises(lm.InputError, match="given twice"):
        lm.compare(log, ["2x4c", "2x4c"], policies="first-fit")
    with pytest.raises(lm.InputError, match=r"--currency.*no price of a machine is known"):
        lm.compare(log, ["2x4c", "3x4c"], policies="first-fit", currency="EUR")


def test_every_set_has_its_own_bound_and_its_runs_are_set_beside_that(log):
    sets = ["2x4c", "3x4c"]
    both = lm.compare(log, sets, policies="first-fit", bound="1s", loads=[0.9, 1.2])
    apart = {hosts: lm.compare(log, hosts, policies="first-fit", bound="1s", beta=[1.0]) for hosts in sets}
    assert [(each.hosts, each.jobs) for each in both.comparison.possible] == [(hosts, 60) for hosts in sets] * 2
    for each in both.comparison.possible:
        (run,) = [o for o in both.comparison.outcomes if (o.setting.hosts, o.load) == (each.hosts, each.load)]
        assert each.bound_s <= each.found["mean_wait_s"] <= run.metrics.mean_wait_s
    alike = lm.compare(log, sets, policies="first-fit", bound="1s", beta=[1.0]).comparison.possible
    alone = [apart[hosts].comparison.possible[0] for hosts in sets]
    assert [each.found["mean_wait_s"] for each in alike] == [each.found["mean_wait_s"] for each in alone]
    assert alike[0].found["mean_wait_s"] > alike[1].found["mean_wait_s"]


def test_one_set_with_prices_has_costs_and_needs_no_name(log):
    found = lm.compare(log, "2x4c@1.5", policies="first-fit")
    assert found.frame["cost_per_hour"].to_list() == [3.0]
    assert "hosts" not in found.frame.columns


def test_features_that_bind_nobody_are_told_and_of_several_sets_where(tmp_path):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores,features\n0,9,1,\n1,9,1,ssd\n2,9,1,ssd\n")
    (tmp_path / "named.csv").write_text("cores,features\n4,ssd\n4,\n")
    named, log = tmp_path / "named.csv", tmp_path / "log.csv"

    def told(hosts):
        return [note for note in lm.compare(log, hosts, policies="first-fit").notes if "features" in note]

    (alone,) = told("2x4c")
    assert alone.startswith("2 jobs request features of hosts, and the hosts given have none")
    (both,) = told([named, "2x4c", "3x4c"])
    assert "hosts of 2x4c, 3x4c have none" in both
    assert told(named) == []
