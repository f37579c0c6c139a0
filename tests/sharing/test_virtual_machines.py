"""Capacities of VMs, the speeds of coupled jobs, and the choice of VMs: goldens and properties."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.jit.by_reference import by_reference
from loadmaster.model import InputError
from loadmaster.sharing.capacity import equilibrium_capacity, free_capacity, potential_capacity
from loadmaster.sharing.equilibrium import MOST_ROUNDS, PATIENCE, settle, settle_without_redistribution
from loadmaster.sharing.equilibrium_kernel import DIRTY, allocate_vms, occupy, set_speed, settle_changed
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sharing.vm_choice import VM_CHOICES, VmBoard
from loadmaster.sharing.vm_choice_kernel import CHOICES, choose

HETEROGENEOUS = VirtualMachines.alike(1, shares=(1, 1, 2, 4))


def two_machines(shares=(1, 1, 1, 1), high=()):
    return VirtualMachines.alike(2, shares=shares, high=high)


def test_equilibrium_capacity_of_saturated_vms():
    everybody = np.ones(4, bool)
    got = [equilibrium_capacity(HETEROGENEOUS, everybody, vm) for vm in range(4)]
    assert got == pytest.approx([0.125, 0.125, 0.25, 0.5], abs=1e-6)
    mixed = VirtualMachines.alike(1, (1, 1, 2, 4), low=(0.2, 0.1, 0, 0), high=(0.5, 1, 1, 0.3))
    got = [equilibrium_capacity(mixed, everybody, vm) for vm in range(4)]
    assert got == pytest.approx([0.2, 0.166667, 0.333333, 0.3], abs=1e-6)


def test_potential_and_free_capacity_beside_a_busy_and_a_throttled_vm():
    busy = np.array([0, 0, 0, 1.0])
    assert potential_capacity(HETEROGENEOUS, busy, 0) == pytest.approx(0.2, abs=1e-6)
    assert potential_capacity(HETEROGENEOUS, busy, 2) == pytest.approx(0.333333, abs=1e-6)
    assert free_capacity(HETEROGENEOUS, busy, 0) == pytest.approx(0.0, abs=1e-6)
    throttled = np.array([0, 0, 0, 0.25])
    for vm in range(3):
        assert potential_capacity(HETEROGENEOUS, throttled, vm) == pytest.approx(0.75, abs=1e-6)
    assert free_capacity(HETEROGENEOUS, throttled, 0) == pytest.approx(0.75, abs=1e-6)
    active = np.array([False, False, False, True])
    assert equilibrium_capacity(HETEROGENEOUS, active, 0) == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    ("vms", "job", "speeds", "used"),
    [
        (two_machines(), [0, 1, -1, -1, 0, -1, -1, -1], {0: 0.5, 1: 0.5}, (1.0, 0.5)),
        (two_machines(), [0, 1, 2, -1, 0, -1, -1, -1], {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, (1.0, 1 / 3)),
        (
            two_machines(), [0, 1, -1, -1, 0, 2, 3, -1],
            {0: 1 / 3, 1: 2 / 3, 2: 1 / 3, 3: 1 / 3}, (1.0, 1.0),
        ),
        (two_machines((1, 1, 2, 4)), [1, -1, -1, 0, 0, -1, -1, 2], {0: 0.2, 1: 0.8, 2: 0.8}, (1.0, 1.0)),
        (two_machines(high=(0.3, 1, 1, 1)), [0, -1, -1, -1, -1, 0, -1, -1], {0: 0.3}, (0.3, 0.3)),
    ],
    ids=["one-neighbour", "two-neighbours", "redistribution", "heterogeneous", "elasticity"],
)  # fmt: skip
def test_coupled_jobs_settle_at_the_published_speeds(vms, job, speeds, used):
    job = np.array(job)
    speed = settle(vms, job).speed
    for number, expected in speeds.items():
        assert speed[job == number] == pytest.approx(expected, abs=1e-6)
    assert (speed[:4].sum(), speed[4:].sum()) == pytest.approx(used, abs=1e-6)


@st.composite
def placements(draw, max_min=False):
    machines, each = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    shares = draw(st.lists(st.sampled_from([1.0] if max_min else [1.0, 2.0, 4.0]), min_size=each, max_size=each))
    high = draw(st.lists(st.sampled_from([0.3, 0.6, 1.0]), min_size=each, max_size=each))
    low = [0.0 if max_min else min(h, draw(st.sampled_from([0.0, 0.1, 0.5, 0.8]))) for h in high]
    jobs = draw(st.integers(1, 6))
    job = np.array(draw(st.lists(st.integers(-1, jobs - 1), min_size=machines * each, max_size=machines * each)))
    for p in range(machines if max_min else 0):
        here = job[p * each : (p + 1) * each]
        _, kept = np.unique(here, return_index=True)
        here[np.setdiff1d(np.arange(each), kept)] = -1
    there = np.unique(job[job >= 0])
    job = np.where(job >= 0, np.searchsorted(there, job), -1)
    return VirtualMachines.alike(machines, shares, low, high), job


@njit
def put(given, slot, chosen, start):
    state = by_reference(given)
    occupy(state, slot, chosen, len(chosen), np.inf)
    set_speed(state, slot, start)


@njit
def bring_to_rest(given, tolerance, most):
    return settle_changed(by_reference(given), tolerance, most, PATIENCE)


@njit
def chosen_vms(given, chosen, value, policy, tasks):
    choose(by_reference(given), chosen, value, policy, tasks, np.inf, False)


def occupied(vms, job, start):
    """The kernel's state with every job in the slot of its own number, at a speed of `start`."""
    state = allocate_vms(vms)
    for number in np.unique(job[job >= 0]):
        put(state, number, np.flatnonzero(job == number), start)
    return state


