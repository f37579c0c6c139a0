"""--add, --remove, --set and --what-if: rows of a comparison, single runs, records."""

import json
from pathlib import Path

import pytest
from recorded_site import SITE, copy_site, document_of
from typer.testing import CliRunner

from loadmaster.cli.app import app


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a site's log and configuration."""
    monkeypatch.chdir(tmp_path)
    return copy_site(tmp_path)


@pytest.fixture
def said(here):
    """The JSON document that a command prints."""
    return document_of


CHANGES = (
    "--add",
    "4xn1@main",
    "--set",
    "PriorityWeightAge=1",
    "--what-if",
    "remove n1; set SchedulerParameters=defer",
)


def test_each_change_is_a_row_beside_the_site_and_the_record(said):
    document = said("compare", "log.sacct", *SITE, *CHANGES)
    rows = document["rows"]
    assert [(row["kind"], row.get("change")) for row in rows] == [
        ("recorded", None),
        ("site", None),
        ("site", "add 4xn1@main"),
        ("site", "set PriorityWeightAge=1"),
        ("site", "remove n1; set SchedulerParameters=defer"),
    ]
    assert rows[2]["mean_wait_s"] < rows[1]["mean_wait_s"] < rows[4]["mean_wait_s"]
    assert document["recorded"]["model_error"] == rows[1]["mean_wait_s"] / rows[0]["mean_wait_s"] - 1
    assert any(note.startswith("Changed: add 4xn1@main (NodeName=added[1-4]") for note in document["notes"])
    assert "add 4xn1@main" in document["answer"]
    alone = said("simulate", "log.sacct", *SITE, "-o", "alone")
    assert alone["mean_wait_s"] == rows[1]["mean_wait_s"]


def test_the_cost_of_added_hosts_stands_beside_the_hours_of_waiting_that_they_save(said):
    priced = ("--add", "4xn1@1.5@main", "--set", "PriorityWeightAge=1", "--currency", "EUR")
    document = said("compare", "log.sacct", *SITE, *priced, "-o", "report")
    _, before, after, other = document["rows"]
    assert (after["cost_per_hour"], after["currency"]) == (6.0, "EUR")
    assert after["cost"] == pytest.approx(6.0 * after["makespan_s"] / 3600)
    assert "cost" not in {*before, *other}
    hours = (before["mean_wait_s"] - after["mean_wait_s"]) * after["jobs"] / 3600
    page = " ".join(Path("report/report.html").read_text().split())
    assert "add 4xn1@1.5@main costs 6.00 EUR an hour more" in page
    each = after["cost"] / hours
    assert f"wait {hours:,.0f} hours less in all, so one hour of waiting less costs {each:.2f} EUR" in page
    assert "added EUR an hour" in page


def test_a_money_without_a_price_is_refused(here):
    done = CliRunner().invoke(app, ["compare", "log.sacct", *SITE, "--add", "4xn1@main", "--currency", "EUR"])
    assert "no price of a machine is known" in str(done.exception)


def test_candidates_stand_beside_changes_where_they_are_named(said):
    document = said(
        "compare", "log.sacct", *SITE, "--add", "4xn1@main", "--disciplines", "easy", "--policies", "mix-fit"
    )
    rows = [(row["discipline"], row["policy"], row.get("change")) for row in document["rows"][1:]]
    assert rows == [("site", "first-fit", None), ("site", "first-fit", "add 4xn1@main"), ("easy", "mix-fit", None)]


def test_samples_give_each_change_an_interval(said):
    document = said("compare", "log.sacct", *SITE, "--add", "4xn1@main", "--samples", "5", "--resample", "shake")
    row = document["rows"][2]
    assert row["change"] == "add 4xn1@main"
    assert row["chaos_low"] is not None


def test_a_run_takes_all_changes_together_and_its_record_repeats_it(here, said):
    row = said("simulate", "log.sacct", *SITE, "--add", "4xn1@main", "--set", "PriorityWeightAge=1", "-o", "run")
    both = said("compare", "log.sacct", *SITE, "--what-if", "add 4xn1@main; set PriorityWeightAge=1")["rows"][2]
    assert row["mean_wait_s"] == both["mean_wait_s"]
    for name in ("slurm.conf", "accounts.txt", "log.sacct"):
        (here / name).unlink()
    assert said("simulate", "--again", "run")["same"]
    assert said("explain", "run", "7")["job"]
    assert any("NodeName=added" in note for note in said("explain", "run", "7")["notes"])


def test_when_tells_when_a_job_starts_on_the_changed_site(here, said):
    (here / "queue.txt").write_text(
        "JOBID|PARTITION|NAME|USER|STATE|SUBMIT_TIME|START_TIME|TIME_LIMIT|NODES|CPUS|MIN_MEMORY\n"
        "7|small|a|ann|RUNNING|2026-11-27T09:00:00|2026-11-27T09:10:00|3:00:00|1|4|1G\n"
        "8|small|b|ben|PENDING|2026-11-27T09:20:00|N/A|1:00:00|1|4|1G\n"
    )
    (here / "small.conf").write_text(
        "NodeName=n1 CPUs=4\nPartitionName=small Nodes=n1 Default=YES\n"
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
    )
    ask = ("when", "queue.txt", "8", "--site", "small.conf")
    as_it_is, changed = said(*ask), said(*ask, "--add", "1x4c@small")
    assert "in 2.83 h" in as_it_is["answer"]
    assert "in 0 s" in changed["answer"]
    assert any("NodeName=added1 CPUs=4, in" in note for note in changed["notes"])


def test_diff_says_which_jobs_a_change_starts_sooner(said):
    said("simulate", "log.sacct", *SITE, "-o", "before")
    said("simulate", "log.sacct", *SITE, "--add", "4xn1@main", "-o", "after")
    done = CliRunner().invoke(app, ["diff", "before", "after", "--json"])
    assert done.exit_code == 1  # they differ
    document = json.loads(done.stdout)
    assert "start earlier" in document["answer"]
    assert any(row["host_second"].startswith("added") for row in document["rows"])


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("compare", "log.sacct", *SITE, "--add", "1x8c32g@main", "--add", "1x8c32g@main"), "given twice"),
        (("compare", "log.sacct", "--hosts", "4x8c", "--add", "1x8c32g@main"), "no site is given"),
        (("simulate", "log.sacct", *SITE, "--set", "PriorityWeightAgee=1"), "did you mean PriorityWeightAge?"),
    ],
)
def test_changes_that_cannot_be_made_are_refused_in_one_line(told, arguments, rule):
    assert rule in told(*arguments)
