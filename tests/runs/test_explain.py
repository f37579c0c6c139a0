from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from bound_jobs import bound_jobs
from small_case import busy_case

import loadmaster
from loadmaster.model import Cluster, Constraints, Dependencies, InputError, Named, Partition, SiteRules, Workload
from loadmaster.model.constraints import STATUSES
from loadmaster.model.site_rules import Preemption
from loadmaster.place import POLICIES
from loadmaster.report.explanation import sentences
from loadmaster.runs import Case, Setting, case_of, run_fully
from loadmaster.runs.delay import KEPT, KEPT_OR_NOT_LOOKED_AT, KEPT_OR_NOT_REACHED, NOT_LOOKED_AT, TAKEN
from loadmaster.runs.explain import EarlierRun, explain
from loadmaster.runs.rebuild import snapshot_at
from loadmaster.runs.record import Record
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue.reference import replay
from loadmaster.traces import Trace


def record_of(case, setting):
    _, schedule, _ = run_fully(case, setting, {})
    return Record(case, setting, case.workload.scaled(setting.beta), schedule)


def two_host_record(policy="first-fit", hosts=2, **columns):
    workload = Workload.of(**columns)
    cluster = Cluster(("cores", "memory"), np.tile([4.0, 8.0], (hosts, 1)))
    return record_of(case_of(Trace(workload), cluster), Setting(policy))


@pytest.mark.parametrize("policy", ["first-fit", "mix-fit", "worse-fit-memory", "max-jobs", "random", "round-robin"])
def test_every_start_of_a_run_is_decided_again_as_it_was(policy):
    record = record_of(busy_case(), Setting(policy, seed=5))
    for job in range(0, 400, 23):
        told = explain(record, record.workload.id_of(job))
        assert told.choice.same, f"job {job}"
        assert told.choice.candidates[0].host == told.hosts[0]


def test_hosts_that_a_job_may_not_use_are_not_said_to_be_kept_for_others():
    parts = (Partition("left", hosts=(0,)), Partition("right", hosts=(1, 2)))
    cluster = Cluster(("cores",), np.full((3, 1), 4.0), rules=SiteRules(partitions=parts))
    bound = Constraints(partition=Named.of(["right"]))
    workload = Workload.of(submit_s=[0.0], runtime_s=[9.0], cores=[1.0], constraints=bound)
    told = explain(record_of(case_of(Trace(workload), cluster), Setting("first-fit", "easy")), 0)
    assert (told.choice.fitting, told.choice.kept_back) == (2, 0)


@pytest.mark.parametrize("seed", range(4))
def test_starts_of_jobs_that_constraints_bind_are_decided_again_as_they_were(seed):
    workload, cluster = bound_jobs(seed, "partition", "features", "limits", "calendar", "speed")
    record = record_of(Case(workload, cluster), Setting("worse-fit-cores", "easy"))
    started = np.flatnonzero(record.schedule.started)
    assert started.size
    for job in started:
        assert explain(record, int(job)).choice.same, f"job {job}"


@pytest.mark.parametrize(
    ("discipline", "policy"),
    [("conservative", "worse-fit-cores"), ("conservative(early_end=start)", "round-robin"),
     ("conservative(early_end=now)", "random"), ("conservative(early_end=kept)", "max-jobs"),
     ("slurm(batch_sched_delay=7,bf_resolution=5)", "worse-fit-cores"), ("sjf+easy(heads=2)", "round-robin"),
     ("sjf+netbatch", "round-robin"), ("easy(fill=shortest)", "round-robin")],
)  # fmt: skip
def test_decisions_that_rest_on_earlier_ones_are_made_again_as_they_were(discipline, policy):
    for seed, kinds in ((3, ()), (4, ("preempt",)), (6, ("partition", "depends", "limits"))):
        workload, cluster = bound_jobs(seed, *kinds)
        record = record_of(Case(workload, cluster), Setting(policy, discipline, interval_s=0.0, seed=seed))
        started = np.flatnonzero(record.schedule.started)
        assert started.size
        for job in started:
            told = explain(record, int(job))
            assert told.choice.same, f"job {job} of seed {seed}"
            assert told.choice.candidates == () or told.choice.candidates[0].host in told.hosts


