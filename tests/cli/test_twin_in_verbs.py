"""The twin goes where any discipline goes, and its members are named beside it."""

import json
import sys
from pathlib import Path

import polars as pl
import pytest

from loadmaster.cli import main

LOG = "jobs.csv"


@pytest.fixture
def ran(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [f"{60 * i},{60 + 400 * (i % 7)},{1 + i % 4},1" for i in range(60)]
    (tmp_path / LOG).write_text("\n".join(["submit_s,runtime_s,cores,memory", *rows, ""]))

    def run(*arguments, hosts=("--hosts", "2x4c16g")):
        monkeypatch.setattr(sys, "argv", ["loadmaster", *arguments, *hosts])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return ended.value.code, told.out, told.err

    return run


def test_a_comparison_has_a_row_of_it_under_the_members_that_are_named(ran):
    code, out, _ = ran(
        "compare",
        LOG,
        "--policies",
        "first-fit",
        "--disciplines",
        "easy,twin",
        "--twin-members",
        "easy,lxf+easy(fill=shortest)",
        "--json",
        "-o",
        "o",
    )
    assert not code
    rows = {row["discipline"]: row for row in json.loads(out)["rows"]}
    twin = rows["twin(members=easy;lxf+easy(fill=shortest))"]
    assert set(twin["chosen"]) == {"easy", "lxf+easy(fill=shortest)"}
    page = Path("o/report.html").read_text()
    assert "The rule that the twin followed" in page
    assert "What max-jobs chose" not in page


def test_whom_it_followed_stands_in_the_record_of_a_run(ran):
    code, out, _ = ran("simulate", LOG, "--policy", "first-fit", "--discipline", "twin", "-o", "o")
    assert not code
    assert "\nchosen or tied lxf+easy" in out
    assert "value_lxf+easy" in pl.read_parquet("o/choices.parquet").columns
    code, out, _ = ran("explain", "o", "30", hosts=())
    assert not code
    assert "The twin followed" in out
    assert not ran("report", "o", hosts=())[0]
    assert "The rule that the twin followed, over time" in Path("o/report.html").read_text()


def test_a_job_that_started_in_the_decision_of_a_look_is_explained(ran):
    assert not ran("simulate", LOG, "--policy", "mix-fit", "--discipline", "twin(every_s=0)", "-o", "o")[0]
    code, out, _ = ran("explain", "o", "30", hosts=())
    assert not code
    assert "The twin followed" in out
    assert "cannot be repeated exactly" not in out


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--disciplines", "easy", "--twin-members", "easy"), "it works only with twin"),
        (("--disciplines", "twin(members=easy)", "--twin-members", "easy"), "leave one out"),
        (("--disciplines", "twin", "--twin-members", "sjf+easy"), "jobs may wait for ever"),
    ],
)
def test_members_that_make_no_sense_are_refused_in_one_line(ran, given, why):
    code, _, told = ran("compare", LOG, "--policies", "first-fit", *given, "-o", "o")
    assert code == 2
    assert why in " ".join(told.split())
