import numpy as np

from loadmaster.model import (
    CalendarRow,
    Cluster,
    Constraints,
    Dependencies,
    Limits,
    Named,
    Partition,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.traces.constraint_counts import constraints_of_cluster, constraints_of_jobs


def test_a_log_without_constraints_carries_none():
    assert constraints_of_jobs(Workload.of(submit_s=[0], runtime_s=[1], cores=[1])) == {}
    assert constraints_of_cluster(Cluster.uniform(1, cores=1)) == {}


def test_columns_count_the_jobs_of_which_they_say_something():
    bound = Constraints(
        partition=Named.of(["a", "b", None]),
        depends=Dependencies.of(["", "afterok:0", ""]),
        array=[-1, 7, 7],
        hold=[0, 0, 0],
        limit_s=[60, np.inf, np.inf],
        eligible_s=[0, 5, 0],
        status=[0, 1, 2],
        min_hosts=[0, 1, 2],
    )
    found = constraints_of_jobs(Workload.of(submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, constraints=bound))
    assert found.pop("partition") == {"jobs": 2, "kinds": 2}
    assert {name: each["jobs"] for name, each in found.items()} == {
        "eligible_s": 1,
        "depends": 1,
        "array": 2,
        "min_hosts": 2,
        "status": 2,
        "limit_s": 1,
    }


def test_a_cluster_counts_what_its_site_lays_down():
    rules = SiteRules(
        partitions=(Partition("a"), Partition("b")),
        qos=(Qos("low", limits=Limits(grp_jobs=1)), Qos("high")),
        features=(("x",), ()),
        calendar=(CalendarRow(0.0, 9.0, "down"),),
    )
    found = constraints_of_cluster(Cluster(("cores",), np.ones((2, 1)), rules=rules))
    assert found == {"partitions": 2, "qos": 2, "hosts_with_features": 1, "calendar": 1, "qos_with_limits": 1}
