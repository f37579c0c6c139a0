"""A site in the model's words."""

import numpy as np
import pytest
from sites import SMALL, site_of

from loadmaster.model.limits import Limits
from loadmaster.model.units import GB, MB
from loadmaster.site.accounts import read_accounts
from loadmaster.site.rules import cluster_of

CONS = "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"


@pytest.fixture
def modelled(tmp_path):
    """What becomes of a configuration and a table of accounts."""

    def make(text, accounts=None):
        site = site_of(tmp_path, text)
        if accounts is None:
            return cluster_of(site)
        (tmp_path / "accounts.txt").write_text(accounts)
        return cluster_of(site, read_accounts(tmp_path / "accounts.txt"))

    return make


def test_hosts_that_are_there_stand_in_the_order_of_their_weight(modelled):
    made = modelled(
        CONS + "NodeName=a CPUs=2 RealMemory=100 Weight=9\nNodeName=b CPUs=4 RealMemory=200 State=DOWN\n"
        "NodeName=c CPUs=8 RealMemory=400 Gres=gpu:k80:3\nPartitionName=p Nodes=ALL\n"
    )
    assert made.cluster.names == ("c", "a")
    assert made.cluster.resources == ("cores", "memory", "gpus")
    assert np.array_equal(made.cluster.capacity, [[8, 400 * MB, 3], [2, 100 * MB, 0]])
    assert any("1 of 3 hosts" in note for note in made.notes)


def test_memory_is_a_resource_where_the_site_counts_it(modelled):
    assert modelled(SMALL + "SelectType=select/cons_res\nSelectTypeParameters=CR_CPU\n").cluster.resources == ("cores",)
    assert modelled(SMALL + CONS).cluster.resources == ("cores", "memory")


def test_partitions_name_their_hosts_by_number_and_none_means_all(modelled):
    rules = modelled(
        CONS + "NodeName=n[1-2] Weight=5\nNodeName=n3\nPartitionName=all Nodes=ALL MaxTime=30 PriorityTier=2 QOS=Part\n"
        "PartitionName=some Nodes=n[2-3] Default=YES OverSubscribe=EXCLUSIVE OverTimeLimit=2 MaxNodes=2 "
        "MinNodes=2 AllowAccounts=A\n"
        "PartitionName=own Nodes=n1 ExclusiveUser=YES State=DRAIN TRESBillingWeights=CPU=2,Mem=1G\n"
    ).cluster.rules
    everywhere, some, own = rules.partitions
    assert (everywhere.hosts, some.hosts, own.hosts) == (None, (0, 2), (1,))
    assert (everywhere.max_time_s, everywhere.tier, everywhere.qos) == (1800, 2, "part")
    assert (some.exclusive, some.min_hosts, some.max_hosts, some.allow_accounts) == ("host", 2, 2, ("a",))
    assert (own.min_hosts, own.max_hosts) == (None, None)
    assert (own.exclusive, own.state) == ("none", "drain")
    assert own.billing == (("cores", 2.0), ("memory", 1.0 / GB))
    assert rules.default_partition == "some"


def test_select_linear_gives_whole_hosts_everywhere(modelled):
    assert modelled(SMALL).cluster.rules.partitions[0].exclusive == "host"


ACCOUNTS = (
    "Account|ParentName|User|Share|MaxJobs|GrpTRES|GrpTRESMins|MaxTRES|MaxTRESPerNode\n"
    "lab|phys||3||||node=2|cpu=4\nphys|root||5||cpu=8,mem=1G|cpu=100|||\nroot|||1|||||\nlab||eve|2|7||||\n"
).replace("|||\nroot", "||\nroot")
QOS = "Name|Priority|Preempt|PreemptMode|Flags|MaxTRESPU|MaxWall\nhigh|9|low|within,cancel|NoReserve|gres/gpu=2|10\n"


