"""A cluster refuses hosts that cannot be, naming the host and the rule."""

import numpy as np
import pytest

from loadmaster.model import Cluster, InputError


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"capacity": np.array([[1.0, np.nan]])}, "memory of host a must be zero or more"),
        ({"capacity": np.array([[1.0, -1.0]])}, "'-1': memory of host a must be zero or more"),
        ({"capacity": np.array([[0.0, 1.0]])}, "more than 0 cores"),
        ({"capacity": np.array([1.0])}, "a column for each of cores, memory"),
        ({"capacity": np.zeros((0, 2)), "names": ()}, "at least one host"),
        ({"names": ("a", "b")}, "1 hosts need as many names"),
        ({"speed": np.array([1.0, 2.0])}, "1 hosts need as many speeds"),
        ({"speed": np.array([0.0])}, "speed of host a must be more than zero"),
        ({"speed": np.array([np.inf])}, "speed of host a must be more than zero"),
    ],
)
def test_a_wrong_cluster_is_refused_with_its_host_and_rule(changes, rule):
    good = {"resources": ("cores", "memory"), "capacity": np.array([[1.0, 1.0]]), "names": ("a",)}
    with pytest.raises(InputError) as error:
        Cluster(**{**good, **changes})
    assert rule in str(error.value)
