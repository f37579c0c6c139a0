"""What `explain` says of jobs that the rules of a site kept waiting."""

import numpy as np
import pytest
from bound_jobs import KINDS, bound_jobs

from loadmaster.model import Cluster, Constraints, InputError, Limits, Named, Partition, Qos, SiteRules, Workload
from loadmaster.model.limits import LIMIT_KINDS
from loadmaster.runs import Case, Setting, run_fully
from loadmaster.runs.blocking_rules import _limit_reached
from loadmaster.runs.explain import explain
from loadmaster.runs.record import Record, read_record, write_record
from loadmaster.scheduling.power_cap import POWER
from loadmaster.scheduling.resolved_constraints import resolve_constraints
from loadmaster.scheduling.running_limits import LICENCES, THROTTLE
from loadmaster.verbs.explain import explain as explain_verb


def record_of(rules, bound, cores=(1, 1), hosts=2, **columns):
    jobs = len(cores)
    columns = {"submit_s": [0.0] * jobs, "runtime_s": [10.0] * jobs, "memory": [1] * jobs} | columns
    cluster = Cluster(("cores", "memory"), np.tile([4.0, 8.0], (hosts, 1)), (), np.ones(hosts), rules)
    case = Case(Workload.of(cores=cores, constraints=bound, **columns), cluster)
    setting = Setting("first-fit", "fcfs")
    return Record(case, setting, case.workload, run_fully(case, setting, {}).schedule)


def reasons(record, job):
    return set(explain(record, job).delay.reasons)


def test_a_job_that_its_partition_never_admits_is_told_so():
    rules = SiteRules(partitions=(Partition("main", (0, 1)), Partition("short", (0,), max_time_s=5.0)))
    record = record_of(rules, Constraints(partition=Named.of(["main", "short"])))
    assert reasons(record, 1) == {"its partition does not admit it, or starts none"}


def test_hosts_outside_its_partition_are_no_room():
    rules = SiteRules(partitions=(Partition("main", (0, 1)), Partition("short", (0,))))
    bound = Constraints(partition=Named.of(["short", "short"]))
    record = record_of(rules, bound, cores=(4, 4), submit_s=[0.0, 5.0], runtime_s=[100.0, 10.0])
    assert reasons(record, 1) == {"no host that it may use had enough cores"}


def test_a_limit_that_was_reached_is_named_with_its_place():
    rules = SiteRules(qos=(Qos("normal", limits=Limits(max_jobs_pu=1)),))
    bound = Constraints(qos=Named.of(["normal", "normal"]), user_names=("eve",))
    record = record_of(rules, bound, user=[0, 0])
    assert reasons(record, 1) == {"a limit was reached: 1 jobs of one user at once (qos normal)"}


def test_the_throttle_of_an_array_is_named_and_its_tasks_are_found_by_their_names():
    bound = Constraints(array=np.array([12, 12]), array_task=[1, 3], throttle=[1, 1])
    record = record_of(SiteRules(), bound)
    told = explain(record, "12_3")
    assert told.identifier == "12_3"
    assert set(told.delay.reasons) == {"as many tasks of its array ran as may at once: 1"}


def test_every_limit_that_a_random_log_runs_into_has_words():
    logs = [bound_jobs(seed, kind) for kind in KINDS for seed in range(8)]
    limits = {limit for log in logs for limit in resolve_constraints(*log).counters.limits}
    at_once = {name for name, kind in LIMIT_KINDS.items() if kind.counts == "running"}
    assert {limit.kind for limit in limits} == {*at_once, THROTTLE, LICENCES, POWER}
    assert all(LIMIT_KINDS[name].words for name in at_once)
    assert all(_limit_reached(limit, 1.0) for limit in limits if limit.kind not in (LICENCES, POWER))


def test_a_limit_on_work_that_jobs_have_used_up_before_is_named():
    rules = SiteRules(qos=(Qos("normal", limits=Limits(grp_wall_s=20.0)),), limits_safe=False)
    record = record_of(rules, Constraints(qos=Named.of(["normal"] * 3)), cores=(4, 4, 4), hosts=1)
    assert "a limit on work was reached: 20 seconds of all jobs (qos normal)" in reasons(record, 2)


def test_a_number_with_an_underscore_is_no_other_job(tmp_path):
    record = record_of(SiteRules(), Constraints(), cores=(1,) * 15)
    write_record(tmp_path, record)
    assert explain_verb(tmp_path, "12").told.job == 12
    with pytest.raises(InputError, match="no such job"):
        explain_verb(tmp_path, "1_2")


def test_names_that_an_engine_gives_are_kept_and_found_also_without_their_marks(tmp_path):
    made = record_of(SiteRules(), Constraints())
    named = Record(made.case, made.setting, made.workload, made.schedule, called=("12@1700000000", "web/3"))
    write_record(tmp_path, named)
    kept = read_record(tmp_path)
    assert [explain(kept, name).job for name in ("12", "12@1700000000", "web/3")] == [0, 0, 1]
    with pytest.raises(InputError, match="called 12@1700000000 to web/3"):
        explain(kept, "web")


def test_a_licence_that_lacked_is_named_and_one_that_was_kept_too():
    rules = SiteRules(licences=(("m", 5.0),))
    bound = Constraints(licences=Named.of(["m:3", "m:4", "m:2"]))
    record = record_of(rules, bound, cores=(1, 1, 1), submit_s=[0.0, 1.0, 2.0], runtime_s=[100.0, 10.0, 200.0])
    easy = Setting("first-fit", "easy")
    record = Record(record.case, easy, record.workload, run_fully(record.case, easy, {}).schedule)
    assert reasons(record, 1) == {"licence m: it requests 4, and 2 of 5 were free"}
    assert reasons(record, 2) == {
        "a host and enough of m were free, but kept for other jobs",
        "licence m: it requests 2, and 1 of 5 were free",
    }