@settings(max_examples=114)
@given(placements(max_min=True))
def test_with_equal_shares_the_fixed_point_is_the_same_from_different_starts_and_respects_capacity(case):
    vms, job = case
    speeds = []
    for start in (0.0, 0.3, 1.0):
        state = occupied(vms, job, start)
        bring_to_rest(state, 1e-10, MOST_ROUNDS)
        assert state.counts[DIRTY] == 0
        speeds.append(state.demand)
    for other in speeds[1:]:
        assert other == pytest.approx(speeds[0], abs=1e-8)
    for p in range(vms.machines):
        assert speeds[0][vms.first[p] : vms.first[p + 1]].sum() <= 1 + 1e-8
    assert (speeds[0] <= vms.high + 1e-9).all()


@settings(max_examples=25)
@given(placements())
def test_the_compiled_fixed_point_is_the_plain_one(case):
    vms, job = case
    state = occupied(vms, job, 0.0)
    bring_to_rest(state, 1e-9, MOST_ROUNDS)
    plain = settle(vms, job).speed
    for number in np.unique(job[job >= 0]):
        assert np.ptp(plain[job == number]) == 0.0
    assert state.demand == pytest.approx(plain, abs=1e-7)


def test_a_job_with_four_tasks_on_one_machine_settles_though_half_steps_swing_for_ever():
    vms, job = VirtualMachines.alike(1, shares=(2, 4, 4, 1), high=(0.3,) * 4), np.zeros(4, int)
    assert settle(vms, job).speed == pytest.approx([0.25] * 4, abs=1e-6)
    state = occupied(vms, job, 0.0)
    assert bring_to_rest(state, 1e-9, MOST_ROUNDS) < 100
    assert state.counts[DIRTY] == 0
    assert state.demand == pytest.approx([0.25] * 4, abs=1e-6)


@pytest.mark.parametrize("most", [0, 1, 20])
def test_speeds_that_need_more_rounds_than_allowed_are_said_not_to_be_settled(most):
    vms, job = VirtualMachines.alike(1, shares=(2, 4, 4, 1), high=(0.3,) * 4), np.zeros(4, int)
    enough = settle(vms, job)
    assert enough.settled
    assert enough.rounds > 20
    assert settle(vms, job, most=most)[1:] == (most, False)
    state = occupied(vms, job, 0.0)
    assert bring_to_rest(state, 1e-9, most) == most
    assert state.counts[DIRTY] > 0