@pytest.mark.parametrize(("most", "same"), [(20_000, True), (2, False)])
def test_behind_very_many_jobs_an_explanation_says_that_it_is_not_exact(monkeypatch, most, same):
    # Job 3 starts at 30 s since it was promised that; job 1 keeps the 60 s that it was promised, though all is free.
    workload = Workload.of(
        submit_s=[0] * 4, runtime_s=[10, 30, 10, 10], cores=[1, 4, 3, 2], estimate_s=np.array([60.0, 30, 30, 10])
    )
    setting = Setting("first-fit", "conservative(early_end=kept)", interval_s=0.0)
    record = record_of(Case(workload, Cluster.uniform(1, cores=4)), setting)
    monkeypatch.setattr("loadmaster.runs.live_replay.MOST_REPLAYED", most)
    assert record.schedule.start_s.tolist() == [0, 60, 0, 30]
    assert explain(record, 3).choice.same == same


@dataclass(frozen=True)
class Watched(Scheduler):
    """A scheduler that keeps what it has seen, by the moment."""

    seen: dict = field(default_factory=dict)

    def decide(self, snapshot):
        self.seen[snapshot.now_s] = snapshot
        return super().decide(snapshot)


@pytest.mark.parametrize("discipline", ["netbatch", "fair-share"])
def test_a_rebuilt_snapshot_is_what_the_scheduler_saw(discipline):
    case = busy_case()
    watched = Watched(POLICIES["round-robin"], named(discipline))
    setting = Setting("round-robin", discipline)
    schedule = replay(case.workload, case.cluster, watched, interval_s=setting.interval_s)
    seen, record = watched.seen, Record(case, setting, case.workload, schedule)
    for now in list(seen)[::37]:
        rebuilt = snapshot_at(record, now)
        assert np.array_equal(rebuilt.free, seen[now].free)
        assert np.array_equal(rebuilt.queue.job, seen[now].queue.job)
        if discipline == "netbatch":  # the record does not know in which order one cycle starts jobs
            assert np.array_equal(rebuilt.running.job, seen[now].running.job)
            assert np.array_equal(rebuilt.running.expected_end_s, seen[now].running.expected_end_s)
            assert rebuilt.last_host == seen[now].last_host
        for column in () if rebuilt.need is None else rebuilt.need._fields:
            assert np.array_equal(getattr(rebuilt.need, column), getattr(seen[now].need, column)), column


def test_a_job_that_starts_in_its_first_cycle_has_not_waited():
    told = explain(two_host_record(submit_s=[10], runtime_s=[60], cores=[1], memory=[1]), 0)
    assert not told.waited
    assert (told.wait_s, told.delay.first_cycle_s, told.delay.reasons) == (20.0, 30.0, {})
    assert (told.choice.fitting, told.choice.kept_back, told.choice.started_before) == (2, 0, 0)


def test_a_job_that_waits_for_memory_is_told_so_and_whose_end_made_room():
    # Both hosts' memory is full; job 1's end at 100 s gives it back, and the cycle at 120 s starts job 2.
    memory = [8, 8, 6, 8, 8, 8]
    record = two_host_record(
        submit_s=[0, 0, 0, 31, 61, 91], runtime_s=[500, 100, 60, 1, 1, 1], cores=[1] * 6, memory=memory
    )
    told = explain(record, 2)
    assert told.start_s == 120.0
    lacking = "no host had enough memory"
    assert told.delay.reasons == {f"{TAKEN}; then {lacking}": 1, lacking: 2}
    assert (told.delay.room_since_s, told.delay.freed_by) == (100.0, 1)
    assert told.delay.ahead == 2


def test_a_job_that_lacks_cores_is_told_so():
    record = two_host_record(submit_s=[0, 0, 0], runtime_s=[60, 60, 60], cores=[4, 4, 1], memory=[1, 1, 1])
    assert explain(record, 2).delay.reasons == {f"{TAKEN}; then no host had enough cores": 1}


def test_resources_that_lie_apart_are_told_so():
    # One host has cores but no memory left, the other memory but no cores.
    record = two_host_record(submit_s=[0, 0, 0], runtime_s=[60, 60, 60], cores=[1, 4, 1], memory=[8, 1, 1])
    (reason,) = explain(record, 2).delay.reasons
    assert "never enough of all on one host" in reason


def test_a_host_kept_for_a_job_ahead_is_told_so():
    # Job 1 needs a whole host and waits for job 0; the reservation keeps the only host from job 2.
    record = two_host_record(hosts=1, submit_s=[0, 0, 0], runtime_s=[60, 60, 10], cores=[1, 4, 1], memory=[1, 1, 1])
    told = explain(record, 2)
    assert told.delay.reasons == {KEPT: 1, f"{TAKEN}; then no host had enough cores": 1}
    assert told.start_s == 120.0


def test_a_host_taken_by_jobs_served_earlier_is_told_so():
    record = two_host_record(hosts=1, submit_s=[0, 0], runtime_s=[60, 10], cores=[3, 3], memory=[1, 1])
    assert explain(record, 1).delay.reasons == {f"{TAKEN}; then no host had enough cores": 1}


