"""Placement by cost functions of the load: numbers by hand, and who takes which host on exclusive machines."""

import math

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES, Context
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

CAPACITY = np.array([[8.0, 32.0], [4.0, 64.0]])
FREE = np.array([[4.0, 8.0], [3.0, 64.0]])
DEMAND = np.array([1.0, 4.0])


def scores(name):
    return [
        POLICIES[name].rate(DEMAND, free, capacity, Context(host, 2, -1, 0, 0))
        for host, (free, capacity) in enumerate(zip(FREE, CAPACITY, strict=True))
    ]


def test_greedy_load_is_the_part_of_the_cores_in_use_after():
    assert scores("greedy-load") == pytest.approx([5 / 8, 2 / 4])


def test_assign_u_is_the_growth_of_a_power_of_the_cpu_load():
    assert scores("assign-u") == pytest.approx([1.5 ** (5 / 8) - 1.5 ** (4 / 8), 1.5 ** (2 / 4) - 1.5 ** (1 / 4)])


def test_derivative_cost_is_the_slope_of_the_opportunity_cost():
    first = math.log(2) * (1 / 8 * 2 ** (4 / 8) + 4 / 32 * 2 ** (24 / 32))
    second = math.log(2) * (1 / 4 * 2 ** (1 / 4) + 4 / 64 * 2**0)
    assert scores("derivative-cost") == pytest.approx([first, second])


def test_derivative_cost_is_what_opportunity_cost_comes_to_for_small_tasks():
    small = DEMAND * 1e-6
    for host in range(2):
        context = Context(host, 2, -1, 0, 0)
        growth = POLICIES["opportunity-cost"].rate(small, FREE[host], CAPACITY[host], context)
        slope = POLICIES["derivative-cost"].rate(small, FREE[host], CAPACITY[host], context)
        assert slope == pytest.approx(growth, rel=1e-5)


@pytest.mark.parametrize(("name", "hosts"), [("greedy-load", [0, 0, 1]), ("assign-u", [0, 0, 0])])
def test_they_place_jobs_that_hold_their_cores_alone(name, hosts):
    """Eight cores and four, jobs of two: the third would load both hosts alike to 3/4 and 1/2, but grow a^load less
    on the large one.
    """
    jobs = Workload.of(submit_s=[0, 1, 2], runtime_s=[9, 9, 9], cores=[2, 2, 2], memory=[1, 1, 1])
    cluster = Cluster(("cores", "memory"), CAPACITY)
    assert simulate(jobs, cluster, POLICIES[name], named("fcfs"), interval_s=0.0).host.tolist() == hosts
