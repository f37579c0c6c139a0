"""--site and --site-accounts: what binds every run, the row of the site's own queue, and records of such runs."""

import polars as pl
import pytest
from recorded_site import SITE, copy_site, document_of


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a site's log and configuration."""
    monkeypatch.chdir(tmp_path)
    return copy_site(tmp_path)


@pytest.fixture
def said(here):
    """The JSON document that a command prints."""
    return document_of


def test_compare_shows_the_site_s_own_queue_beside_the_candidates(said):
    document = said("compare", "log.sacct", *SITE, "--policies", "first-fit,mix-fit", "--disciplines", "easy")
    rows = [(row["kind"], row["policy"], row["discipline"]) for row in document["rows"]]
    assert rows == [
        ("recorded", None, None),
        ("candidate", "first-fit", "easy"),
        ("candidate", "mix-fit", "easy"),
        ("site", "first-fit", "site"),
    ]
    assert len({row["mean_wait_s"] for row in document["rows"]}) > 2
    assert any("make only the row site" in note for note in document["notes"])


def test_on_a_real_slurm_s_log_the_model_of_its_rule_is_near_what_it_did(said):
    """EASY at every event waits for none of Slurm's timers: a gain that is larger than the model's error."""
    document = said("compare", "log.sacct", *SITE, "--policies", "first-fit,mix-fit", "--disciplines", "easy")
    recorded, *candidates, site = document["rows"]
    assert recorded["mean_wait_s"] == pytest.approx(46.4, abs=0.05)
    assert document["recorded"]["explained_by_queueing"]
    assert abs(document["recorded"]["model_error"]) < 0.05
    assert document["recorded"]["model_error"] == site["mean_wait_s"] / recorded["mean_wait_s"] - 1
    for row in candidates:
        assert row["change_on_recorded"] == row["mean_wait_s"] / recorded["mean_wait_s"] - 1
        assert row["change_on_recorded"] < -0.2
        assert row["gain_claimed"]


@pytest.mark.parametrize("changed", [("--loads", "0.8"), ("--beta", "2"), ("--limit", "40")])
def test_the_record_is_shown_only_of_the_log_as_it_is(said, changed):
    document = said("compare", "log.sacct", *SITE, "--policies", "first-fit", *changed)
    assert document["recorded"] is None
    assert "recorded" not in {row["kind"] for row in document["rows"]}


def test_machines_that_a_log_names_are_not_said_to_be_used_under_a_site(here, said):
    jobs = "".join(f"{job} {job * 5} -1 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1\n" for job in (1, 2))
    (here / "plain.swf").write_text(f"; MaxProcs: 3\n{jobs}")
    (here / "site.yaml").write_text("hosts: 2x4c\ndiscipline: easy\n")
    alone = said("simulate", "plain.swf", "-o", "alone")
    assert any("that the log names" in note for note in alone["notes"])
    fitted = said("simulate", "plain.swf", "--site", "site.yaml", "-o", "fitted")
    assert pl.read_parquet("fitted/hosts.parquet").height == 2
    assert not any("that the log names" in note for note in fitted["notes"])


def test_partitions_bind_every_run(here, said):
    said("simulate", "log.sacct", *SITE, "--policy", "first-fit", "--discipline", "easy", "-o", "run")
    jobs, hosts = pl.read_parquet("run/jobs.parquet"), pl.read_parquet("run/hosts.parquet")
    short = jobs.filter(pl.col("partition") == "short")
    assert short.height > 10
    assert set(hosts["name"].gather(short["host"].unique()).to_list()) <= {"n3", "n4"}
    everywhere = jobs.filter(pl.col("partition") == "main")
    assert set(hosts["name"].gather(everywhere["host"].unique()).to_list()) >= {"n1", "n2"}


def test_a_single_run_is_the_site_s_own_unless_another_is_named(said):
    own = said("simulate", "log.sacct", *SITE, "-o", "own")
    assert (own["kind"], own["policy"], own["discipline"]) == ("site", "first-fit", "site")
    queue = said("simulate", "log.sacct", *SITE, "--discipline", "site", "-o", "queue")
    assert (queue["kind"], queue["policy"], queue["discipline"]) == ("site", "first-fit", "site")
    easy = said("simulate", "log.sacct", *SITE, "--discipline", "easy", "-o", "easy")
    assert (easy["kind"], easy["policy"], easy["discipline"]) == ("candidate", "mix-fit", "easy")
    other = said("simulate", "log.sacct", *SITE, "--policy", "mix-fit", "-o", "other")
    assert (other["kind"], other["policy"], other["discipline"]) == ("candidate", "mix-fit", "easy")
    mixed = said("simulate", "log.sacct", *SITE, "--policy", "mix-fit", "--discipline", "site", "-o", "mixed")
    assert (mixed["kind"], mixed["policy"]) == ("site", "mix-fit")


@pytest.mark.parametrize("load", [(), ("--load", "0.5")], ids=["as it is", "at another load"])
def test_a_record_needs_none_of_the_site_s_files(here, said, load):
    said("simulate", "log.sacct", *SITE, *load, "-o", "run")
    for name in ("slurm.conf", "accounts.txt", "log.sacct"):
        (here / name).unlink()
    assert said("simulate", "--again", "run")["same"]
    assert said("explain", "run", "7")["job"]


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("compare", "log.sacct", "--site-accounts", "accounts.txt"), "accounts without their site"),
        (("compare", "log.sacct", *SITE, "--hosts", "4x8c"), "the site names its own machines"),
        (("simulate", "log.sacct", "--hosts", "4x8c32g", "--discipline", "site"), "the queue of a real site"),
        (("simulate", "log.sacct", "--site", "none.conf"), "no such file"),
        (("simulate", "log.sacct", "--site", "log.sacct"), "not KEY=VALUE"),
        (("simulate", "log.sacct", "--site", "slurm.conf", "--site-accounts", "slurm.conf"), "neither a row"),
    ],
)
def test_what_cannot_be_a_site_is_refused_in_one_line(told, arguments, rule):
    assert rule in told(*arguments)