def test_accounts_stand_behind_their_parents_with_limits_in_our_units(modelled):
    rules = modelled(SMALL + CONS + "AccountingStorageEnforce=limits\n", ACCOUNTS + QOS).cluster.rules
    assert [(node.account, node.user, node.parent, node.shares) for node in rules.accounts] == [
        ("root", "", "", 1),
        ("phys", "", "root", 5),
        ("lab", "", "phys", 3),
        ("lab", "eve", "", 2),
    ]
    assert rules.accounts[1].limits == Limits(
        grp_tres=(("cores", 8.0), ("memory", float(GB))), grp_tres_s=(("cores", 6000.0),)
    )
    assert rules.accounts[2].limits == Limits(max_tres_job=(("hosts", 2.0),), max_tres_host=(("cores", 4.0),))
    assert rules.accounts[3].limits == Limits(max_jobs_pu=7)
    (high,) = rules.qos
    assert (high.priority, high.preempts, high.within, high.preempt_mode, high.no_reserve) == (
        9,
        ("low",),
        True,
        "cancel",
        True,
    )
    assert high.limits == Limits(max_tres_pu=(("gpus", 2.0),), max_wall_s=600.0)


def test_limits_that_are_not_enforced_do_not_bind_and_that_is_said(modelled):
    made = modelled(SMALL + CONS + "AccountingStorageEnforce=qos\n", ACCOUNTS + QOS)
    assert all(node.limits == Limits() for node in made.cluster.rules.accounts)
    assert made.cluster.rules.qos[0].limits == Limits()
    assert any("do not bind" in note for note in made.notes)


def test_without_accounts_the_user_is_told(modelled):
    made = modelled(SMALL)
    assert made.cluster.rules.accounts == ()
    assert any("Without --site-accounts" in note for note in made.notes)


def test_preemption_takes_the_mode_that_says_what_becomes_of_a_job(modelled):
    rules = modelled(
        SMALL + "PreemptType=preempt/partition_prio\nPreemptMode=SUSPEND,GANG\nJobRequeue=0\n"
    ).cluster.rules
    assert (rules.preemption.by, rules.preemption.mode, rules.requeue) == ("partition", "suspend", False)


def test_whole_hosts_that_nobody_asked_for_are_said(modelled):
    (note,) = [note for note in modelled(SMALL).notes if "SelectType" in note]
    assert note.startswith("The site has no SelectType: jobs get whole hosts")
    for kind in ("linear", "cons_tres"):
        assert not any("no SelectType" in note for note in modelled(f"{SMALL}SelectType=select/{kind}\n").notes)


def test_a_mode_of_newer_releases_is_said(modelled):
    made = modelled(SMALL + "PreemptType=preempt/qos\nPreemptMode=REQUEUE,PRIORITY\n")
    assert made.cluster.rules.preemption.mode == "requeue"
    assert "Of the site not modelled: PreemptMode=PRIORITY." in made.notes


def test_what_is_not_modelled_is_said_in_one_sentence(modelled):
    made = modelled(SMALL.replace("Default", "OverSubscribe=FORCE:2 Default") + "Licenses=a\nPreemptMode=GANG\n")
    assert made.cluster.rules.licences == (("a", 1.0),)
    (sentence,) = [note for note in made.notes if "not modelled" in note]
    assert sentence == "Of the site not modelled: OverSubscribe=FORCE of partition main, PreemptMode=GANG."


def test_devices_that_bind_no_job_are_said_and_models_of_gpus_are_features_of_hosts(modelled):
    gpus = "NodeName=n[1-2] CPUs=8 Gres=gpu:a100:4,nvme:no_consume:1\nNodeName=n3 CPUs=8 Gres=gpu:v100:2,fpga:1\n"
    rest = "PartitionName=main Nodes=ALL\n"
    made = modelled(gpus + rest)
    (sentence,) = [note for note in made.notes if "not modelled" in note]
    assert made.cluster.rules.features == (("gpu:a100",), ("gpu:a100",), ("gpu:v100",))
    assert sentence == "Of the site not modelled: Gres=fpga, Gres=nvme."
    one = modelled(gpus.replace("v100", "a100").replace(",fpga:1", "").replace(",nvme:no_consume:1", "") + rest)
    assert not any("not modelled" in note for note in one.notes)


