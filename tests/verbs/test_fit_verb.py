"""`fit`: the queue that made a log is found again, what queueing cannot explain is refused, --site takes the file."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.model import Cluster, Workload
from loadmaster.place.load import policy_named
from loadmaster.report.compare_page import report_blocks
from loadmaster.report.fit_claims import fit_sentence
from loadmaster.report.fit_page import tried_table
from loadmaster.report.page import Heading, Table
from loadmaster.report.schemas import SCHEMAS
from loadmaster.results.watch import Watch
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.site.fitted_queue import SiteQueue
from loadmaster.traces import Trace
from loadmaster.verbs.fit import FitOptions, fit_with

HOSTS = "6x1c"
TRIED = ["fcfs+easy", "fcfs+none", "sjf+easy"]
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["loadmaster", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        return int(end.value.code or 0), shown.out, shown.err

    return run


def log_served(discipline: str, interval_s: float, weeks: int = 6, held: bool = False) -> Workload:
    """A log whose jobs really waited as a known rule makes them wait; `held` for a day more."""
    rng = np.random.default_rng(7)
    count = 260 * weeks
    runtime_s = np.round(rng.lognormal(7.9, 1.0, count)) + 1
    jobs = Workload.of(
        submit_s=np.sort(np.round(rng.uniform(0, weeks * 7 * 86400, count))),
        runtime_s=runtime_s,
        cores=[1] * count,
        tasks=rng.integers(1, 5, count),
        estimate_s=runtime_s * rng.integers(1, 4, count),
    )
    schedule = simulate(
        jobs,
        Cluster.uniform(6, cores=1),
        policy_named("first-fit"),
        discipline_named(discipline),
        interval_s=interval_s,
    )
    wait_s = schedule.start_s - jobs.submit_s + 86400 * held
    return Workload.of(
        submit_s=jobs.submit_s,
        runtime_s=runtime_s,
        cores=[1] * count,
        tasks=jobs.tasks,
        estimate_s=jobs.estimate_s,
        recorded_wait_s=wait_s,
        source="a made log",
    )


def write_log(path: Path, log: Workload) -> None:
    columns = (log.submit_s, log.submit_s + log.recorded_wait_s, log.runtime_s, log.task_count, log.expected_s)
    lines = [",".join(f"{value:.0f}" for value in row) for row in zip(*columns, strict=True)]
    path.write_text("submit_s,start_s,runtime_s,tasks,estimate_s,cores\n" + "".join(f"{line},1\n" for line in lines))


@pytest.fixture(scope="module")
def shortest_first() -> Workload:
    return log_served("sjf+easy", 60.0)


def test_changes_in_the_table_of_queues_are_written_like_those_in_the_answer(shortest_first: Workload) -> None:
    found = lm.fit(Trace(shortest_first), HOSTS, spread="any", disciplines=TRIED).found
    column = [row[7] for row in tried_table(found).rows]
    assert column[0] in fit_sentence(found)
    assert all(re.fullmatch(r"[+−±][\d.]+\s%", cell) for cell in column)


def test_lines_and_jobs_that_are_left_out_are_counted_and_shown(
    shortest_first: Workload, tmp_path: Path, call: Call
) -> None:
    log = tmp_path / "log.csv"
    write_log(log, shortest_first)
    with log.open("a") as file:
        file.write("3628000,3628000,,1,60,1\n3628001,3628001,60,9,60,1\n")
    words = ("fit", log, "--hosts", HOSTS, "--spread", "any", "--disciplines", "sjf+easy,fcfs+easy", "-o", tmp_path)
    code, out, err = call(*words, "--json")
    document = json.loads(out)
    assert code == 0
    assert [each["count"] for each in (*document["left_out"], *document["rejected_jobs"])] == [1, 1]
    for shown in (err, (tmp_path / "report.html").read_text()):
        assert "1 left out: runtime is zero or unknown" in shown
        assert "1 left out: no empty cluster can hold it" in shown


def test_the_rule_that_made_a_log_is_found_again(shortest_first: Workload, tmp_path: Path) -> None:
    made = lm.fit(Trace(shortest_first), HOSTS, spread="any", disciplines=TRIED, out=tmp_path)
    assert made.found.fit is not None
    best = made.found.fit.best
    assert (best.queue.discipline, best.queue.interval_s, best.queue.launch_s) == ("sjf+easy", 60.0, 0.0)
    assert best.beside.odd.error < 1e-9
    assert best.beside.odd.queue < 1e-9
    assert made.found.fit.usual.beside.odd.error > 0.05
    assert made.answer.startswith("The site's queue is most like sjf+easy, a cycle every 60 s: ")


def test_a_cycle_is_looked_for_under_each_of_the_nearest_disciplines() -> None:
    rng, count = np.random.default_rng(5), 900
    submit_s = np.sort(rng.integers(0, 6 * 7 * 86400, count))
    runtime_s = np.round(rng.lognormal(9.1, 1.0, count)) + 1
    jobs = Workload.of(
        submit_s=submit_s, runtime_s=runtime_s, cores=rng.integers(1, 5, count), estimate_s=2 * runtime_s
    )
    ran = simulate(
        jobs, Cluster.uniform(3, cores=4), policy_named("first-fit"), discipline_named("easy"), interval_s=60.0
    )
    log = Trace(replace(jobs, recorded_wait_s=ran.start_s - jobs.submit_s))
    made = lm.fit(log, "3x4c", disciplines=["fcfs+easy", "fcfs+skip", "sjf+easy"])
    assert made.found.fit is not None
    assert made.found.fit.best.queue == SiteQueue("fcfs+easy", 60.0)  # without a cycle, skip and a launch are nearer


def test_a_fit_is_printed_as_its_schema_says_and_opened_again(
    shortest_first: Workload, tmp_path: Path, call: Call
) -> None:
    write_log(tmp_path / "log.csv", shortest_first)
    words = ("fit", tmp_path / "log.csv", "--hosts", HOSTS, "--spread", "any", "--disciplines", ",".join(TRIED))
    code, out, _ = call(*words, "-o", tmp_path / "out", "--json")
    document = json.loads(out)
    schema = SCHEMAS["fit"]
    Draft202012Validator(schema["properties"]["rows"]).validate(document["rows"])
    Draft202012Validator(schema["properties"]["best"]).validate(document["best"])
    assert (code, document["refused"], document["best"]["discipline"]) == (0, None, "sjf+easy")
    assert (tmp_path / "out" / "site.yaml").read_text() == document["site"]
    again = lm.open(tmp_path / "out")
    assert again.answer == document["sentence"]
    assert again.frame.height == len(document["rows"])


def test_compare_has_the_fitted_queue_as_the_row_site(shortest_first: Workload, tmp_path: Path) -> None:
    made = lm.fit(Trace(shortest_first), HOSTS, spread="any", disciplines=TRIED)
    (tmp_path / "site.yaml").write_text(made.text)
    compared = lm.compare(Trace(shortest_first), site=tmp_path / "site.yaml", policies="first-fit", disciplines="easy")
    rows = {row["kind"]: row for row in compared.frame.to_dicts()}
    assert rows["site"]["mean_wait_s"] == rows["recorded"]["mean_wait_s"]
    assert rows["site"]["longest_wait_s"] == rows["recorded"]["longest_wait_s"]
    assert rows["candidate"]["mean_wait_s"] != rows["site"]["mean_wait_s"]
    blocks = report_blocks(compared.comparison)
    assert "Whether queueing can explain the recorded waits" in [b.text for b in blocks if isinstance(b, Heading)]
    settled = next(
        b
        for b in blocks
        if isinstance(b, Table) and b.columns[1].startswith("mean wait") and b.columns[-1].startswith("drain")
    )
    assert [row[0] for row in settled.rows] == ["easy", "site"]


def test_a_launch_overhead_holds_hosts_in_every_run_and_recorded_use_is_counted_without_it(
    shortest_first: Workload, tmp_path: Path
) -> None:
    text = "hosts: 6x1c\nspread: any\ndiscipline: sjf+easy\ninterval_s: 60\nlaunch_s: {}\n"
    found = []
    for launch_s in (0, 600):
        (tmp_path / "site.yaml").write_text(text.format(launch_s))
        made = lm.compare(Trace(shortest_first), site=tmp_path / "site.yaml", policies="first-fit", disciplines="easy")
        found.append({row["kind"]: row["mean_wait_s"] for row in made.frame.to_dicts()})
        assert made.comparison.recorded is not None
        assert max(made.comparison.recorded.peak.values()) == 1.0
    assert found[1]["recorded"] == found[0]["recorded"]
    assert found[1]["site"] > found[0]["site"]
    assert found[1]["candidate"] > found[0]["candidate"]


def test_a_launch_overhead_holds_on_every_one_of_several_sets_of_machines(
    shortest_first: Workload, tmp_path: Path
) -> None:
    (tmp_path / "site.yaml").write_text(
        "hosts: 6x1c\nspread: any\ndiscipline: sjf+easy\ninterval_s: 60\nlaunch_s: 600\n"
    )
    rules = {"site": tmp_path / "site.yaml", "policies": "first-fit", "disciplines": "easy"}
    alone = lm.compare(Trace(shortest_first), **rules).frame
    both = lm.compare(Trace(shortest_first), ["6x1c", "9x1c"], **rules)
    here = both.frame.filter((both.frame["hosts"] == "6x1c") | (both.frame["kind"] == "recorded"))
    for column in ("kind", "load", "jobs", "mean_wait_s", "change_on_recorded"):
        assert here[column].to_list() == alone[column].to_list()
    assert any("600 s beyond its runtime" in note for note in both.notes)


def test_waits_that_are_no_queueing_are_refused_with_code_1(tmp_path: Path, call: Call) -> None:
    held = log_served("fcfs+easy", 0.0, held=True)
    write_log(tmp_path / "log.csv", held)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "site.yaml").write_text("of an earlier fit")
    words = ("fit", tmp_path / "log.csv", "--hosts", "60x1c", "--spread", "any", "-o", tmp_path / "out", "--json")
    code, out, _ = call(*words)
    document = json.loads(out)
    assert code == 1
    assert document["recorded"]["explained_by_queueing"] is False
    assert "while there was room" in document["refused"]
    assert (document["site"], document["rows"]) == (None, [])
    assert (tmp_path / "out" / "report.html").is_file()
    assert not (tmp_path / "out" / "site.yaml").exists()


def test_too_few_weeks_are_refused() -> None:
    made = lm.fit(Trace(log_served("fcfs+easy", 0.0, weeks=3)), HOSTS, spread="any")
    assert made.refused == "2 whole weeks are too few: some choose the queue and others judge it, 4 at least"
    with pytest.raises(lm.InputError, match="no queue to write"):
        made.text  # noqa: B018


def test_a_log_that_does_not_say_when_jobs_started_is_refused() -> None:
    made = lm.fit(Trace(Workload.of(submit_s=[0, 9], runtime_s=[1, 1], cores=[1, 1])), "1x1c")
    assert made.answer == "No fit: the log does not say when jobs started."
    with pytest.raises(lm.InputError, match="nothing to draw"):
        made.plot()


def test_an_unknown_discipline_is_refused_in_one_line_before_anything_is_read(call: Call) -> None:
    code, out, err = call("fit", "nowhere.swf", "--hosts", "1x1c", "--disciplines", "eazy")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "did you mean easy" in err


def test_trials_are_kept_and_not_made_twice(shortest_first: Workload, tmp_path: Path) -> None:
    class Counting(Watch):
        made = 0

        def begin(self, cells: int, kept: int, steps: int) -> None:
            self.made += cells

    options = FitOptions(Trace(shortest_first), HOSTS, spread="any", disciplines=TRIED, out=tmp_path)
    made = []
    for _ in range(2):
        seen = Counting()
        fit_with(options, seen)
        made.append(seen.made)
    assert made[0] > 20
    assert made[1] == 0


def test_machines_on_which_jobs_do_not_fit_are_told_with_what_to_change(
    shortest_first: Workload, tmp_path: Path, call: Call
) -> None:
    write_log(tmp_path / "log.csv", shortest_first)
    code, out, _ = call(
        "fit", tmp_path / "log.csv", "--hosts", "6x1c", "--spread", "single-host", "-o", tmp_path, "--json"
    )
    refused = json.loads(out)["refused"]
    assert code == 1
    assert refused.endswith(
        "are left out; let the tasks of a job go to several hosts (--spread any), or give larger machines (--hosts), "
        "or judge the rest (--allow-left-out)"
    )
    assert "queueing" not in refused
