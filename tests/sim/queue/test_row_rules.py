"""Which policies find their hosts in rows: those whose own function says so."""

from dataclasses import replace

import pytest

from loadmaster.host_index.core_rows_kernel import BEST_CORES, BEST_MEMORY, RATED, WORSE_CORES, WORSE_MEMORY
from loadmaster.place import POLICIES, Policy
from loadmaster.sim.queue.engine.arrays import row_rule

RULES = {
    "best-fit-cores": BEST_CORES,
    "worse-fit-cores": WORSE_CORES,
    "best-fit-memory": BEST_MEMORY,
    "worse-fit-memory": WORSE_MEMORY,
}


@pytest.mark.parametrize(
    "policy", [each for each in POLICIES.values() if not each.contextual], ids=lambda each: each.name
)
def test_the_four_policies_that_compare_one_amount_have_rows(policy):
    assert row_rule(policy, 2) == RULES.get(policy.name, RATED)


def test_memory_is_the_only_resource_where_hosts_have_one():
    assert row_rule(POLICIES["worse-fit-memory"], 1) == WORSE_CORES


def test_a_policy_whose_function_has_changed_is_rated_by_it(monkeypatch):
    changed = replace(POLICIES["worse-fit-cores"], score=lambda demand, free, capacity: free[0] / capacity[0])
    monkeypatch.setitem(POLICIES, changed.name, changed)
    assert row_rule(changed, 2) == RATED
    assert row_rule(Policy("mine", lambda demand, free, capacity: free[0]), 2) == RATED
