"""Changes of a site: hosts added and removed, parameters set, and what is refused."""

import pytest
from sites import SMALL

from loadmaster.model import InputError
from loadmaster.runs.site_case import site_case
from loadmaster.site.changes import SiteChange, change_of

CONF = """
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
SchedulerParameters=bf_interval=60,defer
NodeName=DEFAULT RealMemory=64000 Weight=5
NodeName=n[1-4] CPUs=16
NodeName=g[1-2] CPUs=32 RealMemory=256000 Gres=gpu:a100:4 Feature=a100 Weight=10
PartitionName=DEFAULT MaxTime=2-0
PartitionName=main Nodes=n[1-4] Default=YES
PartitionName=gpu Nodes=g[1-2]
PartitionName=all Nodes=ALL
"""


@pytest.fixture
def changed(tmp_path):
    """The site after a change, as runs take it."""

    def case(text, conf=CONF):
        path = tmp_path / "slurm.conf"
        path.write_text(conf)
        return site_case(path, change=change_of(text))

    return case


def hosts_of(case, partition):
    """Names of the hosts of a partition."""
    part = next(part for part in case.cluster.rules.partitions if part.name == partition)
    numbers = range(case.cluster.hosts) if part.hosts is None else part.hosts
    return {case.cluster.name(number) for number in numbers}


def test_added_hosts_are_in_their_partition_and_wherever_all_hosts_are(changed):
    case = changed("add 2x64c512g@main")
    assert case.cluster.hosts == 8
    assert hosts_of(case, "main") == {"n1", "n2", "n3", "n4", "added1", "added2"}
    assert hosts_of(case, "gpu") == {"g1", "g2"}
    assert len(hosts_of(case, "all")) == 8
    row = dict(zip(case.cluster.resources, case.cluster.capacity[4], strict=True))
    assert (row["cores"], row["memory"], row["gpus"]) == (64, 512 * 2**30, 0)
    hosts = "NodeName=added[1-2] CPUs=64 RealMemory=524288"
    assert case.notes[0] == f"Changed: add 2x64c512g@main ({hosts}, in the partitions main, all)."


def test_hosts_like_one_of_the_site_have_its_gpus_features_and_weight(changed):
    case = changed("add 1xg2@gpu")
    assert hosts_of(case, "gpu") == {"g1", "g2", "added1"}
    number = next(number for number in range(case.cluster.hosts) if case.cluster.name(number) == "added1")
    assert number == case.cluster.hosts - 1  # its Weight puts it behind the light hosts
    assert case.cluster.rules.features[number] == ("a100", "gpu:a100")
    assert dict(zip(case.cluster.resources, case.cluster.capacity[number], strict=True))["gpus"] == 4


def test_hosts_like_one_of_a_cloud_sleep_as_it_does(changed):
    conf = CONF.replace("Feature=a100 Weight=10", "Feature=a100 Weight=10 State=CLOUD")
    case = changed("add 1xg2@gpu; add 1x8c8g@main", conf)
    (start_up,) = case.cluster.rules.start_up
    assert {case.cluster.name(number) for number in start_up.hosts} == {"g1", "g2", "added1"}


def test_without_a_partition_hosts_come_to_the_default_one(changed):
    assert "added1" in hosts_of(changed("add 1x8c8g"), "main")


def test_hosts_may_come_to_several_partitions_and_several_times(changed):
    case = changed("add 2x8c8g@main,gpu; add 1x8c8g@gpu")
    assert hosts_of(case, "main") >= {"added1", "added2"}
    assert hosts_of(case, "gpu") >= {"added1", "added2", "added3"}


def test_the_price_of_added_hosts_makes_the_cost_of_the_changed_site(changed):
    case = changed("add 2xg2@3.5@gpu; add 1x8c8g@0.25@main; remove n1")
    assert case.cluster.cost_per_hour == 7.25
    prices = dict(zip(case.cluster.names, case.cluster.price_per_hour, strict=True))
    assert (prices["g1"], prices["added1"], prices["added3"]) == (0.0, 3.5, 0.25)
    assert hosts_of(case, "gpu") == {"g1", "g2", "added1", "added2"}
    assert changed("add 2xg2@gpu").cluster.price_per_hour is None
    assert changed("add 1x8c8g@1@main; remove added1").cluster.cost_per_hour is None


def test_a_price_in_the_file_itself_is_no_key_of_slurm(changed):
    conf = CONF.replace("CPUs=32", "CPUs=32 Price=3")
    assert changed("add 1x8c8g@main", conf).cluster.price_per_hour is None