def test_flags_of_qos_and_their_defaults_that_are_not_modelled_are_said(modelled):
    table = "Name|Priority|Flags\nnormal|0|NoReserve,OverPartQOS\nlong|1|PartitionTimeLimit,DenyOnLimit\n"
    users = "Cluster|Account|User|Share|Def QOS\nc|root||1|normal\nc|a||1|\nc|a|eve|1|long\n"
    (sentence,) = [note for note in modelled(SMALL, table + users).notes if "not modelled" in note]
    flags = "QOS Flags=denyonlimit, QOS Flags=partitiontimelimit"
    assert sentence == f"Of the site not modelled: {flags}, DefaultQOS of jobs that name no QOS."
    plain = modelled(SMALL, table.replace("PartitionTimeLimit,DenyOnLimit", "") + users.replace("long", "normal"))
    assert not any("not modelled" in note for note in plain.notes)


def test_limits_that_bind_nobody_yet_are_said(modelled):
    made = modelled(SMALL.replace("Default", "ExclusiveUser=YES OverTimeLimit=2 Default"))
    (sentence,) = [note for note in made.notes if "not modelled" in note]
    for key in ("ExclusiveUser", "OverTimeLimit"):
        assert f"{key} of partition main" in sentence


WORK = "PriorityType=priority/multifactor\nPriorityDecayHalfLife=2-0\nAccountingStorageEnforce={}\n"


@pytest.mark.parametrize(("enforce", "safe"), [("limits", False), ("safe", True), ("all", True)])
def test_limits_on_work_fade_with_the_sites_half_life_and_look_ahead_where_it_is_safe(modelled, enforce, safe):
    rules = modelled(SMALL + CONS + WORK.format(enforce), ACCOUNTS + QOS).cluster.rules
    assert (rules.limits_safe, rules.use_half_life_s) == (safe, 172800.0)
    assert modelled(SMALL + CONS, ACCOUNTS + QOS).cluster.rules.use_half_life_s == 0.0


def test_what_of_limits_on_work_is_not_modelled_is_said_where_some_are_set(modelled):
    text = SMALL + CONS + WORK.format("limits") + "PriorityUsageResetPeriod=DAILY\n"
    qos = "Name|Priority|Flags|UsageFactor\nhigh|9|NoDecay|2\n"
    sentence = " ".join(modelled(text, ACCOUNTS + qos).notes)
    for words in ("PriorityUsageResetPeriod for limits on work", "QOS Flags=NoDecay", "UsageFactor for limits on work"):
        assert words in sentence
    assert "limits on work" not in " ".join(modelled(text, ACCOUNTS.replace("cpu=100", "") + qos).notes)


def test_a_qos_of_a_partition_that_no_file_of_accounts_describes_is_said_where_limits_bind(modelled):
    binding = SMALL.replace("Default", "QOS=cap Default") + WORK.format("limits")
    words = "QOS=cap of partition main, which no file of accounts describes"
    assert words in " ".join(modelled(binding).notes)
    assert words in " ".join(modelled(binding, ACCOUNTS + QOS).notes)
    assert words not in " ".join(modelled(binding, ACCOUNTS + "Name|Priority\ncap|0\n").notes)
    assert words not in " ".join(modelled(binding.replace("=limits", "=associations")).notes)


def test_a_strict_order_of_preemption_is_said_where_there_is_preemption(modelled):
    strict = "SchedulerParameters=preempt_strict_order\n"
    assert "preempt_strict_order" not in " ".join(modelled(SMALL + strict).notes)
    assert "preempt_strict_order" in " ".join(modelled(SMALL + strict + "PreemptType=preempt/qos\n").notes)