@pytest.mark.parametrize(("most", "reason"), [(20_000, NOT_LOOKED_AT), (0, KEPT_OR_NOT_LOOKED_AT)])
def test_a_job_that_came_between_two_looks_of_slurm_is_told_so(monkeypatch, most, reason):
    # The queue is looked at as job 0 comes, and for arrivals again 3 s later; nobody is kept a host for.
    monkeypatch.setattr("loadmaster.runs.live_replay.MOST_REPLAYED", most)
    workload = Workload.of(submit_s=[0, 1], runtime_s=[60, 10], cores=[1, 1])
    record = record_of(Case(workload, Cluster.uniform(1, cores=4)), Setting("first-fit", "fcfs+slurm", interval_s=0.0))
    assert record.schedule.start_s.tolist() == [0, 3]
    told = explain(record, 1)
    assert told.delay.reasons == {reason: 1}
    assert not any("kept for, or served to" in line for line in sentences(record, told))


def test_what_slurm_keeps_for_jobs_ahead_in_a_look_is_still_told_so():
    # Job 1 needs the whole host and waits for job 0; the look of 3 s keeps the host from job 2, that of 1 s never was.
    workload = Workload.of(submit_s=[0, 1, 1], runtime_s=[60, 60, 600], cores=[1, 4, 1])
    record = record_of(Case(workload, Cluster.uniform(1, cores=4)), Setting("first-fit", "fcfs+slurm", interval_s=0.0))
    assert explain(record, 2).delay.reasons[NOT_LOOKED_AT] >= 1
    assert explain(record, 2).delay.reasons[KEPT] >= 1


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ("netbatch(lookahead=1)", KEPT_OR_NOT_REACHED),
        ("netbatch(lookahead=3)", KEPT),
        ("slurm(default_queue_depth=1, bf_interval=none, sched_interval=none)", KEPT_OR_NOT_REACHED),
    ],
)
def test_a_job_that_a_short_pass_may_not_have_come_to_is_told_so(rule, reason):
    # Job 1 needs the whole host and waits for job 0. Job 2 would fit: was it kept from the host, or not tried?
    workload = Workload.of(submit_s=[0, 0, 0], runtime_s=[60, 60, 600], cores=[2, 4, 1])
    setting = Setting("first-fit", f"fcfs+{rule}", interval_s=30.0 if "netbatch" in rule else 0.0)
    record = record_of(Case(workload, Cluster.uniform(1, cores=4)), setting)
    assert explain(record, 2).delay.reasons.get(reason, 0) >= 1


def test_a_job_that_was_overtaken_counts_those_that_passed_it():
    # Job 2 needs a whole host and reserves one; job 3 comes later and takes the core left on the other.
    record = two_host_record(submit_s=[0, 0, 1, 31], runtime_s=[90, 90, 60, 5], cores=[3, 3, 4, 1], memory=[1] * 4)
    assert record.schedule.start_s.tolist() == [0, 0, 90, 60]
    assert explain(record, 2).delay.overtaken_by == 1
    assert explain(record, 3).delay.overtaken_by == 0


def test_the_members_of_max_jobs_are_told_with_what_they_would_start():
    record = record_of(busy_case(), Setting("max-jobs"))
    choice = explain(record, 200).choice
    assert [member.name for member in choice.members][-1] == "mix-fit"
    assert sum(member.won for member in choice.members) == 1
    winner = next(member for member in choice.members if member.won)
    assert winner.value == max(member.value for member in choice.members)
    assert choice.policy == winner.name


def test_a_job_with_several_tasks_names_all_its_hosts():
    workload = Workload.of(submit_s=[0], runtime_s=[60], cores=[3], memory=[1], tasks=[2])
    case = case_of(Trace(workload), Cluster(("cores", "memory"), np.tile([4.0, 8.0], (2, 1))), "any")
    told = explain(record_of(case, Setting("first-fit")), 0)
    assert (told.tasks, told.hosts, told.choice.same) == (2, (0, 1), True)


def test_jobs_are_found_by_the_identifiers_of_the_log():
    record = two_host_record(submit_s=[0, 0], runtime_s=[60, 60], cores=[1, 1], memory=[1, 1], job_id=[70, 75])
    assert explain(record, 75).job == 1


def test_an_unknown_job_is_one_clear_error():
    record = two_host_record(submit_s=[0, 0], runtime_s=[60, 60], cores=[1, 9], memory=[1, 1], job_id=[70, 75])
    with pytest.raises(InputError, match="identifiers from 70 to 70; 1 more were rejected"):
        explain(record, 75)