def test_of_a_partition_the_hosts_go_that_jobs_take_last(changed):
    assert hosts_of(changed("remove 3@all"), "all") == {"n1", "n2", "n3"}
    case = changed("remove n[1-2],g1")
    assert hosts_of(case, "all") == {"n3", "n4", "g2"}
    assert case.notes[0] == "Changed: remove n[1-2],g1 (n[1-2],g1)."
    assert changed("remove 3@all").notes[0] == "Changed: remove 3@all (n4,g[1-2])."
    assert not any("down or not there yet" in note for note in case.notes)


def test_words_of_the_scheduler_are_set_one_by_one(changed):
    discipline = changed("set SchedulerParameters=bf_window=2880").discipline
    assert discipline.endswith("slurm(bf_interval=60,bf_window=2880,defer=yes)")
    assert "bf_interval=120" in changed("set SchedulerParameters=bf_interval=120").discipline
    assert "defer" not in changed("set SchedulerParameters=defer=no").discipline


def test_a_parameter_of_the_cluster_is_set(changed):
    assert "age=5000," in changed("set PriorityWeightAge=5000").discipline


def test_a_parameter_of_a_partition_keeps_its_others(changed):
    case = changed("set PartitionName=gpu MaxTime=1-0 PriorityTier=3")
    part = next(part for part in case.cluster.rules.partitions if part.name == "gpu")
    assert (part.max_time_s, part.tier) == (86400.0, 3)
    assert hosts_of(case, "gpu") == {"g1", "g2"}


def test_licences_are_set(changed):
    assert changed("set Licenses=solver:8").cluster.rules.licences == (("solver", 8.0),)


def test_steps_that_belong_together_see_each_other(changed):
    case = changed("set PriorityWeightAge=7; set PriorityWeightAge=8; add 1x8c8g@main; remove added1")
    assert "age=8," in case.discipline
    assert case.cluster.hosts == 6
    assert case.change.count(";") == 3


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("add 2x8c8g@mian", "no such partition; did you mean main?"),
        ("add 2x8c@main", "counts memory"),
        ("add 2xn9@main", "neither a kind of host nor a host"),
        ("add 0x8c8g@main", "from 1 to"),
        ("add 8c8g@main", "COUNTxKIND@PARTITION"),
        ("add 1x8c8g@1.2", "no such partition"),
        ("add 1x8c8g@-1@main", "no such partition"),
        ("add 1x8c8g@1.2@main; add 1x8c8g@main", "some added hosts have a price and others none"),
        ("add 1x8c8g@1e999@main", "no such partition"),
        ("remove 5@main", "has 4 hosts that are up"),
        ("remove n7", "no such host"),
        ("remove n1; remove n1", "not up already"),
        ("set PriorityWeightAgee=1", "no such parameter; did you mean PriorityWeightAge?"),
        ("set bf_window=2880", "write SchedulerParameters=bf_window=2880"),
        ("set SchedulerParameters=bf_windw=2880", "did you mean bf_window?"),
        ("set SchedulerParameters=bf_max_time=60", "changes nothing in the model"),
        ("set SchedulerParameters=bf_window=0", "a whole number from 1"),
        ("set SlurmctldPort=1", "changes no job"),
        ("set JobSubmitPlugins=lua", "does not use this parameter"),
        ("set PriorityWeightAge=1000", "so already"),
        ("set MaxTime=5", "PartitionName=main MaxTime=5"),
        ("set PartitionName=main", "nothing of the partition is set"),
        ("set NodeName=n1 CPUs=4", "lines of hosts cannot be set"),
        ("move n1", "a step is add, remove or set"),
        ("", "a step is add, remove or set"),
    ],
)
def test_what_is_no_change_is_refused_in_one_line(changed, text, rule):
    with pytest.raises(InputError) as refused:
        changed(text)
    assert rule in str(refused.value)
    assert "\n" not in str(refused.value)


def test_weights_change_nothing_where_priorities_are_the_order_of_submission(changed):
    with pytest.raises(InputError, match="changes nothing in the model"):
        changed("set PriorityWeightAge=5", SMALL)
    case = changed("set PriorityType=priority/multifactor; set PriorityWeightAge=5", SMALL)
    assert case.discipline.startswith("multifactor(age=5,")


def test_a_site_that_was_fitted_is_not_changed(tmp_path):
    path = tmp_path / "site.yaml"
    path.write_text("hosts: 2x4c\ndiscipline: easy\n")
    with pytest.raises(InputError, match="a site that was fitted cannot be changed"):
        site_case(path, change=change_of("add 1x4c"))


def test_the_name_of_a_change_is_what_makes_it_again():
    change = change_of("add 4x64c256g@main ;set PriorityWeightAge=1")
    assert change.name == "add 4x64c256g@main; set PriorityWeightAge=1"
    assert change_of(change.name) == SiteChange(change.steps)
