import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from small_case import THREE, busy_case

from loadmaster.model import (
    Cluster,
    Constraints,
    Dependencies,
    InputError,
    Limits,
    Named,
    Partition,
    Qos,
    SiteRules,
    StartingState,
    Workload,
)
from loadmaster.runs import Setting, case_of, run_fully, sources_of
from loadmaster.runs.explain import explain
from loadmaster.runs.outcome import from_bytes, to_bytes
from loadmaster.runs.record import Record, read_record, write_record
from loadmaster.runs.rerun import rerun
from loadmaster.traces import Skipped, Trace


def recorded(folder, case, setting, **extra):
    sources = sources_of(setting)
    _, schedule, outcome = run_fully(case, setting, sources)
    workload = case.workload if setting.beta == 1.0 else case.workload.scaled(setting.beta)
    write_record(folder, Record(case, setting, workload, schedule, sources), result=outcome.row(), **extra)
    return schedule, outcome


def several_tasks():
    """Jobs with tasks, projects, users, estimates and identifiers of their own, on hosts with names."""
    workload = Workload.of(
        submit_s=[0, 5, 9, 9],
        runtime_s=[60, 60, 7, 7.25],
        cores=[1, 2, 1, 1],
        memory=[0, 2, 1, 1],
        tasks=[3, 1, 2, 1],
        project=[0, 1, 0, 1],
        user=[7, 7, 8, 9],
        job_id=[11, 12, 13, 99],
        estimate_s=[90, 60, 60, 60],
        source="four",
    )
    cluster = Cluster(("cores", "memory"), np.array([[4.0, 8.0], [2.0, 4.0]]), names=("ada", "bob"))
    return case_of(Trace(workload), cluster, "any")


OVERRUNS = Workload.of(
    submit_s=[0, 0, 5, 9, 9, 40], runtime_s=[60, 9, 60, 7, 47.25, 20], cores=[1] * 5 + [2], memory=[1] * 6,
    user=[1] * 6, estimate_s=[90, 60, 30, 60, 10, 90],
)  # fmt: skip


@pytest.mark.parametrize(
    "setting",
    [
        Setting("first-fit", "easy", interval_s=0.0, estimates="last-two(expiry_pass=yes)", overrun="kill"),
        Setting("first-fit", "easy", estimates="0.25(correct=double)"),
        Setting("mix-fit", "sjf+skip", estimates="exact", overrun="kill"),
    ],
    ids=lambda setting: setting.estimates,
)
def test_a_record_keeps_what_was_expected_and_repeats_to_the_bit(tmp_path, setting):
    case = case_of(Trace(OVERRUNS), Cluster(("cores", "memory"), np.array([[2.0, 8.0]])))
    schedule, outcome = recorded(tmp_path, case, setting)
    record = read_record(tmp_path)
    assert record.setting == setting
    assert np.array_equal(record.schedule.expected_s, schedule.expected_s)
    assert rerun(record).same
    assert outcome.row()["estimates"] == setting.estimates
    assert from_bytes(to_bytes(outcome)).setting == setting
    for job in np.flatnonzero(schedule.started):
        assert explain(record, int(job)).choice.same, f"job {job}"


def test_only_estimates_that_were_chosen_shape_the_key_of_a_run():
    assert not {"estimates", "overrun"} & Setting("first-fit").essential().keys()
    assert Setting("first-fit", overrun="kill").essential()["overrun"] == "kill"


@pytest.mark.parametrize("setting", THREE, ids=lambda s: s.policy)
def test_a_recorded_run_repeats_to_the_bit(tmp_path, setting):
    recorded(tmp_path, busy_case(), setting)
    told = rerun(read_record(tmp_path))
    assert told.same
    assert told.notes == ()


def test_all_columns_come_back_as_they_were(tmp_path):
    case, setting = several_tasks(), Setting("first-fit", "fair-share", shares=(1.0, 2.0))
    schedule, _ = recorded(tmp_path, case, setting)
    record = read_record(tmp_path)
    assert record.schedule.same_as(schedule)
    assert record.setting == setting
    assert record.case.digest == case.digest
    assert record.workload.job_id.tolist() == [11, 12, 13, 99]
    assert record.workload.user.tolist() == [7, 7, 8, 9]
    assert record.case.cluster.name(1) == "bob"
    assert rerun(record).same


