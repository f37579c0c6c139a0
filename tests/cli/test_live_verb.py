"""`loadmaster live` on the command line."""

import json
import os
import sys

import pytest

from loadmaster.cli import main
from loadmaster.live.queue.record import LiveRecord
from loadmaster.runs.record import read_record


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{number},{2 * number},{20 + number},1" for number in range(12)]
    (tmp_path / "log.csv").write_text("\n".join(["job_id,submit_s,runtime_s,cores", *lines]) + "\n")
    (tmp_path / "mine.py").write_text("def rate(demand, free, capacity):\n    return -free[0]\n")
    return tmp_path


@pytest.fixture
def run(here, monkeypatch, capsys):
    """Exit code, stdout and stderr of a command, run in this process."""

    def typed(command):
        monkeypatch.setattr(sys, "argv", ["loadmaster", *command.split()])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr()

    return typed


FAKE = "live fake log.csv --hosts 2x2c1g --interval 5s"


def test_a_live_run_shows_what_it_did_and_leaves_a_record_that_checks(run, here):
    code, out, err = run(f"{FAKE} -o d")
    assert code == 0
    assert "starts                           12" in out
    assert "`loadmaster live --check d`" in err
    assert read_record(here / "d").workload.jobs == 12
    code, out, _ = run("live --check d")
    assert (code, out.splitlines()[1]) == (0, "12 of 12 decided starts identical in the simulator (100 %)")


def test_a_record_that_does_not_check_ends_with_one(run, here):
    run(f"{FAKE} -o d")
    path = here / "d" / "live.jsonl"
    path.write_text(path.read_text().replace('["node1"]', '["node0"]', 1))
    code, out, _ = run("live --check d --json")
    assert code == 1
    assert json.loads(out)["same"] is False
    assert json.loads(out)["first"]


def test_a_run_that_goes_on_and_one_that_died_are_explained_and_said_to_be_so(run, here):
    run(f"{FAKE} -o whole")
    lines = (here / "whole" / "live.jsonl").read_text().splitlines(keepends=True)
    (here / "d").mkdir()
    (here / "d" / "live.jsonl").write_text("".join(lines[:6]) + '{"cycle": 99, "se')
    code, out, err = run("explain d 0")
    assert (code, out.startswith("Job 0 requests 1 core")) == (0, True)
    assert "Its loop died, and did not say how it ended." in err
    code, out, _ = run("report d")
    assert (code, "Its loop died, and did not say how it ended." in out) == (0, True)
    open_for_writing = LiveRecord(here / "d")
    try:
        assert "It goes on: this is what it had come to by now." in run("explain d 0")[2]
        assert "It goes on: this is what it had come to by now." in run("report d")[1]
    finally:
        open_for_writing.close()
    assert "had not started by the end of the record" in " ".join(run("explain d 5")[1].split())
    assert "loop died" in json.loads(run("explain d 0 --json")[1])["notes"][0]


def test_explain_tells_of_a_later_session_in_the_same_folder_as_well(run, here):
    run(f"{FAKE} --for 5s --on-exit hold -o d")
    before = read_record(here / "d").workload.jobs
    kept = here / "d" / "live.jsonl"
    run(f"{FAKE} -o whole")
    later = [
        line for line in (here / "whole" / "live.jsonl").read_text().splitlines(keepends=True) if '"cycle"' in line
    ]
    with kept.open("a") as file:
        file.write("".join(later[2:]))
    os.utime(kept, (later_s := (here / "d" / "run.json").stat().st_mtime + 1, later_s))
    assert before < 12
    assert run("explain d 11")[0] == 0


def test_a_dry_run_prints_what_it_would_have_asked(run):
    _, _, err = run(f"{FAKE} --dry-run --for 10s -o d")
    assert "would start at 0 s: 0 on node0" in err


