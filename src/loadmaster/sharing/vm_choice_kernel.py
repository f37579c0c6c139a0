# mypy: disable-error-code="no-untyped-def"
"""The choices of VMs, compiled; the plain ones in vm_choice.py are the specification."""

from loadmaster.jit.kernels import inner
from loadmaster.sharing.equilibrium_kernel import entitlement, equilibrium, potential, rate_idle

CHOICES = ("pc-g", "pc-sg", "pcfc-sg", "ec", "pmvm", "ec-all")
"""Their numbers in the kernel."""
POTENTIAL, SEMIGREEDY, SEMIGREEDY_FREE, EQUILIBRIUM, FEWEST, ENTITLEMENT = 0, 1, 2, 3, 4, 5
MARGIN = 1e-7
TAKEN = -1e300
"""The value of what is no idle VM."""


@inner
def choose(state, chosen, value, policy, tasks, wants, static):
    """Write the VMs for `tasks` tasks into `chosen`; `value` is room, float64[V]. Demands come out as they went in.

    Each task can use the cores `wants`.
    """
    if policy == SEMIGREEDY_FREE and tasks == 1:
        chosen[0] = _harmless(state, value, wants)
        return
    kind = policy if policy in (EQUILIBRIUM, FEWEST, ENTITLEMENT) else POTENTIAL
    _greedily(state, chosen, value, kind, tasks, wants, static)
    if policy in (SEMIGREEDY, SEMIGREEDY_FREE) and tasks > 1:
        reachable = 1e300
        for k in range(tasks):
            reachable = min(reachable, potential(state, chosen[k], wants))
        _give_back(state, chosen, tasks)
        _semigreedily(state, chosen, value, tasks, wants, reachable - MARGIN)
    else:
        _give_back(state, chosen, tasks)


@inner
def speed_at_first(state, chosen, tasks, wants):
    """The speed of a job on chosen[:tasks], which are idle, before its neighbours make room. Leaves no trace."""
    for k in range(tasks):
        _take(state, chosen[k], wants)
    least = 1e300
    for k in range(tasks):
        least = min(least, potential(state, chosen[k], wants))
    _give_back(state, chosen, tasks)
    return least


@inner
def _take(state, vm, wants):
    state.demand[vm] = state.most[vm] = min(wants, state.high[vm])
    state.slot[vm] = -2  # neither idle nor a job's: chosen
    state.active[state.machine[vm]] += 1


@inner
def _give_back(state, chosen, tasks):
    for k in range(tasks):
        vm = chosen[k]
        state.demand[vm] = 0.0
        state.slot[vm] = -1
        state.active[state.machine[vm]] -= 1


@inner
def _rate_all(state, value, kind, wants):
    """Into `value` what each idle VM is worth, `TAKEN` for the others; PCs are remembered from job to job."""
    if kind == POTENTIAL:
        rate_idle(state, wants)
        for vm in range(value.shape[0]):
            value[vm] = state.idle_pc[vm] if state.slot[vm] == -1 else TAKEN
        return
    for vm in range(value.shape[0]):
        value[vm] = TAKEN
    _rate(state, value, kind, wants, 0, value.shape[0])


@inner
def _rate(state, value, kind, wants, first, last):
    for vm in range(first, last):
        if state.slot[vm] == -1:
            if kind == POTENTIAL:
                value[vm] = potential(state, vm, wants)
            elif kind == EQUILIBRIUM:
                value[vm] = equilibrium(state, vm, wants)
            elif kind == ENTITLEMENT:
                value[vm] = entitlement(state, vm, wants)
            else:
                value[vm] = -1e6 * state.active[state.machine[vm]] + state.share[vm]


