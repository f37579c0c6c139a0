"""Features, partitions and down times in host tables."""

import pytest

from loadmaster.model import InputError
from loadmaster.traces import read_hosts
from traces.logs import write

TABLE = """\
count,cores,features,partitions,down_from_s,down_to_s
2,4,intel&big,long;short,100,200
1,8,,long,50,
1,8,amd,,,
"""


def test_every_host_has_the_features_of_its_row(tmp_path):
    rules = read_hosts(write(tmp_path, "hosts.csv", TABLE)).rules
    assert rules.features == (("intel", "big"), ("intel", "big"), (), ("amd",))


def test_partitions_have_their_hosts_and_all_is_for_jobs_that_name_none(tmp_path):
    rules = read_hosts(write(tmp_path, "hosts.csv", TABLE)).rules
    assert [(part.name, part.hosts) for part in rules.partitions] == [
        ("long", (0, 1, 2)),
        ("short", (0, 1)),
        ("all", None),
    ]
    assert rules.default_partition == "all"


def test_down_times_become_rows_of_the_calendar(tmp_path):
    calendar = read_hosts(write(tmp_path, "hosts.csv", TABLE)).rules.calendar
    assert [(row.kind, row.from_s, row.to_s, row.hosts) for row in calendar] == [
        ("down", 100.0, 200.0, (0, 1)),
        ("down", 50.0, None, (2,)),
    ]


def test_a_table_that_says_none_has_no_rules(tmp_path):
    assert read_hosts(write(tmp_path, "hosts.csv", "cores,features\n4,\n")).rules is None


def test_yaml_says_the_same(tmp_path):
    text = "- {cores: 4, features: intel&big, partitions: long, down_from_s: 5}\n- {cores: 8}\n"
    rules = read_hosts(write(tmp_path, "hosts.yaml", text)).rules
    assert (rules.features, rules.calendar[0].to_s) == ((("intel", "big"), ()), None)


@pytest.mark.parametrize(
    ("column", "cell"),
    [("features", "a b"), ("partitions", "x*2"), ("down_from_s", "soon"), ("down_from_s", "-3"), ("down_to_s", "9")],
)
def test_what_is_none_is_refused_with_its_line(tmp_path, column, cell):
    with pytest.raises(InputError, match=r"hosts\.csv:3: "):
        read_hosts(write(tmp_path, "hosts.csv", f"cores,{column}\n4,\n4,{cell}\n"))
