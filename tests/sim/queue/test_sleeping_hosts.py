"""Hosts that sleep while they are idle (rule C17): a case worked by hand, in both engines, and what a record keeps."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.measure import violations
from loadmaster.measure.queue_metrics import waits
from loadmaster.model import Cluster, HostStartUp, InputError, SiteRules, StartingState, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

# Host 0 is always awake, host 1 needs 30 s to start and sleeps after 100 s without a job. A takes host 0 for long.
# B wakes host 1 at 10: its work lasts from 40 to 140. C comes at 60, beside B on host 1, which is up: 60 to 70.
# D comes at 230, 90 s after B has ended: host 1 is awake, 230 to 240. E comes at 340, exactly 100 s after D: awake.
# F comes at 500, 150 s after E: from 530 on. G comes at 510 while host 1 starts, and waits for it: from 530 on.
SUBMIT_S = [0.0, 10.0, 60.0, 230.0, 340.0, 500.0, 510.0]
RUNTIME_S = [1000.0, 100.0, 10.0, 10.0, 10.0, 50.0, 60.0]
START_UP_S = [0.0, 30.0, 0.0, 0.0, 0.0, 30.0, 20.0]
CORES = [4, 2, 2, 2, 2, 2, 2]
DISCIPLINES = ["easy", "fcfs", "skip", "conservative", "slurm", "netbatch"]


def case(cores=CORES):
    workload = Workload.of(submit_s=SUBMIT_S, runtime_s=RUNTIME_S, cores=cores)
    hosts = Cluster.uniform(2, cores=4)
    return workload, replace(hosts, rules=SiteRules(start_up=(HostStartUp((1,), 30.0, 100.0),)))


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_job_waits_for_hosts_that_sleep_as_worked_by_hand(discipline, engine):
    workload, cluster = case()
    schedule = simulate(workload, cluster, POLICIES["first-fit"], discipline_named(discipline), engine=engine)
    np.testing.assert_array_equal(schedule.start_up_s, START_UP_S)
    np.testing.assert_array_equal(waits(workload, schedule), START_UP_S)
    np.testing.assert_array_equal(schedule.ends_s(workload), np.add(np.add(SUBMIT_S, START_UP_S), RUNTIME_S))
    assert not violations(workload, cluster, schedule)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_the_head_is_promised_the_end_of_a_job_whose_host_starts_first(engine):
    # B holds host 1 from 10 to 140, its start included. C needs all of host 1 and waits until then. D would end at 120
    # on host 1, before that: it starts at once.
    rules = SiteRules(start_up=(HostStartUp((1,), 30.0, 100.0),))
    hosts = replace(Cluster.uniform(2, cores=4), rules=rules)
    jobs = Workload.of(submit_s=[0, 10, 20, 21], runtime_s=[1000, 100, 10, 99], cores=[4, 2, 4, 2])
    easy = simulate(jobs, hosts, POLICIES["first-fit"], discipline_named("easy"), engine=engine)
    assert easy.begin_s.tolist() == [0.0, 40.0, 140.0, 40.0]
    longer = replace(jobs, runtime_s=np.array([1000.0, 100.0, 10.0, 120.0]))
    easy = simulate(longer, hosts, POLICIES["first-fit"], discipline_named("easy"), engine=engine)
    assert easy.begin_s.tolist() == [0.0, 40.0, 140.0, 150.0]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_without_an_idle_time_a_host_only_sleeps_before_its_first_job(engine):
    workload, cluster = case()
    cluster = replace(cluster, rules=SiteRules(start_up=(HostStartUp((1,), 30.0),)))
    schedule = simulate(workload, cluster, POLICIES["first-fit"], discipline_named("easy"), engine=engine)
    assert schedule.start_up_s.tolist() == [0.0, 30.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_host_on_which_a_job_runs_at_the_beginning_is_awake(engine):
    workload, cluster = case()
    began = StartingState(5.0, np.array([1]), np.array([2.0]), np.array([1], np.int32))
    workload = replace(workload, submit_s=np.array([0.0, 1.0, *SUBMIT_S[2:]]), starting=began)
    schedule = simulate(workload, cluster, POLICIES["first-fit"], discipline_named("easy"), engine=engine)
    assert schedule.start_up_s.tolist() == [0.0, 0.0, 0.0, 30.0, 0.0, 30.0, 20.0]


def test_hosts_named_twice_and_times_below_zero_are_refused():
    with pytest.raises(InputError, match="given twice"):
        Cluster(("cores",), [[4.0]], rules=SiteRules(start_up=(HostStartUp((0,), 1.0), HostStartUp((0,), 2.0))))
    with pytest.raises(InputError, match="no such host"):
        Cluster(("cores",), [[4.0]], rules=SiteRules(start_up=(HostStartUp((3,), 1.0),)))
    with pytest.raises(InputError, match="zero or more seconds"):
        HostStartUp((0,), -1.0)
