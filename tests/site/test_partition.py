"""Partitions of a site."""

import math

import pytest
from sites import site_of

from loadmaster.model import InputError
from loadmaster.site.partition import DefaultMemory, SitePartition

HOSTS = "NodeName=n[1-3]\n"


def test_an_empty_line_has_slurm_s_defaults(tmp_path):
    (part,) = site_of(tmp_path, HOSTS + "PartitionName=p\n").partitions
    assert part == SitePartition("p", ())
    assert (part.tier, part.job_factor, part.min_nodes, part.max_nodes, part.state) == (1, 1, 0, math.inf, "up")
    assert (part.allow_accounts, part.allow_qos, part.sharing, part.over_time_limit_s) == (None, None, "no", None)


def test_every_word_of_a_line_is_kept(tmp_path):
    (part,) = site_of(
        tmp_path,
        HOSTS + "PartitionName=p Nodes=n[1-2] Default=YES MaxTime=1-0 DefaultTime=0:90 MaxNodes=2 MinNodes=1 "
        "PriorityTier=5 PriorityJobFactor=7 AllowAccounts=A,b DenyQos=Low QOS=Part OverSubscribe=EXCLUSIVE "
        "ExclusiveUser=YES PreemptMode=SUSPEND,GANG GraceTime=60 OverTimeLimit=UNLIMITED State=DRAIN DefMemPerCPU=512 "
        'MaxCPUsPerNode=3 TRESBillingWeights="CPU=1.0,Mem=0.25G,GRES/gpu=2.0" LLN=YES\n',
    ).partitions
    assert part == SitePartition(
        "p",
        ("n1", "n2"),
        True,
        5,
        7,
        86400.0,
        120.0,
        1,
        2.0,
        3.0,
        ("a", "b"),
        (),
        None,
        ("low",),
        "part",
        "exclusive",
        True,
        "drain",
        True,
        ("suspend", "gang"),
        60.0,
        math.inf,
        DefaultMemory(per_cpu_mib=512),
        (("cpu", 1.0), ("mem", 0.25 / 1024), ("gres/gpu", 2.0)),
    )


def test_priority_sets_tier_and_job_factor_unless_they_are_given(tmp_path):
    parts = site_of(
        tmp_path, HOSTS + "PartitionName=p Priority=3\nPartitionName=q Priority=3 PriorityTier=4\n"
    ).partitions
    assert [(part.tier, part.job_factor) for part in parts] == [(3, 3), (4, 3)]


def test_all_admits_everybody_and_shares_may_be_counted(tmp_path):
    (part,) = site_of(
        tmp_path, HOSTS + "PartitionName=p AllowAccounts=ALL Shared=FORCE:4 MaxNodes=UNLIMITED\n"
    ).partitions
    assert (part.allow_accounts, part.sharing, part.max_nodes) == (None, "force", math.inf)


def test_exclusive_stands_for_the_older_words(tmp_path):
    text = "NodeName=n[1-2] CPUs=2\nPartitionName=DEFAULT Nodes=ALL\n" + "".join(
        f"PartitionName={name} {words}\n"
        for name, words in (
            ("a", "Exclusive=NODE"),
            ("b", "OverSubscribe=EXCLUSIVE"),
            ("c", "Exclusive=USER"),
            ("d", "ExclusiveUser=YES"),
            ("e", "Exclusive=TOPO OverSubscribe=FORCE:2"),
            ("f", "ExclusiveTopo=YES"),
            ("g", "Exclusive=NO OverSubscribe=EXCLUSIVE"),
        )
    )
    parts = site_of(tmp_path, text).partitions
    assert [part.sharing for part in parts] == [
        "exclusive",
        "exclusive",
        "no",
        "no",
        "exclusive",
        "exclusive",
        "exclusive",
    ]
    assert [part.exclusive_user for part in parts] == [False, False, True, True, False, False, False]
    assert [part.exclusive_topology for part in parts] == [False] * 4 + [True, True, False]


def test_several_names_in_one_line_are_refused(tmp_path):
    with pytest.raises(InputError, match="a line has one partition"):
        site_of(tmp_path, "NodeName=n[1-2] CPUs=2\nPartitionName=a,b Nodes=ALL\n")
