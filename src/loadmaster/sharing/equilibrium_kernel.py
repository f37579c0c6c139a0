# mypy: disable-error-code="no-untyped-def"
"""The coupled fixed point, compiled, and only where something changed; the plain version is the specification."""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import inner
from loadmaster.model.arrays import Floats, Longs
from loadmaster.sharing.equilibrium import LEAST_STEP
from loadmaster.sharing.virtual_machines import VirtualMachines
from loadmaster.sharing.water_filling_kernel import level_of


class VmState(NamedTuple):
    """V VMs on P machines and the jobs on them, each job in one of V slots.

    `dirty` and `touched` hold each machine and each slot once: `is_dirty` and `is_touched` say whether it is there.
    """

    first: Longs  # [P + 1]
    machine: Longs  # [V]
    low: Floats  # [V]
    high: Floats  # [V]
    share: Floats  # [V]
    cores: Floats  # [P]
    pace: Floats  # [P], speed of a core
    most: Floats  # [V], cores that the task there can use, at most `high`
    demand: Floats  # [V], cores used, 0 where idle
    slot: Longs  # [V], the slot of the job there, -1 where idle
    reached: Floats  # [V], PC x pace of busy VMs when last looked at
    limit: Floats  # [V], room for one water-filling
    floor: Floats  # [V], the same
    speed: Floats  # [V], CPU seconds a second of each task of the job in each slot
    first_vm: Longs  # [V], first VM of the job in each slot, -1 for a free slot
    next_vm: Longs  # [V], next VM of the same job, -1 at the end
    dirty: Longs  # [P], machines to look at
    is_dirty: Longs  # [P], 1 where in that list
    touched: Longs  # [V], slots seen in this round
    is_touched: Longs  # [V]
    active: Longs  # [P], busy VMs of each machine
    idle_pc: Floats  # [V], PC x pace of idle VMs, as far as `rated_for` says
    best_of: Floats  # [P], room for one choice: the value that decides whether to look at a machine's VMs
    rated_for: Floats  # [P], cores for which `idle_pc` is that of now, -1 where it is out of date
    counts: Longs  # DIRTY: length of `dirty`; IDLE: idle VMs


DIRTY, IDLE = 0, 1
CURRENT, ACTIVE, ALL = 0, 1, 2
"""What the VMs beside a candidate request: what they use now, their maximum if active, their maximum."""


def allocate_vms(vms: VirtualMachines) -> VmState:
    """The arrays of `VmState` for these machines, all VMs idle."""
    v, p = vms.count, vms.machines

    def longs(size: int, value: int = 0) -> Longs:
        return np.full(size, value, np.int64)

    return VmState(
        vms.first.copy(),
        vms.machine,
        vms.low.copy(),
        vms.high.copy(),
        vms.share.copy(),
        vms.cores.copy(),
        vms.speed.copy(),
        vms.high.copy(),
        np.zeros(v),
        longs(v, -1),
        np.zeros(v),
        np.zeros(v),
        np.zeros(v),
        np.zeros(v),
        longs(v, -1),
        longs(v, -1),
        longs(p),
        longs(p),
        longs(v),
        longs(v),
        longs(p),
        np.zeros(v),
        np.zeros(p),
        np.full(p, -1.0),
        np.array([0, v]),
    )


@inner
def potential(state, vm, wants):
    """PC of `vm` (`potential_capacity`) x pace, for a task that can use the cores `wants`."""
    return _gets(state, vm, wants, CURRENT)


@inner
def equilibrium(state, vm, wants):
    """EC of `vm` (`equilibrium_capacity`) x pace: active VMs, those with a demand, request their maximum."""
    return _gets(state, vm, wants, ACTIVE)


@inner
def entitlement(state, vm, wants):
    """EC of `vm` with all VMs of its machine, idle ones too, requesting their maximum; x pace."""
    return _gets(state, vm, wants, ALL)


@inner
def _gets(state, vm, wants, others):
    """The allotment of `vm` when it requests `wants`; others their demand, or active ones or all the most."""
    demand, high, low, limit, floor = state.demand, state.high, state.low, state.limit, state.floor
    machine = state.machine[vm]
    first, last, cores, pace = state.first[machine], state.first[machine + 1], state.cores[machine], state.pace[machine]
    limits, minima = 0.0, 0.0
    for i in range(first, last):
        if i == vm:
            asked = min(wants, high[i])
        elif others == ALL:
            asked = high[i]
        elif others == CURRENT:
            asked = min(demand[i], high[i])
        else:
            asked = state.most[i] if demand[i] > 0.0 else 0.0
        limit[i] = asked
        limits += asked
        if asked > 0.0:
            minima += low[i]
    if limits <= cores:
        return limit[vm] * pace
    scale, floors = (cores / minima if minima > cores else 1.0), 0.0
    for i in range(first, last):
        floor[i] = min(low[i] * scale, limit[i])
        floors += floor[i]
    if floors >= cores:
        return floor[vm] * (cores / floors) * pace
    level = level_of(limit, floor, state.share, first, last, cores, floors)
    return min(limit[vm], max(floor[vm], state.share[vm] * level)) * pace