def bound_by_everything():
    """The same jobs with every column of constraints, on hosts with rules."""
    case = several_tasks()
    constraints = Constraints(
        eligible_s=[0, 6.1, 9, np.inf],
        partition=Named.of(["long", "long,short", None, "short"]),
        qos=Named.of(["normal", None, "high", "high"]),
        name=Named.of(["a", "b", "a", ""]),
        priority=[0, 1.5, 0, 9],
        nice=[0, 0, -5, 0],
        hold=[0, 0, 0, 1],
        array=[-1, -1, 13, 13],
        array_task=[-1, -1, 1, 2],
        depends=Dependencies.of(["", "afterok:11+2", "singleton", "after:12?after:11"]),
        throttle=[0, 0, 1, 1],
        features=Named.of(["gpu|fast&big"] * 4),
        exclusive=[0, 1, 2, 0],
        reservation=Named.of([None, None, "maint", None]),
        min_hosts=[0, 2, 1, 0],
        max_hosts=[0, 2, 0, 3],
        requeue=[True, False, True, True],
        restarts=[0, 0, 2, 0],
        status=[0, 1, 2, 3],
        limit_s=[90, 60, np.inf, 60],
        user_names=tuple(f"user{n}" for n in range(10)),
        account_names=("physics", "chemistry"),
    )
    rules = SiteRules(
        (Partition("long", max_time_s=3600.0, hosts=(0,)), Partition("short", tier=2)),
        qos=(Qos("high", 10), Qos("normal", limits=Limits(grp_jobs=3, max_tres_pu=(("cores", 4.0),)))),
        features=(("gpu",), ("fast", "big")),
    )
    jobs, cluster = case.workload, case.cluster
    return replace(case, workload=replace(jobs, constraints=constraints), cluster=replace(cluster, rules=rules))


@pytest.mark.parametrize("beta", [1.0, 0.7])
def test_constraints_and_rules_of_the_site_come_back_as_they_were(tmp_path, beta):
    case = bound_by_everything()
    workload = case.workload.scaled(beta)
    _, schedule, _ = run_fully(several_tasks(), Setting("first-fit", beta=beta), {})
    write_record(tmp_path, Record(case, Setting("first-fit", beta=beta), workload, schedule))
    record = read_record(tmp_path)
    assert record.case.digest == case.digest
    assert record.case.cluster.rules == case.cluster.rules
    assert record.workload.constraints.given == case.workload.constraints.given
    assert record.workload.constraints.account_names == ("physics", "chemistry")
    assert record.workload.constraints.eligible_s.tolist() == workload.constraints.eligible_s.tolist()


def test_the_columns_of_a_record_are_those_that_the_documentation_names(tmp_path):
    recorded(tmp_path, several_tasks(), Setting("first-fit"))
    jobs = pl.read_parquet(tmp_path / "jobs.parquet")
    assert jobs["wait_s"].to_list() == (jobs["start_s"] - jobs["submit_s"]).to_list()
    assert jobs["end_s"].to_list() == (jobs["start_s"] + jobs["runtime_s"]).to_list()
    assert pl.read_parquet(tmp_path / "tasks.parquet").columns == ["job", "host"]
    assert pl.read_parquet(tmp_path / "cycles.parquet").columns == ["time_s", "queue_length", "started", "winners"]
    hosts = pl.read_parquet(tmp_path / "hosts.parquet")
    assert {"host", "name", "capacity_cores", "busy_cores", "busy_memory", "tasks"} <= set(hosts.columns)


def test_a_policy_file_is_part_of_the_record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rule.py").write_text("def score(demand, free, capacity):\n    return -free[1]\n")
    recorded(tmp_path / "run", busy_case(), Setting("rule.py:score"))
    Path("rule.py").write_text("def score(demand, free, capacity):\n    return free[1]\n")
    assert rerun(read_record(tmp_path / "run"), trust=True).same
    Path("rule.py").unlink()
    assert rerun(read_record(tmp_path / "run"), trust=True).same


def test_a_changed_input_is_told_and_the_run_still_repeats(tmp_path):
    log = tmp_path / "log.swf"
    log.write_text("one")
    recorded(tmp_path / "run", busy_case(), Setting("first-fit"), inputs=(log,))
    log.write_text("two")
    told = rerun(read_record(tmp_path / "run"))
    assert told.same
    assert told.notes == ("log.swf was changed since; the record's own copy of its jobs was used.",)


