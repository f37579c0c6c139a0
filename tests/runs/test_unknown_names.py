"""Names of jobs that a site does not have are said, with the number of jobs."""

import numpy as np
import pytest

from loadmaster.model import (
    Account,
    CalendarRow,
    Constraints,
    InputError,
    Limits,
    Named,
    Partition,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.runs.unknown_names import refuse_unknown_names, unknown_names


def jobs(**columns):
    names = {"user_names": ("eve", "bob"), "account_names": ("phys", "chem")}
    return Workload.of(
        submit_s=[0, 0, 0],
        runtime_s=[9, 9, 9],
        cores=[1, 1, 1],
        user=np.array([0, 1, -1]),
        project=np.array([0, 0, 1]),
        constraints=Constraints(nice=[0, 0, 0], **columns, **names),
    )


def test_a_reservation_that_is_not_there_is_said():
    maintenance = SiteRules(calendar=(CalendarRow(0.0, 9.0, "reserved", name="kept"),))
    asking = jobs(reservation=Named.of(["kept", "course", "course"]))
    (note,) = unknown_names(asking, maintenance)
    assert note == "2 jobs name a reservation that the site does not have (course): they wait for none."
    assert unknown_names(jobs(reservation=Named.of(["kept", None, None])), maintenance) == []


def test_a_quality_of_service_is_said_only_where_a_table_of_them_is_known():
    asking = jobs(qos=Named.of(["normal", "gold", None]))
    assert unknown_names(asking, None) == []
    (note,) = unknown_names(asking, SiteRules(qos=(Qos("normal"),)))
    assert note.startswith("1 job names a QOS that the site does not have (gold): ")


def test_users_without_a_row_are_said_where_limits_are_set():
    tree = (Account("phys"), Account("phys", "eve"))
    assert unknown_names(jobs(), SiteRules(accounts=tree)) == []
    limited = (*tree, Account("phys", "kay", limits=Limits(max_jobs_pu=1)))
    (note,) = unknown_names(jobs(), SiteRules(accounts=limited))
    assert note.startswith("1 job names a user in an account that the site does not have (bob in phys): ")


def test_of_many_names_three_are_shown():
    asking = jobs(qos=Named.of(["a", "b", "c"]))
    (note,) = unknown_names(asking, SiteRules(qos=(Qos("normal"),)))
    assert "(a, b, c)" in note
    four = Workload.of(
        submit_s=[0] * 4, runtime_s=[9] * 4, cores=[1] * 4, constraints=Constraints(qos=Named.of("abcd"))
    )
    assert "(a, b, c and 1 more)" in unknown_names(four, SiteRules(qos=(Qos("normal"),)))[0]


def many(jobs_, **columns):
    return Workload.of(
        submit_s=[0] * jobs_,
        runtime_s=[9] * jobs_,
        cores=[1] * jobs_,
        project=np.zeros(jobs_, np.int32),
        constraints=Constraints(nice=[0] * jobs_, account_names=("phys",), **columns),
    )


@pytest.mark.parametrize(("rules", "says"), [
    (SiteRules(partitions=(Partition("batch"),)), "'main': 40 of 40 jobs name a partition .* it has batch; give"),
    (SiteRules(qos=(Qos("low"), Qos("high"))), "'gold': 40 of 40 jobs name a QOS .* it has high, low; give"),
    (SiteRules(accounts=(Account("chem"),)), "'phys': 40 of 40 jobs name an account .* it has chem; give"),
])  # fmt: skip
def test_a_log_of_another_site_is_refused_with_the_names_that_this_one_has(rules, says):
    log = many(40, partition=Named.of(["main"] * 40), qos=Named.of(["gold"] * 40))
    with pytest.raises(InputError, match=says):
        refuse_unknown_names(log, rules)


def test_few_jobs_of_a_partition_that_is_gone_and_one_partition_of_a_list_are_no_other_site():
    rules = SiteRules(partitions=(Partition("batch"),))
    refuse_unknown_names(many(40, partition=Named.of(["old"] + ["batch"] * 39)), rules)
    refuse_unknown_names(many(2, partition=Named.of(["batch,old", None])), rules)
    refuse_unknown_names(many(2, partition=Named.of(["old", "old"])), SiteRules())
