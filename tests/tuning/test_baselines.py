"""The rules that a candidate is measured against."""

import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.runs import Case, Setting
from loadmaster.tuning.baselines import baselines, of_the_kind
from loadmaster.tuning.space import space_of

CASE = Case(Workload.of(submit_s=[0, 1], runtime_s=[1, 1], cores=[1, 1]), Cluster.uniform(2, cores=2))


def names(parts, base):
    return [
        (each.setting.policy, each.setting.discipline) for each in baselines(space_of(CASE, parts, base, 60.0), CASE)
    ]


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


@pytest.mark.parametrize(
    ("parts", "base", "kind"),
    [
        (("order",), Setting("first-fit", "easy"), True), (("order",), Setting("first-fit", "lxf+easy"), True),
        (("order",), Setting("first-fit", "netbatch"), False), (("placement",), Setting("mix-fit", "lxf+easy"), False),
        (("placement",), Setting("mix-fit", "easy"), True), (("backfilling",), Setting("first-fit", "easy"), True),
        (("backfilling",), Setting("first-fit", "lxf+easy"), False),
    ],
)  # fmt: skip
def test_first_come_first_served_with_easy_may_be_of_another_kind_than_what_is_searched(parts, base, kind):
    space = space_of(CASE, parts, base, 60.0)
    zero, *others = baselines(space, CASE)
    assert of_the_kind(zero, space) == kind
    assert all(of_the_kind(each, space) for each in others)