def test_a_run_that_comes_out_differently_is_told_so(tmp_path):
    recorded(tmp_path, busy_case(), Setting("first-fit"))
    record = read_record(tmp_path)
    told = rerun(replace(record, setting=Setting("worse-fit-cores")))
    assert not told.same
    assert told.differing_jobs > 0


def test_a_record_whose_jobs_were_changed_is_refused(tmp_path):
    recorded(tmp_path, busy_case(), Setting("first-fit"))
    jobs = pl.read_parquet(tmp_path / "jobs.parquet")
    jobs.with_columns(runtime_s=pl.col("runtime_s") + 1).write_parquet(tmp_path / "jobs.parquet")
    with pytest.raises(InputError, match="changed after the run"):
        read_record(tmp_path)


def test_a_record_of_other_jobs_than_those_simulated_is_refused(tmp_path):
    recorded(tmp_path, busy_case(), Setting("first-fit"))
    record = read_record(tmp_path)
    with pytest.raises(InputError, match="changed after the run"):
        rerun(replace(record, case=several_tasks()))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda run: (run / "run.json").unlink(), "no run record here"),
        (lambda run: (run / "run.json").write_text("{"), "damaged"),
        (lambda run: (run / "run.json").write_text('{"format": 99}'), "another format"),
        (lambda run: (run / "jobs.parquet").write_bytes(b"junk"), "damaged"),
        (lambda run: (run / "hosts.parquet").unlink(), "damaged"),
    ],
)
def test_a_damaged_record_is_one_clear_error(tmp_path, damage, message):
    recorded(tmp_path, several_tasks(), Setting("first-fit"))
    damage(tmp_path)
    with pytest.raises(InputError, match=message):
        read_record(tmp_path)


def test_run_json_holds_the_whole_setting(tmp_path):
    recorded(tmp_path, busy_case(), THREE[2], command="loadmaster simulate")
    about = json.loads((tmp_path / "run.json").read_text())
    assert Setting.of(about["setting"]) == THREE[2]
    assert about["result"]["policy"] == "max-jobs"
    assert about["synthetic"] is True


def test_an_outcome_comes_back_from_the_store_as_it_was():
    outcome = run_fully(busy_case(), THREE[2], {}).outcome
    back = from_bytes(to_bytes(outcome))
    assert back.row() == outcome.row()
    assert back.members == outcome.members
    assert np.array_equal(back.use.stranded, outcome.use.stranded)
    assert np.array_equal(back.wait_counts, outcome.wait_counts)


def test_a_record_keeps_how_much_of_the_work_is_left_out(tmp_path):
    jobs = Workload.of(submit_s=[0, 1, 2, 3], runtime_s=[9, 9, 9, 9], cores=[1, 8, 1, 1])
    skipped = Skipped()
    skipped.add("a field is not a number", [7], bad=True)
    case = case_of(Trace(jobs, skipped=skipped), Cluster.uniform(2, cores=2))
    setting = Setting("first-fit", "fcfs")
    recorded(tmp_path / "judged", case, setting)
    recorded(tmp_path / "allowed", replace(case, allowed=True), setting)
    assert "2 of 5 jobs (40 %) with 73 % of the work" in case.without_verdict
    assert read_record(tmp_path / "judged").case.without_verdict == case.without_verdict
    assert read_record(tmp_path / "allowed").case.left_out_first == case.left_out_first
    assert read_record(tmp_path / "allowed").case.without_verdict == ""


def test_a_record_keeps_the_jobs_that_ran_as_the_run_began(tmp_path):
    state = StartingState(8.0, job=[0, 1], start_s=[0.0, 6.0], host=[0, 0, 1, 0], end_s=[50.0, 66.0])
    plain = several_tasks()
    case = replace(plain, workload=replace(plain.workload, starting=state))
    assert case.digest != plain.digest
    setting = Setting("first-fit", "easy", interval_s=0.0)
    schedule, _ = recorded(tmp_path, case, setting)
    back = read_record(tmp_path)
    assert back.case.digest == case.digest
    assert schedule.start_s.tolist()[:2] == [0.0, 6.0]
    assert rerun(back).same
    for job in (13, 99):
        assert explain(back, job).choice.same, f"job {job}"
