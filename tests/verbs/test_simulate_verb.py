"""`loadmaster.simulate`: a run as a value, kept and opened again."""

import json
import sys

import pytest

import loadmaster as lm
from loadmaster.cli import main


@pytest.fixture(scope="module")
def simulated():
    return lm.simulate(limit=200, policy="mix-fit", discipline="easy")


def test_a_run_has_a_row_a_job_and_a_row_a_host(simulated):
    assert simulated.frame.height == 200
    assert {"submit_s", "start_s", "end_s", "host", "demand_cores"} <= {*simulated.frame.columns}
    assert simulated.hosts.height == simulated.record.case.cluster.hosts
    assert simulated.figures["mean_wait_s"] == pytest.approx(simulated.frame["wait_s"].mean())
    assert "synthetic" in " ".join(simulated.notes)


def test_a_saved_run_is_opened_again_as_it_was(simulated, tmp_path):
    again = lm.open(simulated.save(tmp_path / "run"))
    assert again.frame.equals(simulated.frame)
    assert again.figures == simulated.figures
    assert repr(again) == repr(simulated)
    assert again.again().same


def test_the_run_of_the_command_line_is_opened_in_python(simulated, monkeypatch, tmp_path):
    command = f"simulate --limit 200 --policy mix-fit --discipline easy -o {tmp_path / 'run'}"
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
    with pytest.raises(SystemExit):
        main()
    assert lm.open(tmp_path / "run").frame.equals(simulated.frame)
    assert json.loads((tmp_path / "run/run.json").read_text())["command"].startswith("loadmaster simulate")


def test_the_page_of_a_run_says_how_it_was_made(simulated, tmp_path):
    page = simulated.report(tmp_path / "x.html").read_text()
    assert "loadmaster.simulate(limit=200" in page


def test_a_folder_without_a_record_is_refused(tmp_path):
    with pytest.raises(lm.InputError, match="no such folder"):
        lm.open(tmp_path / "nothing")
