"""A record is data: the Python that it carries is run only where the user says so."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from small_case import busy_case
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.runs import Setting, run_fully, sources_of
from loadmaster.runs.explain import explain
from loadmaster.runs.record import Record, read_record, write_record
from loadmaster.runs.rerun import rerun

RULE = "def score(demand, free, capacity):\n    return -free[1]\n"
EVIL = "open('ran', 'w').close()\n" + RULE


@pytest.fixture
def here(tmp_path):
    """Where the verbs stand."""
    return tmp_path


@pytest.fixture(params=["as the policy", "as a member of max-jobs"])
def run(request, tmp_path, monkeypatch):
    """A record of a policy of one's own, and then somebody has put other code into it and deleted the file."""
    monkeypatch.chdir(tmp_path)
    Path("rule.py").write_text(RULE)
    own = Setting("rule.py:score")
    setting = own if request.param == "as the policy" else Setting("max-jobs", members=("first-fit", "rule.py:score"))
    case, sources = busy_case(), sources_of(setting)
    _, schedule, _ = run_fully(case, setting, sources)
    write_record(Path("run"), Record(case, setting, case.workload, schedule, sources))
    about = json.loads(Path("run/run.json").read_text())
    about["sources"] = {"rule.py": EVIL}
    Path("run/run.json").write_text(json.dumps(about))
    Path("rule.py").unlink()
    return Path("run")


@pytest.mark.parametrize("call", [rerun, lambda record: explain(record, 1)], ids=["again", "explain"])
def test_the_python_of_a_record_is_not_run_unless_it_is_trusted(run, call):
    with pytest.raises(InputError, match=r"'rule\.py:score': this record has Python.*--trust"):
        call(read_record(run))
    assert not Path("ran").exists()


@pytest.mark.parametrize("call", [rerun, lambda record: explain(record, 1)], ids=["again", "explain"])
def test_a_file_that_a_record_only_names_is_not_run_either(run, call):
    Path("rule.py").write_text(EVIL)
    with pytest.raises(InputError, match="--trust"):
        call(replace(read_record(run), sources={}))
    assert not Path("ran").exists()


def test_what_is_trusted_is_run_from_the_record_and_written_nowhere(run, tmp_path, monkeypatch):
    empty = tmp_path / "tmp"
    empty.mkdir()
    monkeypatch.setenv("TMPDIR", str(empty))
    monkeypatch.setattr(tempfile, "tempdir", None)
    record = read_record(run)
    assert rerun(record, trust=True).same
    assert explain(record, record.workload.id_of(0), trust=True).choice.same
    assert Path("ran").exists()
    assert list(empty.iterdir()) == []


def test_a_record_of_built_in_rules_needs_no_trust(tmp_path):
    case, setting = busy_case(), Setting("mix-fit")
    _, schedule, _ = run_fully(case, setting, {})
    write_record(tmp_path, Record(case, setting, case.workload, schedule))
    assert rerun(read_record(tmp_path)).same


@pytest.mark.parametrize("verb", [("simulate", "--again", "run"), ("explain", "run", "1")], ids=" ".join)
def test_both_verbs_refuse_by_name_and_exit_code_2(run, told, verb):
    assert "rule.py:score" in told(*verb)
    assert not Path("ran").exists()


@pytest.mark.parametrize(("policy", "words"), [("mix-fit", ""), ("rule.py:score", " --trust")])
def test_the_command_that_simulate_names_for_its_record_is_one_that_works(tmp_path, monkeypatch, policy, words):
    monkeypatch.chdir(tmp_path)
    Path("rule.py").write_text(RULE)
    Path("jobs.csv").write_text("submit_s,runtime_s,cores,memory\n0,9,1,1GB\n1,9,1,1GB\n")
    made = CliRunner().invoke(app, ["simulate", "jobs.csv", "--hosts", "2x4c8g", "--policy", policy, "-o", "run"])
    assert f"`loadmaster explain run JOB{words}`" in made.stderr
    assert CliRunner().invoke(app, ["explain", "run", "1", *words.split()]).exit_code == 0
