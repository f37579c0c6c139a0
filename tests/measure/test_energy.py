"""Energy of a run, worked out by hand, and against a sum over small steps of time (rule N5)."""

import numpy as np
import pytest
from bound_jobs import bound_jobs

import loadmaster as lm
from loadmaster.measure.energy import NO_ENERGY, energy
from loadmaster.model import Cluster, InputError, SiteRules
from loadmaster.model.energy import HostPower, parse_power, until_now
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue.reference import replay
from loadmaster.traces.host_files import read_host_file
from loadmaster.traces.values_over_time import values_over_time


def run(tmp_path, hosts, rows, **rules):
    (tmp_path / "log.csv").write_text("submit_s,runtime_s,cores\n" + rows)
    (tmp_path / "hosts.csv").write_text(hosts)
    workload, cluster = lm.read(tmp_path / "log.csv").workload, read_host_file(tmp_path / "hosts.csv")
    cluster = Cluster(
        cluster.resources,
        cluster.capacity,
        rules=SiteRules(power=cluster.rules.power if cluster.rules else (), **rules),
    )
    schedule = replay(workload, cluster, Scheduler(POLICIES["first-fit"], discipline_named("easy")))
    return energy(workload, cluster, schedule)


def test_idle_and_full_hosts_prices_and_carbon_by_hand(tmp_path):
    found = run(
        tmp_path,
        "name,count,cores,idle_w,full_w\nn,2,4,100,200\n",
        "0,1800,4\n0,3600,2\n",
        energy_price=((0.0, 0.1), (1800.0, 0.3)),
        carbon=((0.0, 400.0),),
    )
    assert found == pytest.approx((0.3, 0.055, 0.12))


def test_a_table_of_watts_by_load_is_linear_between_its_points(tmp_path):
    # 3 of 4 cores: halfway between 160 W and 250 W, for half an hour; a second host stays idle
    hosts = "count,cores,power_w\n1,4,0:90;0.5:160;1:250\n1,4,0:50;1:60\n"
    assert run(tmp_path, hosts, "0,1800,3\n").kwh == pytest.approx((205 + 50) * 0.5 / 1000)


def test_without_power_nothing_is_known(tmp_path):
    found = run(tmp_path, "count,cores\n1,4\n", "0,1800,3\n")
    assert np.isnan(found).all()
    assert found is NO_ENERGY


@pytest.mark.parametrize("kinds", [(), ("preempt",), ("calendar",)], ids=["free", "preempt", "calendar"])
def test_the_sum_is_that_of_small_steps_of_time(kinds):
    for seed in range(4):
        workload, cluster = bound_jobs(seed, *kinds)
        rules = cluster.rules or SiteRules()
        power = (
            HostPower((0, 2), ((0.0, 50.0), (0.25, 90.0), (1.0, 110.0))),
            HostPower((1,), ((0.0, 0.0), (1.0, 80.0))),
        )
        rules = SiteRules(**{**vars(rules), "power": power, "energy_price": ((20.0, 1.0), (50.0, 3.0), (90.0, 0.5))})
        cluster = Cluster(cluster.resources, cluster.capacity, rules=rules)
        schedule = replay(workload, cluster, Scheduler(POLICIES["first-fit"], discipline_named("skip")))
        found = energy(workload, cluster, schedule)
        assert found[:2] == pytest.approx(_step_by_step(workload, cluster, schedule), rel=1e-9)


def _step_by_step(workload, cluster, schedule):
    """kWh and cost second by second; every time of these runs is a multiple of a quarter second."""
    ends, joules, cost, step_s = schedule.ends_s(workload), 0.0, 0.0, 0.25
    spans = [
        (schedule.start_s[job], ends[job], schedule.host[workload.first_task[job] : workload.first_task[job + 1]], job)
        for job in np.flatnonzero(schedule.started)
    ]
    cut = schedule.segments
    for row in range(0 if cut is None else len(cut)):
        spans.append((cut.start_s[row], cut.end_s[row], cut.host[cut.first[row] : cut.first[row + 1]], cut.job[row]))
    last_s = max(span[1] for span in spans)
    for time_s in np.arange(float(workload.submit_s[0]), last_s, step_s):
        used = np.zeros(cluster.hosts)
        for start_s, end_s, hosts, job in spans:
            if start_s <= time_s < end_s:
                np.add.at(used, hosts, workload.demand[job, 0])
        price = [value for at, value in cluster.rules.energy_price if at <= time_s] or [
            cluster.rules.energy_price[0][1]
        ]
        for power in cluster.rules.power:
            loads, watts = zip(*power.points, strict=True)
            for host in power.hosts:
                drawn = np.interp(used[host] / cluster.capacity[host, 0], loads, watts) * step_s
                joules, cost = joules + drawn, cost + drawn * price[-1]
    return joules / 3.6e6, cost / 3.6e6


def test_a_price_holds_before_its_first_moment_too():
    assert until_now(((10.0, 2.0), (20.0, 5.0)), np.array([0.0, 10.0, 21.0])).tolist() == [0.0, 20.0, 45.0]


@pytest.mark.parametrize("text", ["90", "0:90", "0:90;0.5:100", "0:90;1:x", "0.1:90;1:100", "0:90;1:100;1:200"])
def test_what_is_no_power_is_refused(text):
    with pytest.raises(InputError):
        parse_power(text)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("at,price\n0,1\n0,2\n", "ascend"),
        ("at,price\n0,-1\n", "from 0 up"),
        ("when,price\n0,1\n", "missing"),
        ("at,price\n2026-01-01T00:00:00,1\n", "no dates"),
    ],
)
def test_a_file_of_prices_that_does_not_read_is_refused(tmp_path, text, rule):
    (tmp_path / "price.csv").write_text(text)
    with pytest.raises(InputError, match=rule):
        values_over_time(tmp_path / "price.csv", "price", None)


def test_dates_of_prices_are_on_the_clock_of_the_log(tmp_path):
    (tmp_path / "price.csv").write_text("at,price\n1970-01-02T00:00:00,1\n1970-01-02T01:00:00,2\n")
    assert values_over_time(tmp_path / "price.csv", "price", 86400.0) == ((0.0, 1.0), (3600.0, 2.0))


def test_power_that_some_host_lacks_is_refused(tmp_path):
    (tmp_path / "hosts.csv").write_text("count,cores,idle_w,full_w\n1,4,100,200\n1,4,,\n")
    with pytest.raises(InputError, match="each host has"):
        read_host_file(tmp_path / "hosts.csv")