def test_minima_that_do_not_fit_together_are_scaled_down_so_that_the_speeds_fit():
    vms, job = VirtualMachines.alike(1, shares=(1, 1, 1), low=(0.8, 0.5, 0.9)), np.array([0, 1, -1])
    found = settle(vms, job)
    assert found.settled
    assert found.speed == pytest.approx([0.8 / 1.3, 0.5 / 1.3, 0.0], abs=1e-6)
    state = occupied(vms, job, 0.0)
    bring_to_rest(state, 1e-9, MOST_ROUNDS)
    assert state.demand == pytest.approx(found.speed, abs=1e-7)
    assert free_capacity(vms, found.speed, 2) == pytest.approx(0.0, abs=1e-6)


@settings(max_examples=60)
@given(placements())
def test_speeds_said_to_be_settled_fit_on_every_machine_and_are_what_each_job_can_get(case):
    vms, job = case
    found = settle(vms, job)
    assert (np.add.reduceat(found.speed, vms.first[:-1]) <= 1 + 1e-7).all()
    if found.settled:
        for number in np.unique(job[job >= 0]):
            reachable = min(potential_capacity(vms, found.speed, vm) for vm in np.flatnonzero(job == number))
            assert found.speed[job == number] == pytest.approx(reachable, abs=1e-6)


@settings(max_examples=60)
@given(placements(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 30))
def test_whether_speeds_settled_or_not_no_machine_is_overfull(case, start, most):
    vms, job = case
    state = occupied(vms, job, start)
    bring_to_rest(state, 1e-9, most)
    for speed in (state.demand, settle(vms, job, np.full(vms.count, start), most=most).speed):
        assert (np.add.reduceat(speed, vms.first[:-1]) <= 1 + 1e-8).all()
        assert (speed <= vms.high + 1e-8).all()


def test_with_unequal_shares_any_split_between_two_jobs_can_be_a_fixed_point():
    """Each job is held back by what the other leaves on the machine where the other is stronger."""
    vms = VirtualMachines.alike(2, shares=(1, 2, 4), high=(0.3, 1, 1))
    job = np.array([0, -1, 1, -1, 0, 1])
    for weak in (0.22, 0.25, 0.28):
        start = np.where(job == 0, weak, np.where(job == 1, 1 - weak, 0.0))
        assert settle(vms, job, start).speed[[0, 2]] == pytest.approx([weak, 1 - weak], abs=1e-6)


def test_with_several_tasks_of_a_job_on_a_machine_there_can_be_more_than_one_fixed_point():
    """Two jobs, each the weak third of a machine on which the other is strong twice: who is slow stays slow."""
    vms = VirtualMachines.alike(2, shares=(1, 4, 4))
    job = np.array([0, 1, 1, 1, 0, 0])
    slow_first = settle(vms, job, np.where(job == 0, 0.1, 0.45)).speed
    slow_second = settle(vms, job, np.where(job == 1, 0.1, 0.45)).speed
    assert slow_first[[0, 1]] == pytest.approx([1 / 9, 4 / 9], abs=1e-6)
    assert slow_second[[0, 1]] == pytest.approx([4 / 9, 1 / 9], abs=1e-6)


@settings(max_examples=25)
@given(placements())
def test_losing_what_throttled_vms_leave_never_makes_all_jobs_faster_than_redistribution(case):
    vms, job = case
    lost, kept = settle_without_redistribution(vms, job), settle(vms, job).speed
    assert (lost <= kept + 1e-6).all()


@settings(max_examples=25)
@given(placements())
def test_equilibrium_capacity_never_exceeds_potential_capacity(case):
    vms, job = case
    speed = settle(vms, job).speed
    for vm in np.flatnonzero(job < 0):
        ec, pc = equilibrium_capacity(vms, job >= 0, vm), potential_capacity(vms, speed, vm)
        assert ec <= pc + 1e-9
        if pc <= free_capacity(vms, speed, vm):
            after = speed.copy()
            after[vm] = pc
            beside = vms.beside(vm)
            assert after[beside].sum() <= 1 + 1e-7  # nobody loses anything


