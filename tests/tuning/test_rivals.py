"""The rules that a candidate is measured against."""

import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.runs import Case, Setting
from loadmaster.tuning.rivals import rivals
from loadmaster.tuning.space import space_of

CASE = Case(Workload.of(submit_s=[0, 1], runtime_s=[1, 1], cores=[1, 1]), Cluster.uniform(2, cores=2))


def names(parts, base):
    return [(each.setting.policy, each.setting.discipline) for each in rivals(space_of(CASE, parts, base, 60.0), CASE)]


def test_the_baseline_comes_first_and_no_rule_twice():
    found = names(("order", "backfilling"), Setting("first-fit", "easy"))
    assert found[0] == ("first-fit", "fcfs+easy")
    assert len(found) == len(set(found))
    assert ("first-fit", "easy") not in found
    assert ("first-fit", "wfp3+easy") in found
    assert ("first-fit", "fcfs+netbatch") in found


def test_priorities_are_no_order_where_the_log_has_none():
    assert all("priority" not in discipline for _, discipline in names(("order",), Setting("first-fit", "easy")))


@pytest.mark.parametrize("discipline", ["netbatch", "wfp3+easy"])
def test_placements_run_under_the_discipline_that_is_given(discipline):
    found = names(("placement",), Setting("mix-fit", discipline))
    assert found[:2] == [("mix-fit", "fcfs+easy"), ("mix-fit", discipline)]
    assert {each for _, each in found[1:]} == {discipline}
    assert "random" not in {policy for policy, _ in found}