@inner
def _greedily(state, chosen, value, kind, tasks, wants, static):
    """One after another the idle VM of largest value; only its machine is rated anew."""
    _rate_all(state, value, kind, wants)
    for machine in range(state.best_of.shape[0]):
        _find_most(state, value, machine)
    for k in range(tasks):
        best, best_value = -1, TAKEN
        for machine in range(state.best_of.shape[0]):
            if state.best_of[machine] > best_value + MARGIN:
                for vm in range(state.first[machine], state.first[machine + 1]):
                    if value[vm] > best_value + MARGIN:
                        best, best_value = vm, value[vm]
        value[best] = TAKEN
        _take(state, best, wants)
        chosen[k] = best
        machine = state.machine[best]
        if not static:
            _rate(state, value, kind, wants, state.first[machine], state.first[machine + 1])
        _find_most(state, value, machine)


@inner
def _find_most(state, value, machine):
    most = TAKEN
    for vm in range(state.first[machine], state.first[machine + 1]):
        most = max(most, value[vm])
    state.best_of[machine] = most


@inner
def _find_least(state, value, machine, reachable):
    """The least value on `machine` that reaches `reachable`."""
    least = 1e300
    for vm in range(state.first[machine], state.first[machine + 1]):
        if value[vm] >= reachable:
            least = min(least, value[vm])
    state.best_of[machine] = least


@inner
def _semigreedily(state, chosen, value, tasks, wants, reachable):
    """The VMs of least PC that reach `reachable`; leaves `chosen` as it is if they are too few."""
    _rate_all(state, value, POTENTIAL, wants)
    for machine in range(state.best_of.shape[0]):
        _find_least(state, value, machine, reachable)
    picked = 0
    while picked < tasks:
        best, best_value = -1, 1e300
        for machine in range(state.best_of.shape[0]):
            if state.best_of[machine] >= best_value - MARGIN:
                continue
            for vm in range(state.first[machine], state.first[machine + 1]):
                if value[vm] < reachable or value[vm] >= best_value - MARGIN:
                    continue
                if _keeps(state, vm, wants, reachable):
                    best, best_value = vm, value[vm]
                else:
                    value[vm] = TAKEN  # until something changes on its machine
            _find_least(state, value, machine, reachable)
        if best < 0:
            break
        _take(state, best, wants)
        value[best] = -1.0 - picked  # remembers the order of picks
        picked += 1
        machine = state.machine[best]
        _rate(state, value, POTENTIAL, wants, state.first[machine], state.first[machine + 1])
        _find_least(state, value, machine, reachable)
    _collect(state, chosen, value, picked, tasks)


@inner
def _collect(state, chosen, value, picked, tasks):
    """Give the picked VMs back, and list them if they are enough."""
    for vm in range(value.shape[0]):
        if state.slot[vm] == -2:
            state.demand[vm] = 0.0
            state.slot[vm] = -1
            state.active[state.machine[vm]] -= 1
            if picked == tasks:
                chosen[int(-1.0 - value[vm])] = vm


@inner
def _keeps(state, vm, wants, reachable):
    """Whether all VMs picked on the machine of `vm` still reach `reachable` with it busy."""
    machine = state.machine[vm]
    state.demand[vm] = min(wants, state.high[vm])
    kept = True
    for other in range(state.first[machine], state.first[machine + 1]):
        if state.slot[other] == -2 and potential(state, other, wants) < reachable:
            kept = False
    state.demand[vm] = 0.0
    return kept


@inner
def _harmless(state, value, wants):
    """The idle VM of largest PC among those whose PC is at most the free capacity; among all if there is none."""
    count = value.shape[0]
    _rate_all(state, value, POTENTIAL, wants)
    best, best_value = -1, -1e300
    any_best, any_value = -1, -1e300
    for vm in range(count):
        if state.slot[vm] != -1:
            continue
        if value[vm] > any_value + MARGIN:
            any_best, any_value = vm, value[vm]
        machine = state.machine[vm]
        free = state.cores[machine]
        for other in range(state.first[machine], state.first[machine + 1]):
            free -= state.demand[other]
        if value[vm] / state.pace[machine] <= max(free, 0.0) + MARGIN and value[vm] > best_value + MARGIN:
            best, best_value = vm, value[vm]
    return best if best >= 0 else any_best
