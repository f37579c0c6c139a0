"""Whatever is placed on a host and leaves it again, what is free afterwards is the capacity, to the bit."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.exact_amounts import MOST, MOST_BESIDE_FRACTIONS, STEP, exact_capacity, exact_demand, is_whole
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

AMOUNTS = st.one_of(
    st.floats(0.0, 1e6),
    st.floats(0.0, 2.0**52),
    st.integers(0, 10_000).map(lambda n: n / 1000),
    st.integers(0, 2**40).map(float),
    st.just(0.3 * 2**30),
)


def workload_of(amounts):
    """One job for each amount, each requesting one core and the amount."""
    jobs = len(amounts)
    return Workload.of(submit_s=[0] * jobs, runtime_s=[1] * jobs, cores=[1] * jobs, memory=amounts)


@given(amounts=st.lists(AMOUNTS, min_size=1, max_size=40), capacity=AMOUNTS, seed=st.integers(0, 999))
def test_after_any_placements_and_releases_free_is_the_capacity(amounts, capacity, seed):
    workload, cluster = workload_of(amounts), Cluster.uniform(1, cores=1, memory=capacity)
    assume(capacity <= MOST_BESIDE_FRACTIONS or is_whole(workload.demand))
    workload.check_resources(cluster)
    rng = np.random.default_rng(seed)
    whole = free = float(cluster.capacity[0, 1])
    placed = []
    for demand in [*workload.demand[:, 1].tolist()] * 3:
        if demand <= free:
            free -= demand
            placed.append(demand)
        while placed and rng.random() < 0.4:
            free += placed.pop(int(rng.integers(len(placed))))
        assert 0 <= free <= whole
    for demand in placed:
        free += demand
    assert free == whole


@given(parts=st.lists(st.integers(1, 5000), min_size=1, max_size=60), unit=st.sampled_from([10, 100, 1000]))
def test_decimal_fractions_that_add_up_to_the_capacity_fit_together(parts, unit):
    demand = workload_of([part / unit for part in parts]).demand[:, 1]
    free = float(Cluster.uniform(1, cores=1, memory=sum(parts) / unit).capacity[0, 1])
    for amount in np.random.default_rng(0).permutation(demand):
        assert amount <= free
        free -= amount


@given(amounts=st.lists(AMOUNTS, min_size=1, max_size=20))
def test_rounding_again_changes_nothing_and_what_is_exact_is_not_copied(amounts):
    once = exact_demand(np.array(amounts)[:, None])
    assert exact_demand(once) is once
    once = exact_capacity(np.array(amounts)[:, None])
    assert exact_capacity(once) is once


@given(amounts=st.lists(AMOUNTS, min_size=1, max_size=20))
def test_amounts_are_rounded_down_by_less_than_a_step_and_never_to_nothing(amounts):
    given_ = np.array(amounts)
    rounded = workload_of(amounts).demand[:, 1]
    step = 1.0 if given_.max() >= 2**20 else STEP
    bit = np.minimum(given_ * 2.0**-50, step / 64)  # a bit that computing left below a step is given back
    assert ((rounded <= given_ + bit) | (rounded == step)).all()
    assert (given_ - rounded < step).all()
    assert ((rounded > 0) == (given_ > 0)).all()


def test_half_a_byte_of_a_petabyte_is_not_rounded_up():
    assert exact_demand(np.array([[2.0**49 + 1.5]])).item() == 2.0**49 + 1


def test_what_computing_left_a_bit_below_a_step_is_that_step():
    assert 0.3 + 0.6 + 0.1 < 1.0
    assert Cluster.uniform(1, cores=0.3 + 0.6 + 0.1).capacity[0, 0] == 1.0


def test_columns_stay_float64_frozen_and_in_one_piece():
    for amounts in (workload_of([0.1, 0.2]).demand, Cluster.uniform(2, cores=0.1).capacity):
        assert amounts.dtype == np.float64
        assert amounts.flags.c_contiguous
        assert not amounts.flags.writeable


def test_the_callers_own_array_is_not_written_to():
    mine = np.array([[0.1]])
    Workload(("cores",), np.array([0.0]), np.array([1.0]), mine)
    assert mine[0, 0] == 0.1


def test_large_amounts_are_whole_also_of_memory_given_in_gib():
    assert workload_of([0.3 * 2**30, 5.0]).demand[:, 1].tolist() == [322122547.0, 5.0]
    assert workload_of([1e300]).demand[0, 1] == 1e300


def test_a_host_that_has_more_than_can_be_counted_is_refused():
    assert Cluster.uniform(1, cores=1, memory=MOST).capacity[0, 1] == MOST
    with pytest.raises(InputError, match=r"'1e\+18': memory of host 0 is too large to be counted exactly"):
        Cluster.uniform(1, cores=1, memory=1e18)


def test_fractions_beside_hosts_of_hundreds_of_millions_are_refused():
    with pytest.raises(InputError, match=r"'0.5': a fraction of memory beside hosts that have 1.07374e\+09 of it"):
        workload_of([0.5]).check_resources(Cluster.uniform(2, cores=1, memory=2**30))


DISCIPLINES = [
    named("netbatch"),
    named("fcfs"),
    named("easy"),
    named("conservative"),
]


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("discipline", DISCIPLINES, ids=str)
@pytest.mark.parametrize("amount", [0.1, 0.0625])
def test_a_job_of_a_whole_core_starts_on_a_host_that_fractions_have_left(discipline, engine, amount):
    jobs = Workload.of(submit_s=[0, 0, 100], runtime_s=[20, 10, 50], cores=[amount, 0.2, 1.0], memory=[1, 1, 1])
    schedule = simulate(
        jobs, Cluster.uniform(1, cores=1, memory=2**34), POLICIES["mix-fit"], discipline, interval_s=0, engine=engine
    )
    assert schedule.start_s.tolist() == [0, 0, 100]


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("discipline", DISCIPLINES, ids=str)
def test_three_parts_of_a_core_run_together(discipline, engine):
    jobs = Workload.of(submit_s=[0] * 3, runtime_s=[1000] * 3, cores=[0.3, 0.3, 0.4], memory=[1] * 3)
    schedule = simulate(
        jobs, Cluster.uniform(1, cores=1, memory=9), POLICIES["first-fit"], discipline, interval_s=0, engine=engine
    )
    assert schedule.start_s.tolist() == [0, 0, 0]
