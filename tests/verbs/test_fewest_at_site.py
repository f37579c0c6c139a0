"""`fewest --site`: how many more hosts of which kind, in which partition, keep a target of waits."""

import pytest

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.runs.added_hosts import site_range
from loadmaster.runs.site_case import site_case

CONF = """
NodeName=n[1-4] CPUs=8
NodeName=g[1-2] CPUs=8 Weight=10 Feature=fast
PartitionName=main Nodes=n[1-4] Default=YES
PartitionName=fast Nodes=g[1-2]
PartitionName=all Nodes=ALL
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
"""


@pytest.fixture
def site(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text(CONF)
    return path


@pytest.fixture
def log(tmp_path):
    """Jobs of which those in the partition `fast` wait for its two hosts, and those of `main` hardly."""
    lines = ["JobID|User|Partition|Submit|Start|End|Elapsed|ReqCPUS|NNodes|Timelimit"]
    for job in range(80):
        partition, elapsed = ("fast", "00:18:00") if job % 2 else ("main", "00:10:00")
        minute = f"2026-01-05T0{8 + job // 60}:{job % 60:02}:00"
        lines.append(f"{job + 1}|eve|{partition}|{minute}|{minute}|{minute}|{elapsed}|4|1|00:30:00")
    path = tmp_path / "log.sacct"
    path.write_text("\n".join([*lines, ""]))
    return path


def test_the_kind_and_the_partition_are_told_that_need_the_fewest_hosts(log, site):
    found = lm.fewest(log, site=site, mean="1min")
    assert [row["hosts"] for row in found.rows] == [
        "0..16xn1@main", "0..16xg1@fast", "0..16xn1@all", "0..16xg1@all",
    ]  # fmt: skip
    best = found.rows[1]
    assert 0 < best["fewest"] <= 4
    assert found.rows[0]["fewest"] is None  # jobs of `fast` wait as before
    assert best["count"] == 6 + best["fewest"]
    assert f"{best['fewest']} more hosts (g1) in fast keep a mean wait of at most 1 min" in found.answer
    assert {row["policy"] + "," + row["discipline"] for row in found.rows} == {"first-fit,site"}


def test_with_prices_the_cheapest_kind_is_told_and_not_the_fewest_hosts(log, site, tmp_path):
    found = lm.fewest(log, site=site, mean="1min", add=["0..9xg1@9@fast", "0..9x4c@0.5@fast"], currency="EUR")
    few, cheap = found.rows
    assert 0 < few["fewest"] < cheap["fewest"]
    assert (few["cost_per_hour"], cheap["cost_per_hour"]) == (9.0 * few["fewest"], 0.5 * cheap["fewest"])
    cost = f"{cheap['cost_per_hour']:.2f} EUR an hour"
    assert f"{cheap['fewest']} more hosts (4c) in fast for {cost} keep" in found.answer
    assert "added EUR an hour" in found.report(tmp_path / "page.html").read_text()
    enough = lm.fewest(log, site=site, mean="5h", add="0..9xg1@9@fast")
    assert enough.rows[0]["cost_per_hour"] == 0.0
    assert "The hosts of the site as they are keep a mean wait" in enough.answer


def test_the_number_is_the_one_that_compare_confirms(log, site):
    row = lm.fewest(log, site=site, mean="1min", add="0..9xg1@fast").rows[0]
    number = row["fewest"]
    added = [f"{number}xg1@fast", f"{number - 1}xg1@fast"]
    waits = lm.compare(log, site=site, add=added).comparison.outcomes[1:]
    assert [outcome.setting.hosts for outcome in waits] == [f"add {each}" for each in added]
    enough, fewer = (outcome.metrics.mean_wait_s for outcome in waits)
    assert enough == row["mean_wait_s"] <= 60 < fewer


def test_a_site_that_is_large_enough_needs_no_more(log, site):
    found = lm.fewest(log, site=site, mean="10h", add="0..9xg1@fast")
    assert found.rows[0]["fewest"] == 0
    assert found.answer.startswith("The hosts of the site as they are keep a mean wait of at most 10 h.")


def test_other_changes_come_before_the_search(log, site):
    usual = lm.fewest(log, site=site, mean="1min", add="0..9xg1@fast").rows[0]["fewest"]
    fewer_there = lm.fewest(log, site=site, mean="1min", add="0..9xg1@fast", remove="g2").rows[0]["fewest"]
    assert fewer_there == usual + 1


def test_samples_of_none_more_have_no_ratio(log, site):
    row = lm.fewest(log, site=site, mean="10h", add="0..9xg1@fast", samples=5, resample="shake").rows[0]
    assert (row["fewest_low"], row["fewest_high"]) == (0, 0)


def test_hosts_with_fewer_more_are_those_with_more_without_the_last(site):
    def changed(change):
        return site_case(site, change=change)

    hosts = site_range("0..4x16c@main", changed).hosts
    assert hosts.at(0).hosts == 6
    assert [part.hosts for part in hosts.at(0).rules.partitions] == [(0, 1, 2, 3), (4, 5), None]
    two, four = hosts.at(2), hosts.at(4)
    assert [two.name(host) for host in range(two.hosts)] == ["n1", "n2", "n3", "n4", "added1", "added2", "g1", "g2"]
    assert two.rules.partitions[0].hosts == (0, 1, 2, 3, 4, 5)
    assert two.rules.partitions[1].hosts == (6, 7)
    assert two.rules.features[6:] == (("fast",), ("fast",))
    assert four.hosts == 10


@pytest.mark.parametrize(
    ("add", "rule"),
    [
        ("3xn1@main", "the numbers to try"),
        ("5..3xn1@main", "numbers of hosts go up"),
        ("0..3xn9@main", "neither a kind of host nor a host"),
        ("0..3x8c4gpu@main", "these hosts have gpus"),
        ("0..3xn1@mian", "did you mean main?"),
    ],
)
def test_hosts_that_cannot_be_tried_are_refused(log, site, add, rule):
    with pytest.raises(InputError, match=rule.replace("?", r"\?")):
        lm.fewest(log, site=site, mean="1h", add=add)


def test_without_a_site_no_hosts_are_added(log):
    with pytest.raises(InputError, match="hosts are added to a site"):
        lm.fewest(log, "1..9x8c", mean="1h", add="0..3x8c@main")


def test_hosts_that_close_are_made_up_for(log, site):
    """While the two hosts of `fast` are closed, the further ones must do their work."""
    open_ones = lm.fewest(log, site=site, mean="1min", add="0..12xg1@fast").rows[0]["fewest"]
    down = "2026-01-05T08:00/4h:g[1-2]"
    closed = lm.fewest(log, site=site, mean="1min", add="0..12xg1@fast", down=down).rows[0]["fewest"]
    assert closed == open_ones + 2
    mains = lm.fewest(log, site=site, mean="1min", add="0..12xg1@fast", down="2026-01-05T20:00/4h:g[1-2]")
    assert mains.rows[0]["fewest"] == open_ones  # all jobs are over by then


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"hosts": "1..4x8c"}, "those of a site"),
        ({"growth": 1.5}, "--growth moves the jobs"),
        ({"samples": 5}, "--samples moves the jobs"),
        ({"down": "2026-01-05T08:00/4h:z9"}, "z9"),
    ],
)
def test_closures_that_cannot_be_used_are_refused(log, site, more, rule):
    given = {"site": site, "add": "0..2xg1@fast"} if "hosts" not in more else {}
    with pytest.raises(InputError, match=rule):
        lm.fewest(log, mean="1min", **{"down": "2026-01-05T08:00/4h:g[1-2]"} | given | more)