def test_a_shadow_tells_what_jobs_waited_so_far_and_its_record_and_page_do(run, here):
    code, out, _ = run(f"{FAKE.replace('2x2c', '1x2c')} --shadow --discipline ljf+easy -o d --json")
    told = json.loads(out)["so_far"]
    assert code == 0
    assert told["jobs"] > 0
    assert told["model_error"] == pytest.approx(0.0, abs=1e-9)
    assert json.loads((here / "d" / "live.jsonl").read_text().splitlines()[-1]) == {"so_far": told}
    code, out, _ = run("live --so-far d --json")
    assert (code, json.loads(out)["so_far"]) == (0, told)
    code, out, _ = run("report d --json")
    assert (code, json.loads(out)["live"]["so_far"]) == (0, told)
    page = (here / "d" / "report.html").read_text()
    assert "What the same jobs waited so far" in page
    assert "the model's error" in page or "the model&#39;s error" in page or "the model&#x27;s error" in page


def test_a_run_that_acts_has_no_waits_of_a_site(run, here):
    run(f"{FAKE} -o d")
    code, _, err = run("live --so-far d")
    assert code == 2
    assert "this run acts" in err


def test_the_same_folder_goes_on_where_it_was(run, here):
    run(f"{FAKE} -o d --for 10s --on-exit hold")
    run(f"{FAKE} -o d --for 10s")
    lines = [json.loads(line) for line in (here / "d" / "live.jsonl").read_text().splitlines()]
    assert sum("begin" in line for line in lines) == 2


def test_python_in_a_record_is_run_only_if_it_is_trusted(run):
    code, _, err = run(f"{FAKE} --policy mine.py:rate -o d")
    assert code == 0
    assert "`loadmaster live --check d --trust`" in err
    code, _, err = run("live --check d")
    assert code == 2
    assert "has Python code" in err
    assert run("live --check d --trust")[0] == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("live", "name an engine"),
        ("live --check d --so-far d", "only one of these options can be given"),
        ("live --check nowhere", "no record of a live run here"),
        ("live --check d fake", "cannot be given before an engine"),
        (f"{FAKE} --trouble smoke=1", "no such fault"),
        ("live fake log.csv --hosts 2x2c1g --interval 0s", "needs a time between its cycles"),
        (f"{FAKE} --shadow --dry-run", "both send no action"),
        (f"{FAKE} --policy nothing", "nothing"),
        (f"{FAKE} --for soon", "not a duration"),
    ],
)
def test_bad_input_is_told_in_one_line(told, command, words):
    assert words in told(*command.split())


def test_a_first_start_that_is_denied_ends_with_two(told):
    assert "refuses every start" in told(*f"{FAKE} --trouble denied=0.999999 -o d".split())


def test_the_members_of_a_twin_are_named_live_as_in_simulations(run, here):
    code, _, _ = run(f"{FAKE} --discipline twin --twin-members fcfs+easy,lxf+easy --policy first-fit -o d")
    assert code == 0
    assert read_record(here / "d").setting.discipline == "twin(members=fcfs+easy;lxf+easy)"


def test_members_of_a_twin_beside_another_discipline_are_refused(run):
    code, _, err = run(f"{FAKE} --discipline easy --twin-members fcfs+easy,lxf+easy -o d")
    assert code == 2
    assert (
        "'--twin-members': this option changes nothing here: it works only with twin; "
        "--discipline twin, or leave it out"
    ) in err


def test_a_log_of_json_has_one_object_a_line_and_nothing_else_on_stdout(run):
    code, out, _ = run(f"{FAKE} --log-format json -o d")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert sum(len(each["starts"]) for each in lines if each["event"] == "cycle") == 12
    assert (lines[-1]["event"], lines[-1]["starts"], lines[-1]["record"]) == ("end", 12, "d")
    assert {each["event"] for each in lines} <= {"cycle", "note", "left out", "end"}


def test_a_document_and_a_log_of_json_do_not_go_together(run, here):
    code, _, err = run(f"{FAKE} --log-format json --json -o d")
    assert (code, "give one of them" in err) == (2, True)
    assert not (here / "d").exists()
