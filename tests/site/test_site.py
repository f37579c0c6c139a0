"""A whole configuration."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sites import SMALL, site_of

from loadmaster.model import InputError
from loadmaster.site.partition import DefaultMemory
from loadmaster.site.preemption import PreemptionSetting
from loadmaster.site.priority import Priority, PriorityWeights
from loadmaster.site.scheduler import SchedulerParameters, SiteScheduler
from loadmaster.site.selection import Selection


def test_what_a_file_does_not_say_is_as_in_slurm_22_05(tmp_path):
    site = site_of(tmp_path, SMALL)
    assert site.selection == Selection(whole_hosts=True, memory=False)
    assert site.memory == DefaultMemory(None, None, None)
    assert site.scheduler == SiteScheduler("backfill", SchedulerParameters())
    assert site.priority == Priority(False, PriorityWeights(0, 0, 0, 0, 0, 0, ()), 7 * 86400.0, 7 * 86400.0, 300.0)
    assert site.preemption == PreemptionSetting("none", ("off",), 0.0, True)
    assert (site.over_time_limit_s, site.kill_wait_s, site.max_array_size) == (0.0, 30.0, 1001)
    assert (site.enforce, site.enforce_part_limits, site.limits_bind) == ((), "no", False)
    assert (site.cluster, site.not_modelled, site.no_bearing, site.notes) == ("", (), 0, ())


def test_names_of_keys_and_words_of_slurm_may_be_in_any_case(tmp_path):
    site = site_of(
        tmp_path,
        "nodename=N1 cpus=2 STATE=unknown\nPARTITIONNAME=Main nodes=N1 state=Down\nselecttype=SELECT/CONS_TRES\n"
        "SelectTypeParameters=cr_core_memory\npriorityflags=no_fair_tree,Max_Tres\nClusterName=Big\n",
    )
    assert (site.nodes[0].name, site.partitions[0].name, site.partitions[0].state) == ("N1", "Main", "down")
    assert site.selection == Selection(whole_hosts=False, memory=True, said=True)
    assert site.priority.flags == ("no_fair_tree", "max_tres")
    assert site.cluster == "big"


def test_defaults_hold_for_the_lines_behind_them_and_add_up(tmp_path):
    site = site_of(
        tmp_path,
        "NodeName=a\nNodeName=DEFAULT CPUs=4 Weight=9\nNodeName=b\nNodeName=default RealMemory=100\n"
        "NodeName=c Weight=1\n"
        "PartitionName=DEFAULT MaxTime=60 Nodes=ALL\nPartitionName=p\nPartitionName=q MaxTime=UNLIMITED\n",
    )
    assert [(node.cpus, node.weight, node.memory_mib) for node in site.nodes] == [(1, 1, 1), (4, 9, 1), (4, 1, 100)]
    assert [(part.max_time_s, part.default_time_s) for part in site.partitions] == [(3600, 3600), (math.inf, math.inf)]
    assert site.partitions[0].nodes == ("a", "b", "c")


def test_partitions_see_hosts_that_are_named_behind_them(tmp_path):
    site = site_of(tmp_path, "PartitionName=p Nodes=n[2-3]\nNodeName=n[1-3]\n")
    assert site.partitions[0].nodes == ("n2", "n3")


def test_of_a_key_given_twice_the_last_counts(tmp_path):
    assert site_of(tmp_path, SMALL + "KillWait=5\nKillWait=7\n").kill_wait_s == 7.0


def test_a_partition_given_twice_is_said_and_the_first_counts(tmp_path):
    site = site_of(tmp_path, SMALL + "PartitionName=main Nodes=n1\n")
    assert (len(site.partitions), len(site.partitions[0].nodes), len(site.notes)) == (1, 4, 1)


def test_what_is_not_modelled_is_named_once_and_what_has_no_bearing_is_counted(tmp_path):
    site = site_of(
        tmp_path,
        "NodeName=n1 CpuSpecList=1 Port=7001\nNodeName=n2 CpuSpecList=1 Port=7002\n"
        "PartitionName=p Nodes=ALL AllowGroups=g\n"
        "SlurmctldPort=1\nLicenses=a:1\nPriorityWieghtAge=5\nZzz=1\nSchedulerParameters=max_rpc_cnt=5,bf_interval=60,defer\n"
        "SelectTypeParameters=CR_Pack_Nodes\n",
    )
    assert site.not_modelled == (
        "AllowGroups",
        "CpuSpecList",
        "PriorityWieghtAge (a slip of PriorityWeightAge?)",
        "Zzz",
        "SchedulerParameters: max_rpc_cnt",
        "SelectTypeParameters: cr_pack_nodes",
    )
    assert site.no_bearing == 2
    assert site.scheduler.parameters == SchedulerParameters(bf_interval=60, defer=True)


def test_priority_settings_have_slurm_s_units(tmp_path):
    site = site_of(
        tmp_path,
        SMALL + "PriorityType=priority/multifactor\nPriorityWeightAge=1000\nPriorityWeightFairshare=10000\n"
        "PriorityWeightJobSize=500\nPriorityWeightPartition=3\nPriorityWeightQOS=2000\nPriorityWeightAssoc=4\n"
        "PriorityWeightTRES=CPU=300,Mem=.5\nPriorityMaxAge=1-0\nPriorityDecayHalfLife=1:00:00\nPriorityCalcPeriod=2\n"
        "PriorityFavorSmall=YES\nPriorityUsageResetPeriod=WEEKLY\nFairShareDampeningFactor=5\n",
    )
    weights = PriorityWeights(1000, 4, 10000, 500, 3, 2000, (("cpu", 300.0), ("mem", 0.5)))
    assert site.priority == Priority(True, weights, 86400.0, 3600.0, 120.0, True, (), "weekly", 5)


@pytest.mark.parametrize("words", ["limits", "safe", "all", "associations,limits,qos"])
def test_limits_bind_where_they_are_enforced(tmp_path, words):
    assert site_of(tmp_path, SMALL + f"AccountingStorageEnforce={words}\n").limits_bind


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("KillWait=soon", "a whole number from 0"), ("PreemptType=preempt/who", "no such value"),
        ("PriorityFlags=FAIR", "no such value"), ("SchedulerParameters=bf_interval=0", "1 or more, or -1"),
        ("SchedulerParameters=bf_window=99999", "a whole number from 1 to 43,200"), ("NodeName=n1", "there already"),
        ("NodeName=x CPUs=0", "from 1"), ("PartitionName=q Nodes=m1", "no line NodeName= has this host"),
        ("PartitionName=q State=BUSY", "no such value"), ("PartitionName=q MaxTime=1h", "not a duration"),
        ("PartitionName=q DefMemPerCPU=1 DefMemPerNode=2", "only one of these"),
        ("PartitionName=", "a name is missing"),
        ("DownNodes=m1", "no line NodeName="), ("NodeName=ALL", "no host may bear this name"),
        ("PriorityWeightTRES=cpu", "amounts by resource"), ("SelectType=select/other", "no such value"),
        ("EnforcePartLimits=maybe", "no such value"), ("PartitionName=q PriorityTier=65534", "to 65,533"),
        ("NodeName=x Gres=gpu:a:b:2", "generic resources"),
        ("NodeName=x Boards=99999 Sockets=99999", "processors in one"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_in_one_line_with_its_place(tmp_path, line, rule):
    with pytest.raises(InputError, match=rule) as error:
        site_of(tmp_path, SMALL + line + "\n")
    text = str(error.value)
    assert text.startswith(f"{tmp_path}/slurm.conf:3: "), text
    assert len(text.splitlines()) == 1
    assert len(text) <= 300
    assert ";" in text, "the fix is missing"


@pytest.mark.parametrize(
    ("text", "rule"),
    [("A=1", "lines NodeName= are missing"), ("NodeName=a State=DOWN\nPartitionName=p", "all hosts are down"),
     ("NodeName=a", "lines PartitionName= are missing")],
)  # fmt: skip
def test_a_file_that_is_no_cluster_is_refused(tmp_path, text, rule):
    with pytest.raises(InputError, match=rule):
        site_of(tmp_path, text)


@given(st.text(alphabet=st.sampled_from(list('NodeamPrtiCUs=1[-],: \n\\"#xInclu/.')), max_size=120))
def test_any_text_is_read_or_refused_in_one_line(tmp_path_factory, text):
    said = refusal(tmp_path_factory.mktemp("site"), text + "\nNodeName=zz\nPartitionName=zz Nodes=ALL\n")
    assert len(said.splitlines()) <= 1
    assert len(said) <= 300


def refusal(folder, text):
    """What the reader says against this text; empty if it reads it."""
    try:
        site_of(folder, text)
    except InputError as error:
        return str(error)
    return ""
