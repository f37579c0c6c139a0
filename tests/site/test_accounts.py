"""Accounts, QOS and limits from what sacctmgr writes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.site.accounts import read_accounts
from loadmaster.site.limits import SiteLimits

ASSOCIATIONS = (
    "Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|MaxJobs|MaxTRES|MaxWall|QOS|Def QOS|GrpTRESRunMins\n"
    "lm|root|||1|||||||normal||\n"
    "lm| root|root||1|||||||normal||\n"
    "lm| phys|||50||4|cpu=8,mem=10G||||normal||cpu=600\n"
    "lm|  lab|||3|||||node=2||normal||\n"
    "lm|   lab|Eve|main|parent||||||01:00:00|high,normal|high|\n"
    "lm|   lab|bob||2||||3|||normal||\n"
    "lm| chem|||30|||||||normal||\n"
    "lm|  chem|bob||1|||||||normal||\n"
)
QOS = (
    "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageFactor|MaxTRESPU|MaxJobsPU|MaxWall\n"
    "normal|0|00:00:00|||cluster||1.000000|||\n"
    "high|100|00:00:30|normal|00:10:00|requeue|DenyOnLimit,NoReserve|0.500000|cpu=10|3|1-00:00:00\n"
)
DUMP = (
    "# To edit this file\nCluster - 'lm':Fairshare=1:QOS='normal'\nParent - 'root'\n"
    "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
    "Account - 'phys':Description='the: lab':Organization='a':Fairshare=50:GrpTRES=cpu=8,mem=10G:GrpJobs=4\n"
    "Account - 'chem':Fairshare=30\nParent - 'phys'\nAccount - 'lab':Fairshare=3:MaxTRESPerJob=node=2\nParent - 'lab'\n"
    "User - 'Eve':Partition='main':Fairshare=2147483647:MaxWallDurationPerJob=60:QOS='high,normal'\n"
    "User - 'bob':Fairshare=2:MaxJobs=3\nParent - 'chem'\nUser - 'bob':Fairshare=1\n"
)


@pytest.fixture
def accounts(tmp_path):
    """What is read from a file with this text."""

    def read(text, cluster=""):
        (tmp_path / "accounts.txt").write_text(text)
        return read_accounts(tmp_path / "accounts.txt", cluster)

    return read


def _shape(found):
    return [(each.account, each.user, each.parent, each.shares) for each in found.associations]


def test_a_tree_is_told_by_the_indentation_of_its_accounts(accounts):
    found = accounts(ASSOCIATIONS, "lm")
    assert _shape(found) == [
        ("root", "", "", 1),
        ("root", "root", "", 1),
        ("phys", "", "root", 50),
        ("lab", "", "phys", 3),
        ("lab", "Eve", "", None),
        ("lab", "bob", "", 2),
        ("chem", "", "root", 30),
        ("chem", "bob", "", 1),
    ]
    assert (found.notes, found.not_modelled) == ((), ())


def test_limits_and_qos_of_an_association_are_kept_with_their_units(accounts):
    phys, lab, eve = (accounts(ASSOCIATIONS).associations[k] for k in (2, 3, 4))
    assert phys.limits == SiteLimits(
        grp_jobs=4, grp_tres=(("cpu", 8.0), ("mem", 10240.0)), grp_tres_run_mins=(("cpu", 600.0),)
    )
    assert lab.limits == SiteLimits(max_tres=(("node", 2.0),))
    assert (eve.limits, eve.partition, eve.qos, eve.default_qos) == (
        SiteLimits(max_wall_s=3600.0),
        "main",
        ("high", "normal"),
        "high",
    )


def test_a_dump_says_the_same_as_the_table(accounts):
    dump, table = accounts(DUMP, "lm"), accounts(ASSOCIATIONS, "lm")
    assert sorted(_shape(dump)) == sorted(_shape(table), key=lambda row: row)
    by_name = {(each.account, each.user): each.limits for each in dump.associations}
    assert by_name["lab", "Eve"] == SiteLimits(max_wall_s=3600.0)
    assert by_name["lab", ""] == SiteLimits(max_tres=(("node", 2.0),))
    assert by_name["phys", ""] == SiteLimits(grp_jobs=4, grp_tres=(("cpu", 8.0), ("mem", 10240.0)))


def test_a_column_of_parents_tells_the_tree_too(accounts):
    found = accounts("Account|ParentName|User|Share\nroot|||1\nb|a||2\na|root||3\nb||u|1\n")
    assert _shape(found) == [("root", "", "", 1), ("b", "", "a", 2), ("a", "", "root", 3), ("b", "u", "", 1)]
    assert found.notes == ()


def test_a_table_without_parents_is_taken_as_flat_and_says_so(accounts):
    found = accounts("Account|User|Share\nroot||1\na||3\nb||2\n")
    assert [each.parent for each in found.associations] == ["", "root", "root"]
    assert "children of root" in found.notes[0]


def test_qualities_of_service_are_read_behind_the_accounts(accounts):
    normal, high = accounts(ASSOCIATIONS + QOS).qos
    assert (normal.name, normal.priority, normal.mode, normal.exempt_s, normal.limits) == (
        "normal",
        0,
        None,
        None,
        SiteLimits(),
    )
    assert (high.priority, high.grace_s, high.preempts, high.exempt_s, high.mode) == (
        100,
        30.0,
        ("normal",),
        600.0,
        ("requeue",),
    )
    assert (high.flags, high.usage_factor) == (("denyonlimit", "noreserve"), 0.5)
    assert high.limits == SiteLimits(max_tres_pu=(("cpu", 10.0),), max_jobs_pu=3, max_wall_s=86400.0)


def test_what_is_not_modelled_is_named_where_it_is_set(accounts):
    found = accounts("Account|Share|GrpJobsAccrue|LimitFactor|Descr\nroot|1|5||\n")
    assert found.not_modelled == ("GrpJobsAccrue",)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a|b\n", "without the names of its columns"), ("Account|Share\nroot|1|2\n", "3 cells below 2 names"),
        ("hello\n", "neither a row"), ("Account|Share\nroot|many\n", "a whole number from 0"),
        ("Account|Share|ParentName\na|1|b\nb|1|a\n", "in a circle"), ("Account|Share\na|1\na|1\n", "there twice"),
        ("Account|Share|ParentName\na|1|b\n", "no such account"), ("Account|Share\n|1\n", "without a name"),
        ("User - 'eve':Fairshare\n", "NAME=VALUE"), ("User - 'eve\n", "not closed"),
        ("# only\n", "no account and no QOS"),
        ("Parent - 'gone'\nUser - 'eve':Fairshare=1\n", "no such account"), ("{}", "no account and no QOS"),
        ("Account|Share|MaxTRES\na|1|cpu\n", "amounts by resource"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_line(accounts, text, rule):
    with pytest.raises(InputError, match=rule) as error:
        accounts(text)
    assert "accounts.txt" in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) <= 300


def test_only_the_rows_of_the_site_s_cluster_count(accounts):
    both = "Cluster|Account|Share\nlm|root|1\nlm|a|2\nother|root|1\nother|b|3\n"
    assert _shape(accounts(both, "lm")) == [("root", "", "", 1), ("a", "", "root", 2)]
    with pytest.raises(InputError, match="there are lm, other"):
        accounts(both, "third")
    with pytest.raises(InputError, match="several clusters"):
        accounts(both)


def test_a_chain_of_thousands_of_accounts_is_refused_at_once(accounts):
    rows = "".join(f"a{k}|a{k + 1}|1\n" for k in range(20_000))
    with pytest.raises(InputError, match="too deep"):
        accounts("Account|ParentName|Share\n" + rows + "a20000|root|1\n")


@given(st.text(alphabet=st.sampled_from(list("Account|Share\nPrentUse -':=1,root")), max_size=150))
def test_any_text_is_read_or_refused_in_one_line(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("accounts") / "accounts.txt"
    path.write_text(ASSOCIATIONS + text)
    try:
        said = str(len(read_accounts(path).associations))
    except InputError as error:
        said = str(error)
    assert len(said.splitlines()) == 1
    assert len(said) <= 300


def test_shares_are_read_from_sshare_without_its_figures_of_use(accounts):
    shown = accounts(
        "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins\n"
        "root|||0.000000|120||1.000000||||cpu=0\n root|root|1|0.01|0|0.0|0.0|0.5|inf||cpu=0\n"
        " phys||60|0.6|100|0.8|0.8||0.75|cpu=9000|cpu=5\n  phys|ann|parent|0.6|100|0.8|0.8|0.25|||cpu=5\n"
    )
    plain = accounts("Account|User|Share|GrpTRESMins\nroot|||\n root|root|1|\n phys||60|cpu=9000\n  phys|ann|parent|\n")
    assert (shown.associations, shown.not_modelled) == (plain.associations, ())
