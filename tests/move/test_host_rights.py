"""Rights to hosts: packing with them puts a task only where it may be."""

import numpy as np

from loadmaster.move.host_rights import host_rights


def test_a_task_fits_exactly_the_hosts_that_it_may_use():
    rng = np.random.default_rng(3)
    may_use = rng.random((12, 5)) < 0.6
    rights = host_rights(may_use)
    fits = (rights.demand[:, None, :] <= rights.capacity[None, :, :]).all(axis=2)
    np.testing.assert_array_equal(fits, may_use)
    assert len(rights.names) == rights.demand.shape[1] == (~may_use.all(axis=1)).sum()


def test_where_all_may_be_anywhere_there_is_no_right():
    rights = host_rights(np.ones((3, 2), bool))
    assert (rights.names, rights.demand.shape, rights.capacity.shape) == ((), (3, 0), (2, 0))