@inner
def rate_idle(state, wants):
    """Bring `idle_pc` up to date, for a task that can use the cores `wants`: only where something changed."""
    for machine in range(state.rated_for.shape[0]):
        usable = min(wants, state.cores[machine])
        if state.rated_for[machine] == usable:
            continue
        state.rated_for[machine] = usable
        for vm in range(state.first[machine], state.first[machine + 1]):
            if state.slot[vm] == -1:
                state.idle_pc[vm] = potential(state, vm, wants)


@inner
def mark(state, machine):
    """Something changed on `machine`."""
    state.rated_for[machine] = -1.0
    if state.is_dirty[machine] == 0:
        state.is_dirty[machine] = 1
        state.dirty[state.counts[DIRTY]] = machine
        state.counts[DIRTY] += 1


@inner
def settle_changed(state, tolerance, most, patience):
    """Bring all speeds to the fixed point, looking at marked machines only; returns the number of rounds.

    Machines still marked afterwards say that `most` rounds were not enough.

    A round is that of the plain `settle` restricted to jobs with a VM on a marked machine: what all others would
    reach has not changed. A machine is marked again when a speed on it changes.
    """
    step, change_at = 0.5, patience
    for number in range(most):
        if state.counts[DIRTY] == 0:
            return number
        if number == change_at:
            step *= 0.5
            if step < LEAST_STEP:
                step, patience = 0.5, 2 * patience
            change_at += patience
        touched = _look(state)
        for t in range(touched):
            slot = state.touched[t]
            state.is_touched[slot] = 0
            change = least_reached(state, slot) - state.speed[slot]
            if abs(change) < 2.0 * tolerance:
                continue
            set_speed(state, slot, state.speed[slot] + step * change)
    touched = _look(state)
    for t in range(touched):  # unsettled: at least no machine is overfull
        slot = state.touched[t]
        state.is_touched[slot] = 0
        set_speed(state, slot, min(state.speed[slot], least_reached(state, slot)))
    return most


@inner
def least_reached(state, slot):
    """What the slowest VM of the job in `slot` reached when last looked at."""
    least = 1e300
    vm = state.first_vm[slot]
    while vm >= 0:
        least = min(least, state.reached[vm])
        vm = state.next_vm[vm]
    return least


@inner
def _look(state):
    """PC of all busy VMs on marked machines; lists the slots with one of them; unmarks."""
    touched = 0
    for d in range(state.counts[DIRTY]):
        machine = state.dirty[d]
        state.is_dirty[machine] = 0
        for vm in range(state.first[machine], state.first[machine + 1]):
            slot = state.slot[vm]
            if slot >= 0:
                state.reached[vm] = potential(state, vm, state.most[vm])
                if state.is_touched[slot] == 0:
                    state.is_touched[slot] = 1
                    state.touched[touched] = slot
                    touched += 1
    state.counts[DIRTY] = 0
    return touched


@inner
def set_speed(state, slot, speed):
    """The job in `slot` goes at `speed` on all its VMs."""
    state.speed[slot] = speed
    vm = state.first_vm[slot]
    while vm >= 0:
        state.demand[vm] = speed / state.pace[state.machine[vm]]
        mark(state, state.machine[vm])
        vm = state.next_vm[vm]


@inner
def occupy(state, slot, chosen, tasks, wants):
    """Put a job, each task of which can use the cores `wants`, on the VMs chosen[:tasks]; it stands still as yet."""
    state.first_vm[slot] = -1
    for k in range(tasks - 1, -1, -1):
        vm = chosen[k]
        state.slot[vm] = slot
        state.most[vm] = min(wants, state.high[vm])
        state.next_vm[vm] = state.first_vm[slot]
        state.first_vm[slot] = vm
        state.active[state.machine[vm]] += 1
    state.counts[IDLE] -= tasks
    set_speed(state, slot, 0.0)


@inner
def vacate(state, slot):
    """The job in `slot` leaves its VMs; returns how many."""
    tasks = 0
    vm = state.first_vm[slot]
    while vm >= 0:
        state.slot[vm] = -1
        state.demand[vm] = 0.0
        state.active[state.machine[vm]] -= 1
        mark(state, state.machine[vm])
        tasks += 1
        vm = state.next_vm[vm]
    state.first_vm[slot] = -1
    state.speed[slot] = 0.0
    state.counts[IDLE] += tasks
    return tasks
