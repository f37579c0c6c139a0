"""Every listed policy on hosts with cores and nothing else, as logs without memory have them."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.place.trial import try_out

LOG = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[1])


@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_reads_a_resource_that_is_not_there(name):
    try_out(POLICIES[name], LOG.demand, Cluster.uniform(2, cores=4).capacity, ("cores",))


def test_without_memory_best_and_worse_fit_go_by_what_there_is():
    demand, little, much, whole = np.array([1.0]), np.array([2.0]), np.array([3.0]), np.array([4.0])
    best, worse = POLICIES["best-fit-memory"].score, POLICIES["worse-fit-memory"].score
    assert best(demand, little, whole) < best(demand, much, whole)
    assert worse(demand, much, whole) < worse(demand, little, whole)
