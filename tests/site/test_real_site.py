"""What is read of a configuration, beside what a real Slurm says that it read."""

import math
import re

import pytest
import real_slurm
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model.host_names import host_names
from loadmaster.site.accounts import read_accounts
from loadmaster.site.site import read_site
from loadmaster.site.times import duration_s

HOSTS = ("CPUs=8 RealMemory=16000 Weight=5 Feature=a,b", "CPUs=4 Sockets=2 CoresPerSocket=2 RealMemory=800", "CPUs=2")
SETTINGS = """\
PartitionName=DEFAULT MaxTime=90 OverTimeLimit=3
PartitionName=main Nodes=ALL Default=YES MaxTime=1:00:30 DefaultTime=10 PriorityTier=3 AllowAccounts=phys,root \\
    TRESBillingWeights="CPU=1.0,Mem=0.25G"
PartitionName=low Nodes=n[2-3] OverSubscribe=EXCLUSIVE GraceTime=20 MaxNodes=2 PriorityJobFactor=7 DenyQos=normal
SelectType=select/cons_tres
selecttypeparameters=cr_cpu_memory
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightTRES=CPU=300,Mem=5
PriorityMaxAge=2-12
PriorityDecayHalfLife=1:30:00
PriorityFlags=NO_FAIR_TREE
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PreemptExemptTime=1:30
AccountingStorageEnforce=limits
"""
ACCOUNTS = (
    "add account phys fairshare=50 GrpTRES=cpu=8,mem=10G", "add account lab parent=phys fairshare=3 MaxJobs=4",
    "add qos high priority=100 preempt=normal MaxTRESPerUser=cpu=10 MaxWall=1-0 GraceTime=30 UsageFactor=0.5",
    "add user root account=lab fairshare=parent qos=normal,high",
    "add user nobody account=phys MaxWall=60 partition=main",
)  # fmt: skip


@pytest.fixture(scope="module")
def slurm():
    """A Slurm with this configuration; skips where there is none."""
    if reason := real_slurm.why_not():
        pytest.skip(reason)
    with real_slurm.real_slurm(HOSTS, SETTINGS, ACCOUNTS) as running:
        yield running


@pytest.fixture(scope="module")
def site(slurm):
    return read_site(slurm.conf)


def _words(text):
    """KEY=VALUE pairs of what scontrol shows."""
    return dict(re.findall(r"(\S+?)\s*=\s*(.*?)(?=\s+\S+=|\s*\n|$)", text))


def test_the_cluster_s_settings_are_those_of_slurm(slurm, site):
    shown = dict(re.findall(r"^(\S+)\s+= (.*)$", slurm.run("scontrol", "show", "config"), re.M))
    assert duration_s(shown["PriorityMaxAge"]) == site.priority.max_age_s
    assert duration_s(shown["PriorityDecayHalfLife"]) == site.priority.half_life_s
    assert duration_s(shown["PriorityCalcPeriod"]) == site.priority.calc_period_s
    assert duration_s(shown["PreemptExemptTime"]) == site.preemption.exempt_s
    assert shown["PriorityFlags"].split(",") == [flag.upper() for flag in site.priority.flags]
    assert int(shown["PriorityWeightAge"]) == site.priority.weights.age
    assert (float(shown["KillWait"].split()[0]), int(shown["MaxArraySize"])) == (site.kill_wait_s, site.max_array_size)
    assert (shown["PreemptMode"], shown["JobRequeue"]) == ("REQUEUE", "1")
    assert (site.preemption.mode, site.preemption.requeue) == (("requeue",), True)
    assert shown["SchedulerType"] == "sched/backfill"
    assert shown["FairShareDampeningFactor"] == str(site.priority.damping)
    assert "limits" in shown["AccountingStorageEnforce"]
    assert site.limits_bind


@pytest.mark.parametrize("name", ["main", "low"])
def test_partitions_are_those_of_slurm(slurm, site, name):
    shown = _words(slurm.run("scontrol", "show", "partition", name))
    part = next(each for each in site.partitions if each.name == name)
    assert host_names(shown["Nodes"]) == part.nodes
    assert duration_s(shown["MaxTime"]) == part.max_time_s
    given_s = part.max_time_s if shown["DefaultTime"] == "NONE" else duration_s(shown["DefaultTime"])
    assert given_s == part.default_time_s
    assert (int(shown["PriorityTier"]), int(shown["PriorityJobFactor"])) == (part.tier, part.job_factor)
    assert (shown["Default"] == "YES", shown["State"].lower()) == (part.default, part.state)
    assert 60.0 * float(shown["OverTimeLimit"]) == part.over_time_limit_s
    assert float(shown["GraceTime"]) == part.grace_s
    assert (math.inf if shown["MaxNodes"] == "UNLIMITED" else int(shown["MaxNodes"])) == part.max_nodes
    assert shown["OverSubscribe"].lower() == part.sharing
    accounts = None if shown.get("AllowAccounts", "ALL") == "ALL" else tuple(shown["AllowAccounts"].split(","))
    assert accounts == part.allow_accounts


@pytest.mark.parametrize("k", range(len(HOSTS)))
def test_hosts_are_those_of_slurm(slurm, site, k):
    node = site.nodes[k]
    shown = _words(slurm.run("scontrol", "show", "node", node.name))
    assert (int(shown["CPUTot"]), int(shown["RealMemory"])) == (node.cpus, node.memory_mib)
    assert int(shown["Weight"]) == node.weight
    assert shown["AvailableFeatures"].replace("(null)", "") == ",".join(node.features)


def test_tables_and_dump_of_the_database_say_the_same(slurm, tmp_path):
    tables = slurm.run("sacctmgr", "show", "assoc", "tree", "-P") + slurm.run("sacctmgr", "show", "qos", "-P")
    (tmp_path / "tables.txt").write_text(tables)
    slurm.run("sacctmgr", "dump", "lm", f"file={tmp_path}/dump.cfg")
    found, dump = (read_accounts(tmp_path / name, "lm") for name in ("tables.txt", "dump.cfg"))
    shape = {(each.account, each.user): (each.parent, each.shares, each.partition) for each in found.associations}
    assert shape == {
        (each.account, each.user): (each.parent, each.shares, each.partition) for each in dump.associations
    }
    assert shape["lab", ""] == ("phys", 3, "")
    assert shape["lab", "root"][1] is None
    high = next(qos for qos in found.qos if qos.name == "high")
    assert (high.priority, high.preempts, high.grace_s, high.usage_factor) == (100, ("normal",), 30.0, 0.5)
    assert (high.limits.max_tres_pu, high.limits.max_wall_s) == ((("cpu", 10.0),), 86400.0)
    assert found.not_modelled == ()


_BRACKET = st.lists(st.tuples(st.integers(0, 120), st.integers(0, 9), st.integers(1, 4)), min_size=1, max_size=3)


@settings(max_examples=25)
@given(st.lists(_BRACKET, min_size=1, max_size=2))
def test_lists_of_hosts_hold_the_names_that_slurm_finds_in_them(slurm, brackets):
    parts = [
        ",".join(f"{first:0{digits}}-{first + more:0{digits}}" for first, more, digits in each) for each in brackets
    ]
    text = "".join(f"r[{part}]" for part in parts)
    assert list(host_names(text)) == slurm.run("scontrol", "show", "hostnames", text).split()
