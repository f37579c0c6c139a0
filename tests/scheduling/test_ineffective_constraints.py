"""Constraints that have no effect on these hosts, and choices of features that have one on hosts that all serve."""

import pytest

from loadmaster.model import Cluster, Constraints, Named, SiteRules
from loadmaster.scheduling.ineffective_constraints import shut_by_features


@pytest.mark.parametrize(
    ("asked", "binds"), [("x|z", False), ("[x|z]", True), ("[x|x|z]", True), ("[y|(x|z)]", False), ("!host:7", False)]
)
def test_a_choice_binds_unless_all_hosts_serve_one_part_of_it(asked, binds):
    hosts = Cluster(("cores",), [[4.0], [4.0]], rules=SiteRules(features=(("x",), ("z",))))
    assert shut_by_features(hosts, Constraints(features=Named.of([asked]))) == binds
