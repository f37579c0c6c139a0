"""`loadmaster share` as a user meets it."""

import json

import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "stream.csv"
    result = CliRunner().invoke(app, ["generate", "opportunity", "-o", str(path), "--cluster", "equal", "--json"])
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert facts["synthetic"] is True
    assert facts["hosts"] == 6
    return path


def share(log, *options):
    result = CliRunner().invoke(app, ["share", str(log), "--json", *options])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return {row["method"]: row for row in json.loads(result.stdout)}


def test_every_kind_of_sharing_gives_a_row(log):
    rows = share(log, "--methods", "pvm,e-pvm,mosix,mix-fit+mosix,fractional,fcfs")
    assert [row["kind"] for row in rows.values()] == ["shared"] * 4 + ["fractional", "batch"]
    for row in rows.values():
        assert row["mean_slowdown"] >= 1.0
        assert row["refused"] == 0
    assert "fanout=2" in rows["mosix"]["parameters"]
    assert rows["e-pvm"]["mean_slowdown"] <= rows["pvm"]["mean_slowdown"]


def test_migration_that_takes_time_slows_jobs(log):
    free = share(log, "--methods", "mosix")["mosix"]
    dear = share(log, "--methods", "mosix", "--pause", "30s")["mosix"]
    assert dear["mean_slowdown"] > free["mean_slowdown"]


def test_needs_can_be_learned_but_a_batch_queue_must_be_told(log):
    rows = share(log, "--methods", "e-pvm,fractional", "--needs", "learned")
    assert set(rows) == {"e-pvm", "fractional"}
    with pytest.raises(InputError, match="must be told"):
        share(log, "--methods", "fcfs", "--needs", "learned")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--methods", "pmv"], "no such placement policy"),
        (["--methods", "e-pvm+magic"], "no such mover"),
        (["--methods", ","], "names nothing"),
        (["--thrash", "0.5"], "1 or more"),
        (["--methods", "fractional", "--least-yield", "2"], "between 0 and 1"),
    ],
)
def test_bad_input_is_told_in_one_line(log, options, message):
    with pytest.raises(InputError, match=message):
        share(log, *options)
