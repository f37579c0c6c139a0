"""Jobs of a live record by group, for all of it or the last days."""

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.cli import main
from loadmaster.live.queue.run_record import run_record_in
from loadmaster.live.queue.timeline import timeline_in
from loadmaster.measure.group_waits import group_waits
from loadmaster.model import Cluster, InputError, Schedule, Workload
from loadmaster.model.schedule import Segments
from loadmaster.report.live_breakdown import live_breakdown


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Forty jobs of two users, one every 100 s, on a cluster in memory."""
    made = tmp_path_factory.mktemp("live")
    head = "job_id,submit_s,runtime_s,cores,user"
    rows = [f"{job},{100 * job},{60 + 30 * (job % 5)},1,{'ada' if job % 3 else 'bob'}" for job in range(40)]
    (made / "log.csv").write_text("\n".join([head, *rows]) + "\n")
    lm.live.run("fake", str(made / "log.csv"), hosts="1x1c1g", interval=10, out=made / "run")
    return made / "run"


def test_all_jobs_of_a_record_are_grouped_as_those_of_any_run(folder):
    record = run_record_in(folder)
    whole = live_breakdown(record, timeline_in(folder), ["user"])
    (expected,) = (each for each in group_waits(record.workload, record.schedule) if each.by == "user")
    assert list(whole.rules[0].by("user").rows()) == list(expected.rows())
    assert whole.figures["jobs"] == 40
    assert whole.figures["core_s"] == sum(60 + 30 * (job % 5) for job in range(40))
    assert whole.answer.startswith("Of 40 jobs, 40 started after ")


@pytest.mark.parametrize("last_s", [1500.0, 2500.0, 1e9])
def test_a_job_counts_in_the_time_of_its_arrival(folder, last_s):
    record, timeline = run_record_in(folder), timeline_in(folder)
    recent = live_breakdown(record, timeline, ["user"], last_s)
    late = record.workload.submit_s >= timeline.last_s - last_s
    wait_s = (record.schedule.start_s - record.workload.submit_s)[late]
    assert recent.figures["jobs"] == late.sum()
    assert recent.figures["mean_wait_s"] == pytest.approx(wait_s.mean())
    assert sum(row["jobs"] for row in recent.rules[0].by("user").rows()) == late.sum()


def test_work_counts_until_the_end_of_the_record_and_lost_work_stays_with_its_job():
    workload = Workload.of(submit_s=[0, 10, 20, 30], runtime_s=[50, 50, 50, 50], cores=[1, 2, 4, 8])
    nan = float("nan")
    schedule = Schedule(
        np.array([0.0, 50.0, 60.0, nan]),
        np.array([0, 0, 0, -1], np.int32),
        None,
        np.array([50.0, 90.0, 1000.0, nan]),
        segments=Segments.of([(0, 0.0, 5.0, True, [0]), (1, 20.0, 40.0, True, [0]), (2, 30.0, 35.0, False, [0])]),
    )
    case = SimpleNamespace(cluster=Cluster.uniform(2, cores=4))
    record = SimpleNamespace(workload=workload, schedule=schedule, case=case)
    timeline = SimpleNamespace(last_s=100.0, sessions=[SimpleNamespace(at_s=0.0)])
    recent = live_breakdown(record, timeline, ["size"], 95.0)
    assert (recent.figures["jobs"], recent.figures["unstarted"]) == (2, 1)
    assert recent.figures["core_s"] == 2 * 40 + 4 * (40 + 5)
    assert recent.figures["lost_core_s"] == 2 * 20
    assert recent.by == ("size",)
    held = 1 * 45 + 2 * (40 + 20) + 4 * (40 + 5), "the first job ran from 5 on, the third until the end"
    assert recent.figures["used"] == {"cores": pytest.approx(held[0] / (8 * 95))}


@pytest.mark.parametrize("last_s", [1500.0, 1e9])
def test_the_use_of_the_hosts_is_that_of_all_jobs_that_ran_in_the_time(folder, last_s):
    """Second by second: also of jobs that had arrived before."""
    record, timeline = run_record_in(folder), timeline_in(folder)
    recent = live_breakdown(record, timeline, ["user"], last_s)
    end_s, start_s = record.schedule.end_s, record.schedule.start_s
    seconds = np.arange(max(timeline.last_s - last_s, timeline.sessions[0].at_s), timeline.last_s, 1.0) + 0.5
    running = [((start_s <= at_s) & (at_s < end_s)).sum() for at_s in seconds]
    assert recent.figures["used"]["cores"] == pytest.approx(np.mean(running), abs=0.01)
    assert "All jobs that ran in that time held" in recent.answer
    assert "of the 1 host that the record has at its end." in recent.answer


def test_a_time_without_a_job_is_refused(folder):
    with pytest.raises(InputError, match="no job arrived in that time"):
        live_breakdown(run_record_in(folder), timeline_in(folder), [], 1.0)


@pytest.fixture
def report(folder, tmp_path, monkeypatch, capsys):
    def typed(*words):
        page = tmp_path / "week" / "report.html"
        page.parent.mkdir(exist_ok=True)
        monkeypatch.setattr(sys, "argv", ["loadmaster", "report", *words, "-o", str(page)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, *capsys.readouterr(), page

    return typed


def test_one_command_writes_the_page_the_table_and_the_text(report, folder):
    code, out, _, page = report(str(folder), "--last", "1500s")
    assert code == 0
    assert "that arrived in the last 25 min" in " ".join(out.split())
    assert "By user" in out
    text = " ".join(page.read_text().split())
    assert "that arrived in the last 25 min" in text
    assert "By user" in text
    assert (page.parent / "breakdown.csv").read_text().splitlines()[0].startswith("rule,by,name,jobs,")


def test_the_document_has_the_groups(report, folder):
    code, out, _, _ = report(str(folder), "--by", "user,size", "--json")
    groups = json.loads(out)["by_group"]
    assert (code, groups["by"], groups["jobs"]) == (0, ["user", "size"], 40)
    assert {row["name"] for row in groups["breakdown"] if row["by"] == "user"} == {"ada", "bob"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--by", "usr"), "did you mean user?"),
        (("--by", "qos"), "the log names no QOS of its jobs"),
        (("--last", "soon"), "not a duration"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(report, folder, words, says):
    code, _, err, page = report(str(folder), *words)
    assert (code, says in err, len(err.splitlines()), page.exists()) == (2, True, 1, False)


def test_groups_are_of_live_queues_alone(report, tmp_path):
    log = lm.generate.netbatch(jobs=20, hosts=2, seed=1)
    lm.simulate(log).save(tmp_path / "run")
    code, _, err, _ = report(str(tmp_path / "run"), "--last", "7d")
    assert (code, "it works only on the record of a live queue" in err) == (2, True)


def test_gpus_are_stranded_by_all_jobs_that_ran_in_the_time():
    """The first job holds all cores of a host from 0 to 60; it arrived before the time, which begins at 40."""
    workload = Workload.of(submit_s=[0, 50], runtime_s=[60, 10], cores=[4, 4], gpus=[0, 2])
    schedule = Schedule(np.array([0.0, 60.0]), np.array([0, 0], np.int32), None, np.array([60.0, 70.0]))
    record = SimpleNamespace(
        workload=workload, schedule=schedule, case=SimpleNamespace(cluster=Cluster.uniform(1, cores=4, gpus=2))
    )
    timeline = SimpleNamespace(last_s=100.0, sessions=[SimpleNamespace(at_s=0.0)])
    recent = live_breakdown(record, timeline, ["gpu"], 60.0)
    assert recent.figures["stranded_gpus"] == pytest.approx(20 / 60)
    assert "33 % of the GPUs were stranded" in recent.answer
    assert [row["stranded_gpus"] for row in recent.rules[0].by("gpu").rows()] == pytest.approx([20 / 60])
    assert live_breakdown(record, timeline, ["gpu"], 100.0).figures["stranded_gpus"] == pytest.approx(60 / 100)


def test_hosts_without_gpus_strand_none(folder):
    recent = live_breakdown(run_record_in(folder), timeline_in(folder), ["user"])
    assert recent.figures["stranded_gpus"] is None
    assert "stranded" not in recent.answer
