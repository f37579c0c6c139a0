"""What is free on every host over time, as linked steps that are cut, filled and joined again (rule D11)."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

from loadmaster.jit.kernels import inner
from loadmaster.model.arrays import Floats, Longs


class Timetable(NamedTuple):
    """N steps on H hosts with R resources; each lasts until the next of its host, the last for ever.

    Attributes:
        at: float64[N], when a step begins; the first of a host at minus infinity.
        free: float64[N, R].
        after, before: int64[N], its neighbours, -1 for none.
        edges: int64[N], how many starts and ends lie there.
        unused: int64[N + 1], the steps that are not in use: so many as the last says, from the front.
        seek: int64[H, B], for each moment b x `width` the step of that host that holds it.
    """

    at: Floats
    free: Floats
    after: Longs
    before: Longs
    edges: Longs
    unused: Longs
    seek: Longs


@inner
def step_at(table, width, h, moment):
    """The step of host h that holds `moment`."""
    step = table.seek[h, max(0, min(int(moment / width), table.seek.shape[1] - 1))]
    while table.at[step] > moment:
        step = table.before[step]
    while table.after[step] >= 0 and table.at[table.after[step]] <= moment:
        step = table.after[step]
    return step


@inner
def hold_from(table, width, h, moment, old, new):
    """From `moment` on, what `old` held is held by `new`."""
    b = max(0, min(int(moment / width), table.seek.shape[1] - 1))
    while b < table.seek.shape[1] and (b * width < moment or table.seek[h, b] == old):
        if b * width >= moment:
            table.seek[h, b] = new
        b += 1


@inner
def cut(table, width, h, moment):
    """The step of host h that begins at `moment`, made if there is none; one more edge lies there."""
    step = step_at(table, width, h, moment)
    if table.at[step] < moment:
        last = table.unused.shape[0] - 1
        table.unused[last] -= 1
        new, then = table.unused[table.unused[last]], table.after[step]
        table.at[new], table.edges[new] = moment, 0
        for r in range(table.free.shape[1]):
            table.free[new, r] = table.free[step, r]
        table.after[new], table.before[new], table.after[step] = then, step, new
        if then >= 0:
            table.before[then] = new
        hold_from(table, width, h, moment, step, new)
        step = new
    table.edges[step] += 1
    return step


@inner
def join(table, width, h, step):
    """One edge less at the beginning of `step`; where none is left, it becomes one with the step before."""
    table.edges[step] -= 1
    if table.edges[step] > 0:
        return
    left, right, last = table.before[step], table.after[step], table.unused.shape[0] - 1
    table.after[left] = right
    if right >= 0:
        table.before[right] = left
    hold_from(table, width, h, table.at[step], step, left)
    table.unused[table.unused[last]] = step
    table.unused[last] += 1


@inner
def fill(table, width, h, start, end, demand, tasks):
    """Take what so many tasks request from host h between `start` and `end`."""
    step, until = cut(table, width, h, start), cut(table, width, h, end)
    while step != until:
        for r in range(demand.shape[0]):
            table.free[step, r] -= tasks * demand[r]
        step = table.after[step]


@inner
def clear(table, width, h, start, end, demand, tasks):
    """Give back what `tasks` tasks of `demand` held on host h from `start` to `end`."""
    first, until = step_at(table, width, h, start), step_at(table, width, h, end)
    step = first
    while step != until:
        for r in range(demand.shape[0]):
            table.free[step, r] += tasks * demand[r]
        step = table.after[step]
    join(table, width, h, first)
    join(table, width, h, until)


@inner
def earliest(table, width, h, ready, lasts, demand, before):
    """The first moment from `ready` on at which a task finds room on host h for as long as it lasts.

    Infinite if there is none earlier than `before`.
    """
    step, start = step_at(table, width, h, ready), ready
    while start < before:
        room = True
        for r in range(demand.shape[0]):
            room = room and table.free[step, r] >= demand[r]
        then = table.after[step]
        if room and (then < 0 or table.at[then] >= start + lasts):
            return start
        step = then
        if step < 0:
            break
        if not room:
            start = table.at[step]
    return float("inf")
