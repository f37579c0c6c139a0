"""Licences, burst buffers and power over time, as the page of a run draws them."""

import numpy as np
import pytest

from loadmaster.measure.energy import energy, power_over_time
from loadmaster.model import Cluster, Constraints, Named, SiteRules, Workload
from loadmaster.model.energy import HostPower
from loadmaster.place import POLICIES
from loadmaster.report.amounts_chart import amounts_chart
from loadmaster.report.hosts_charts import cards_chart
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

CAP = ((0.0, 500.0), (20.0, 240.0), (50.0, 500.0))


def run(workload, cluster):
    return workload, cluster, simulate(workload, cluster, POLICIES["first-fit"], discipline_named("easy"))


def licensed(cap=()):
    bound = Constraints(licences=Named.of(["m:2", "m:1", None, "m:2"]))
    log = Workload.of(submit_s=[0, 5, 10, 25], runtime_s=[30, 20, 40, 30], cores=[4, 2, 4, 1], constraints=bound)
    power = HostPower((0, 1), ((0.0, 50.0), (1.0, 150.0)))
    hosts = Cluster.uniform(2, cores=8)
    return run(
        log,
        Cluster(
            hosts.resources, hosts.capacity, rules=SiteRules((), licences=(("m", 3.0),), power=(power,), power_cap=cap)
        ),
    )


def drawn(chart, field):
    """The rows of the chart that have a field: {amount: [(t, value)]}."""
    found = {}
    for row in chart.to_dict()["data"]["values"]:
        if field in row:
            found.setdefault(row["amount"], []).append((row["t"], row[field]))
    return found


def test_what_is_drawn_is_what_running_jobs_hold_below_what_there_is():
    workload, cluster, schedule = licensed()
    chart, _ = amounts_chart(workload, cluster, schedule)
    held, there = drawn(chart, "held"), drawn(chart, "there")
    uses, ends_s = np.array([2.0, 1.0, 0.0, 2.0]), schedule.ends_s(workload)
    for t, value in held["m"]:
        runs = (schedule.start_s <= t) & (t < ends_s)
        assert value == uses[runs].sum()
    assert max(value for _, value in held["m"]) == 3.0
    assert {value for _, value in there["m"]} == {3.0}
    assert "power, W" not in there


def test_the_power_over_time_adds_up_to_the_energy_and_stays_below_the_cap():
    workload, cluster, schedule = licensed(CAP)
    at_s, watts = power_over_time(workload, cluster, schedule)
    assert (watts[:-1] * np.diff(at_s)).sum() == pytest.approx(energy(workload, cluster, schedule).kwh * 3.6e6)
    chart, _ = amounts_chart(workload, cluster, schedule)
    cap = drawn(chart, "there")["power, W"]
    last = max(t for t, _ in cap)
    assert cap == [(0.0, 500.0), (20.0, 240.0), (50.0, 500.0), (last, 500.0)]
    for t, value in drawn(chart, "held")["power, W"]:
        assert value <= [limit for moment, limit in cap if moment <= t][-1]


def test_without_such_amounts_nothing_is_drawn():
    plain = run(Workload.of(submit_s=[0], runtime_s=[5], cores=[1]), Cluster.uniform(1, cores=2))
    assert amounts_chart(*plain) is None
    assert cards_chart(*plain) is None


def test_each_gpu_is_a_row_by_the_part_of_it_in_use():
    log = Workload.of(submit_s=[0, 0, 0, 0], runtime_s=[100, 100, 100, 10], cores=[1] * 4, gpus=[0.6, 0.6, 0.8, 2.0])
    chart, _ = cards_chart(*run(log, Cluster.uniform(1, cores=8, gpus=2)))
    rows = chart.to_dict()["data"]["values"]
    assert {row["name"] for row in rows} == {"0, GPU 0", "0, GPU 1"}
    parts = {(row["host"], round(row["part"], 2)) for row in rows}
    assert {(0, 0.6), (1, 0.6), (0, 0.8), (0, 1.0), (1, 1.0)} <= parts