@pytest.mark.parametrize("name", VM_CHOICES)
@settings(max_examples=15)
@given(case=placements(), tasks=st.integers(1, 6))
def test_every_choice_takes_as_many_different_idle_vms_as_there_are_tasks(name, case, tasks):
    vms, job = case
    assume((job < 0).sum() >= tasks)
    board = VmBoard(vms, settle(vms, job).speed, job >= 0)
    chosen = VM_CHOICES[name][0](board, tasks)
    assert len(set(chosen)) == tasks
    assert (job[chosen] < 0).all()


@pytest.mark.parametrize("name", [name for name in VM_CHOICES if name != "ec-all"])
def test_a_job_as_wide_as_the_cluster_is_spread_one_task_a_machine(name):
    vms = VirtualMachines.alike(4, shares=(1, 1, 1, 1))
    chosen = VM_CHOICES[name][0](VmBoard(vms, np.zeros(16), np.zeros(16, bool)), 4)
    assert sorted(vm // 4 for vm in chosen) == [0, 1, 2, 3]


def test_equilibrium_capacity_against_idle_vms_too_crowds_a_job_on_one_machine():
    vms = VirtualMachines.alike(4, shares=(1, 1, 1, 1))
    assert VM_CHOICES["ec-all"][0](VmBoard(vms, np.zeros(16), np.zeros(16, bool)), 4) == [0, 1, 2, 3]


def test_semigreedy_packs_a_job_onto_slow_vms_and_leaves_a_whole_machine_to_others():
    """Three machines of two equal VMs, one VM busy: three tasks cannot go faster than one half anyway."""
    vms = VirtualMachines.alike(3, shares=(1, 1))
    job = np.array([-1, -1, -1, -1, 0, -1])
    board = VmBoard(vms, settle(vms, job).speed, job >= 0)
    assert VM_CHOICES["pc-g"][0](board.copy(), 3) == [0, 2, 1]
    assert VM_CHOICES["pc-sg"][0](board.copy(), 3) == [5, 0, 1]


@pytest.mark.parametrize("name", VM_CHOICES)
@settings(max_examples=20)
@given(case=placements(), tasks=st.integers(1, 6))
def test_compiled_and_plain_choose_the_same_vms_and_leave_no_trace(name, case, tasks):
    vms, job = case
    assume((job < 0).sum() >= tasks)
    state = occupied(vms, job, 0.0)
    bring_to_rest(state, 1e-11, MOST_ROUNDS)
    before = [column.copy() for column in (state.demand, state.slot, state.active)]
    chosen = np.full(vms.count, -1)
    chosen_vms(state, chosen, np.zeros(vms.count), CHOICES.index(name), tasks)
    plain = VM_CHOICES[name][0](VmBoard(vms, state.demand.copy(), job >= 0), tasks)
    assert chosen[:tasks].tolist() == plain
    for column, was in zip((state.demand, state.slot, state.active), before, strict=True):
        assert np.array_equal(column, was)


def test_a_serial_job_goes_where_it_slows_nobody():
    vms = VirtualMachines.alike(2, shares=(1, 1))
    job = np.array([0, -1, 1, -1])
    speed = np.array([0.9, 0, 0.4, 0])
    board = VmBoard(vms, speed, job >= 0)
    assert VM_CHOICES["pcfc-sg"][0](board, 1) == [3]


@pytest.mark.parametrize(("low", "high", "share"), [(0.5, 0.3, 1), (0, 1.5, 1), (0, 0, 1), (0, 1, 0), (-0.1, 1, 1)])
def test_a_vm_that_makes_no_sense_is_refused(low, high, share):
    with pytest.raises(InputError, match="VM 0"):
        VirtualMachines.alike(1, (share,), (low,), (high,))


@pytest.mark.parametrize("change", [{"speed": 0.0}, {"speed": np.nan}, {"cores": np.nan}, {"cores": np.inf}])
def test_a_machine_that_makes_no_sense_is_refused(change):
    """A VM whose capacity is not a number is never the largest: the choice would find no VM at all."""
    columns = {"cores": 1.0, "speed": 1.0, **change}
    with pytest.raises(InputError, match="machine 1"):
        VirtualMachines.on(np.array([1.0, columns["cores"]]), np.array([1.0, columns["speed"]]), (1, 1))
