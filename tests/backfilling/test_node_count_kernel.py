"""Compiled, hosts are found apart as `HostsAsked` says: whether they fit, and which the next task may take."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from loadmaster.backfilling.node_count_kernel import fits_apart, keep_completable
from loadmaster.backfilling.pass_arrays import ROW, RowArrays
from loadmaster.jit.by_reference import by_reference
from loadmaster.model.host_count import HostsAsked
from loadmaster.place.room_arrays import FAILURE, RoomArrays


@njit
def fits(rows, room):
    return fits_apart(by_reference(rows), by_reference(room), 0)


@njit
def keep(rows, room, free, k):
    keep_completable(by_reference(rows), by_reference(room), free, 0, k)


def scene(asked, held, usable, placed):
    row = np.zeros(1, ROW).view(np.recarray)
    row.tasks, row.least, row.most = asked
    free, hosts = np.array(held, float)[:, None], len(held)
    room = RoomArrays(
        free,
        np.ones(hosts, bool),
        np.array(usable),
        np.zeros(hosts, np.int32),
        np.array(placed + [0] * (asked.tasks - len(placed)), np.int32),
        np.zeros((asked.tasks, 1)),
        np.zeros(hosts, np.int64),
        np.zeros(hosts, bool),
        np.zeros(asked.tasks + 1, np.int64),
        np.recarray((1, 1), FAILURE, buf=bytearray(FAILURE.itemsize)),
        np.zeros(1),
        np.zeros(2),
        np.zeros(8, np.int64),
    )
    return SimpleNamespace(rows=RowArrays(row, np.zeros(0, ROW), np.ones((1, 1))), room=room, free=free)


ASKED = st.builds(HostsAsked, st.integers(1, 6), st.integers(0, 4), st.integers(0, 4))
HELD = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=6)


@given(asked=ASKED, hosts=HELD)
def test_hosts_fit_a_job_as_the_plain_rule_says(asked, hosts):
    held = [amount for amount, _ in hosts]
    made = scene(asked, held, [True] * len(held), [])
    for amount in held:
        made.room.count[min(amount, asked.tasks)] += 1
    assert bool(fits(made.rows, made.room)) == asked.fit(np.array(held, float))


@given(asked=ASKED, hosts=HELD, data=st.data())
def test_the_next_task_may_take_the_hosts_that_the_plain_rule_leaves(asked, hosts, data):
    held, usable = [amount for amount, _ in hosts], [flag for _, flag in hosts]
    many = data.draw(st.integers(0, asked.tasks - 1))
    placed = data.draw(st.lists(st.integers(0, len(held) - 1), min_size=many, max_size=many))
    made = scene(asked, held, usable, placed)
    keep(made.rows, made.room, made.free, many)
    used = np.zeros(len(held), bool)
    used[placed] = True
    expected = asked.ways_on(np.where(usable, held, 0).astype(float), used, many)
    assert made.room.usable.tolist() == expected.tolist()
    assert not made.room.taken.any()