def dependent_record(*depends, status=None):
    """One host of one core; job 0 runs for 50 s, the others wait for what they are told to."""
    jobs = len(depends) + 1
    bound = Constraints(depends=Dependencies.of(["", *depends]), status=status)
    workload = Workload.of(
        submit_s=[0.0] * jobs, runtime_s=[50.0] * jobs, cores=[1] * jobs, memory=[1] * jobs, constraints=bound
    )
    return record_of(Case(workload, Cluster.uniform(2, cores=1, memory=4)), Setting("first-fit", interval_s=10.0))


def test_a_job_is_said_to_have_waited_for_those_that_it_names():
    record = dependent_record("afterany:0", "afterany:1,after:0+1")
    assert explain(record, 1).delay.reasons == {"it waited for job 0 to end": 1}
    assert explain(record, 2).delay.reasons == {
        "it waited for job 1 to end and job 0 to begin": 1,
        "it waited for job 1 to end and job 0 to have begun longer ago": 1,
    }


def test_what_another_did_not_do_can_never_come():
    record = dependent_record("afterok:0", "afternotok:0", status=[STATUSES.index("failed"), 0, 0])
    assert "it could never start: job 0 did not end well" in explain(record, 1).delay.reasons
    assert explain(record, 2).start_s == 50.0


def test_of_several_one_may_be_enough():
    record = dependent_record("", "afternotok:0?afterany:1")
    assert explain(record, 2).delay.reasons == {"it waited for job 0 to fail or job 1 to end": 1}


@pytest.mark.parametrize(
    ("mode", "wait_s", "lost", "then"),
    [("requeue", 50.0, True, "its work was lost"), ("suspend", 20.0, False, "it went on from there")],
)
def test_a_job_that_was_stopped_for_another_is_told_with_the_run_before(mode, wait_s, lost, then):
    parts = (Partition("low", hosts=(0,)), Partition("high", hosts=(0,), tier=2))
    rules = SiteRules(partitions=parts, preemption=Preemption("partition", mode))
    bound = Constraints(partition=Named.of(["low", "high", "low"]))
    work = Workload.of(submit_s=[0, 30, 31], runtime_s=[100, 20, 1], cores=[4, 2, 3], constraints=bound)
    cluster = replace(Cluster.uniform(1, cores=4), rules=rules)
    record = record_of(Case(work, cluster), Setting("first-fit", "easy", interval_s=0.0))
    told = explain(record, 0)
    assert (told.start_s, told.wait_s, told.stops) == (50.0, wait_s, (EarlierRun(0.0, 30.0, lost, (0,)),))
    assert (told.choice is None) == (not lost)
    assert told.delay.cycles == 3  # at 30, 31 and 50 s; not that at 0, in which it started
    assert then in next(line for line in sentences(record, told) if line.startswith("It was stopped at 30 s"))
    assert explain(record, 2).delay.room_since_s == 150.0 - 30.0 * (not lost)


def test_whoever_waits_while_a_stopped_job_ran_its_first_time_had_no_room():
    rules = SiteRules(
        partitions=(Partition("low", hosts=(0,)), Partition("high", hosts=(0,), tier=2)),
        preemption=Preemption("partition", "requeue"),
    )
    bound = Constraints(partition=Named.of(["low", "low", "high"]))
    work = Workload.of(submit_s=[0, 10, 30], runtime_s=[100, 5, 20], cores=[4, 1, 4], constraints=bound)
    cluster = replace(Cluster.uniform(1, cores=4), rules=rules)
    told = explain(record_of(Case(work, cluster), Setting("first-fit", "easy", interval_s=0.0)), 1)
    assert KEPT not in told.delay.reasons
    assert told.delay.room_since_s == 150.0


def test_each_of_two_jobs_with_one_number_can_be_asked_for(tmp_path):
    """explain answered for the first alone, without a word about the other."""
    path = tmp_path / "log.csv"
    path.write_text("job_id,submit_s,runtime_s,cores\n1,0,60,1\n1,10,60,1\n2,20,60,1\n")
    run = loadmaster.simulate(path, hosts="1x1c", policy="first-fit", discipline="fcfs")
    first, second = (loadmaster.explain(run, name) for name in ("1", "1@2"))
    assert (first.figures["start_s"], second.figures["start_s"]) == (0.0, 60.0)
    assert "2 jobs have the number 1. This is 1@1; name another as 1@2." in first.notes
    assert "2 jobs have the number 1. This is 1@2; name another as 1@1." in second.notes
    assert not any("have the number" in note for note in loadmaster.explain(run, "2").notes)
    with pytest.raises(InputError, match="no such job"):
        loadmaster.explain(run, "1@3")
