"""A bar for every time in which a task held a host."""

import re

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.report.gantt import MOST_BARS, bars_of


@pytest.fixture(scope="module")
def simulated():
    jobs = Workload.of(submit_s=[0, 0, 0, 5, 600], runtime_s=[60, 60, 60, 60, 60], cores=[2, 2, 2, 4, 1])
    return lm.simulate(jobs, Cluster.uniform(2, cores=4), policy="first-fit", discipline="fcfs", interval=0)


def test_bars_that_overlap_on_a_host_have_places_of_their_own(simulated):
    bars = bars_of(simulated.record.workload, 2, simulated.record.schedule, 0.0, np.inf)
    for host in (0, 1):
        for lane in range(int(bars.lanes[host])):
            here = (bars.host == host) & (bars.lane == lane)
            order = np.argsort(bars.start_s[here])
            assert (bars.end_s[here][order][:-1] <= bars.start_s[here][order][1:]).all()
    assert bars.lanes.tolist() == [2, 1]


def test_every_job_is_in_the_chart_and_bears_its_host_and_its_wait(simulated):
    values = next(
        layer["data"]["values"] for layer in simulated.gantt().to_dict()["layer"] if "t" in str(layer["data"])
    )
    assert sorted(row["job"] for row in values) == ["0", "1", "2", "3", "4"]
    assert {row["job"]: row["waited"] for row in values}["3"] == pytest.approx(55.0)


def test_between_two_times_stand_those_that_run_then(simulated):
    spec = str(simulated.gantt(500.0, 700.0).to_dict())
    assert re.findall(r"'job': '(\d)'", spec) == ["4"]
    with pytest.raises(InputError, match="no job runs then"):
        simulated.gantt(200.0, 300.0)


def test_more_bars_than_can_be_told_apart_are_refused_with_what_to_do():
    count = MOST_BARS + 1
    jobs = Workload.of(submit_s=np.arange(count), runtime_s=np.ones(count), cores=np.ones(count))
    run = lm.simulate(jobs, "4x4c", policy="first-fit")
    with pytest.raises(InputError, match=r"no more than 5,000 can be distinguished; give times, such as gantt\(0, "):
        run.gantt()
    assert run.hosts_over_time().to_dict()


def test_a_job_that_goes_on_for_long_does_not_make_all_others_hairlines():
    jobs = Workload.of(submit_s=[0, 50, 100], runtime_s=[20, 20, 1e6], cores=[1, 1, 1])
    run = lm.simulate(jobs, "1x4c", policy="first-fit", discipline="fcfs", interval=0)
    usual, whole = str(run.gantt().to_dict()), str(run.gantt(0.0, 1e7).to_dict())
    assert "'domain': [0, 150.0]" in usual
    assert "seconds since the log began (1 bar goes on beyond the edge)" in usual
    assert "beyond the edge" not in whole
