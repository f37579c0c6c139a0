"""`loadmaster.compare`: the same work as on the command line, its result as a value."""

import json
import sys

import pytest

import loadmaster as lm
from loadmaster.cli import main


@pytest.fixture(scope="module")
def compared():
    return lm.compare(limit=300, policies=["first-fit", "mix-fit"], disciplines=["netbatch", "easy"], loads=[0.8])


def test_python_and_the_command_line_give_the_same_rows(compared, capsys, monkeypatch, tmp_path):
    command = "compare --limit 300 --policies first-fit,mix-fit --disciplines netbatch,easy --loads 0.8 --json -o"
    monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split(), str(tmp_path)])
    with pytest.raises(SystemExit):
        main()
    rows = json.loads(capsys.readouterr().out)["rows"]
    frame = compared.frame
    for column in ("policy", "discipline", "load", "mean_wait_s", "p99_wait_s"):
        assert [row[column] for row in rows] == frame[column].to_list()


def test_a_result_is_short_in_a_terminal_and_a_table_in_a_notebook(compared):
    assert repr(compared).startswith("<Compared: ")
    assert len(repr(compared).splitlines()) == 1
    assert "mix-fit" in compared._repr_html_()
    assert "synthetic" in compared._repr_html_()


def test_the_page_and_the_chart_are_those_of_the_command_line(compared, tmp_path):
    page = compared.report(tmp_path / "x.html")
    assert "loadmaster.compare(limit=300, policies=[" in page.read_text()
    assert compared.plot().to_dict()["title"]["text"]


def test_a_log_and_machines_are_given_as_values_or_by_name(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("submit_s,runtime_s,cores\n" + "".join(f"{i},50,1\n" for i in range(30)))
    by_name = lm.compare(str(log), "2x4c", policies="first-fit").frame
    by_value = lm.compare(lm.read(log), lm.hosts("2x4c"), policies=["first-fit"]).frame
    assert by_name.drop("simulated_jobs_per_s").equals(by_value.drop("simulated_jobs_per_s"))
    jobs = lm.compare(lm.read(log).workload, lm.hosts("2x4c"), policies=["first-fit"]).frame
    assert jobs["mean_wait_s"].to_list() == by_name["mean_wait_s"].to_list()


def test_what_says_how_a_file_is_read_is_refused_where_the_log_is_read_already(tmp_path):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores\n0,50,1\n")
    log = lm.read(tmp_path / "log.csv")
    with pytest.raises(lm.InputError, match=r"--limit.*changes nothing here: the log is read already"):
        lm.compare(log, "2x4c", limit=3)
    with pytest.raises(lm.InputError, match=r"a log is a path, what loadmaster\.read gives, or a Workload"):
        lm.compare([1, 2], "2x4c")


def test_the_jobs_of_each_run_are_those_of_simulate(compared):
    one = lm.simulate(limit=300, policy="mix-fit", discipline="easy", load=0.8, interval="30s").frame
    jobs = compared.jobs("mix-fit", "easy")
    assert jobs.columns[:3] == ["policy", "discipline", "load"]
    assert jobs.select(one.columns).equals(one)
    assert compared.jobs(policy="mix-fit")["discipline"].unique(maintain_order=True).to_list() == ["netbatch", "easy"]
    assert compared.jobs().height == 4 * 300


def test_the_jobs_of_runs_with_a_metric_of_ones_own_can_be_had():
    made = lm.compare(limit=20, policies=["first-fit"], disciplines=["easy"], metrics=[lambda jobs: 1.0])
    assert made.jobs().height == 20


def test_jobs_of_a_run_that_is_not_there_or_cannot_be_made_again_are_refused(compared, tmp_path):
    with pytest.raises(lm.InputError, match="'worst-fit': no run of this comparison has this rule"):
        compared.jobs("worst-fit")
    with pytest.raises(lm.InputError, match="keeps state"):
        lm.compare(limit=20, policies=[lambda demand, free, capacity: free[0]]).jobs()
    rule = tmp_path / "mine.py"
    rule.write_text("def mine(job, now):\n    return job.submit_s\n")
    made = lm.compare(limit=300, hosts="4x16c64g", policies="first-fit", disciplines=f"{rule}:mine+easy")
    rule.write_text("def mine(job, now):\n    return -job.submit_s\n")
    with pytest.raises(lm.InputError, match="comes out otherwise now"):
        made.jobs()


def test_stranded_parts_and_fairness_have_intervals_over_samples():
    log = lm.generate.netbatch(jobs=300, hosts=4, load=1.1, seed=2)
    made = lm.compare(
        log, policies=["first-fit", "mix-fit"], disciplines=["easy"], samples=5, metrics=["stranded_memory"]
    )
    row = made.frame.row(1, named=True)
    for name in ("stranded_memory", "jain_of_users"):
        assert row[f"{name}_low"] < row[f"{name}_difference"] < row[f"{name}_high"]


def test_runs_are_kept_where_a_folder_is_named(tmp_path):
    lm.compare(limit=50, policies=["first-fit"], out=tmp_path)
    assert (tmp_path / "results.sqlite").is_file()


def test_a_note_that_several_disciplines_share_is_told_once_and_names_them():
    notes = lm.compare(limit=20, policies="first-fit", disciplines="skip,easy,sjf+skip,f1+skip").notes
    starving = [note for note in notes if "No job has a reservation" in note]
    assert [note.partition(":")[0] for note in starving] == ["skip, sjf+skip, f1+skip"]
    assert any(note.startswith("f1+skip: Arrivals count") for note in notes)
