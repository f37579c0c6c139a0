import re
from pathlib import Path

import numpy as np
import pytest

from loadmaster.model import Cluster, Constraints, Dependencies, InputError, Named, Partition, SiteRules, Workload
from loadmaster.model.constraints import COLUMNS


def jobs(**columns):
    return Workload.of(submit_s=[0, 10, 20], runtime_s=[1, 1, 1], cores=[1, 1, 1], constraints=Constraints(**columns))


def test_constraints_without_a_column_are_none_at_all():
    assert jobs().constraints is None


def test_taking_jobs_takes_their_constraints_and_keeps_the_identifiers_that_dependencies_name():
    some = jobs(partition=Named.of(["a", "b", "c"]), depends=Dependencies.of(["", "", "afterok:1"])).take(
        slice(1, None)
    )
    assert some.constraints.partition.words() == ["b", "c"]
    assert some.id_of(0) == 1
    assert some.constraints.depends.text(1) == "afterok:1"


def test_a_begin_time_stays_as_long_after_its_arrival_when_the_load_changes():
    later = jobs(eligible_s=[0, 15, np.inf]).scaled(2.0)
    assert later.constraints.eligible_s.tolist() == [0.0, 25.0, np.inf]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"hold": [0, 0, 3]}, "hold of row 2 must be a code of none, user, admin"),
        ({"eligible_s": [0, np.nan, 0]}, "eligible_s of row 1"),
        ({"limit_s": [1, 0, 1]}, "limit_s of row 1 must be more than zero"),
        ({"priority": [0, 0]}, "column priority must have 3 rows"),
        ({"features": Named.of(["[a|b]*2", None, None])}, "counts are not modelled"),
        ({"array_task": [-2, 0, 0]}, "array_task of row 0"),
    ],
)
def test_the_first_value_that_breaks_a_rule_is_named(columns, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        jobs(**columns)


@pytest.mark.parametrize("text", ["afterok", "before:3", "after:x", "after:1,after:2?after:3", "afterok:1_x"])
def test_a_dependency_that_is_none_is_refused(text):
    with pytest.raises(InputError, match="dependency"):
        Dependencies.of([text])


def test_dependencies_are_written_as_they_were_read():
    texts = ["", "after:1+5", "afterok:1:2_3", "singleton", "afterany:9?afternotok:8"]
    waits = Dependencies.of(texts)
    written = [waits.text(job) for job in range(len(waits))]
    assert written == ["", "after:1+5", "afterok:1,afterok:2_3", "singleton", "afterany:9?afternotok:8"]
    assert Dependencies.of(written).on.tolist() == waits.on.tolist()


def test_equal_columns_of_names_have_equal_codes():
    one, other = Named(np.array([2, 0, -1, 2]), ("x", "y", "z")), Named.of(["z", "x", None, "z"])
    assert one.code.tolist() == other.code.tolist() == [0, 1, -1, 0]
    assert one.names == other.names == ("z", "x")


def test_rules_of_a_site_name_hosts_that_are_there():
    with pytest.raises(InputError, match="no such host; there are 2"):
        Cluster(("cores",), np.ones((2, 1)), rules=SiteRules((Partition("p", hosts=(0, 2)),)))


def test_the_page_of_columns_names_each():
    for page, start in (("constraints.md", "# Columns of constraints"), ("formats.md", "| `eligible_s`, `limit_s`")):
        text = (Path(__file__).parents[2] / "docs/reference" / page).read_text()
        table = text[text.index(start) :].partition("\n\n## ")[0]
        rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
        assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} >= {*COLUMNS}, page
