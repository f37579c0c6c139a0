"""A site as runs take it, and what a run under it is kept by."""

from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.runs import Setting, case_of, discipline_of
from loadmaster.runs.site_case import site_case
from loadmaster.runs.sweep import key_of
from loadmaster.traces import read_trace

RECORDED = Path(__file__).parents[1] / "site" / "recorded"
CONF = (RECORDED / "slurm.conf").read_text()


@pytest.fixture
def key(tmp_path):
    """The name under which a run of the site's own queue is kept."""
    trace = read_trace(RECORDED / "log.sacct")

    def of(conf):
        (tmp_path / "slurm.conf").write_text(conf)
        at = site_case(tmp_path / "slurm.conf", RECORDED / "accounts.txt")
        case = case_of(at.jobs_of(trace), at.cluster, "any")
        return key_of(case, Setting(at.policy, "site", interval_s=0.0, site=at.discipline))

    return of


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PriorityWeightAge=1000", "PriorityWeightAge=9"), ("bf_interval=5", "bf_interval=6"),
        ("MaxTime=2 ", "MaxTime=3 "),
        ("CPUs=16", "CPUs=17"), ("PriorityJobFactor=4", "PriorityJobFactor=5"), ("KillWait=5", "KillWait=6"),
    ],
)  # fmt: skip
def test_whatever_the_site_changes_makes_another_run(key, old, new):
    assert old in CONF
    assert key(CONF) != key(CONF.replace(old, new))


def test_comments_ports_and_logs_change_nothing(key):
    assert key(CONF) == key(CONF.replace("SlurmctldPort=", "# a remark\nSlurmctldPort=1"))


def test_a_setting_says_the_same_when_it_is_read_back():
    at = site_case(RECORDED / "slurm.conf", RECORDED / "accounts.txt")
    setting = Setting(at.policy, "site", interval_s=0.0, site=at.discipline)
    again = Setting.of(setting.plain())
    assert again == setting
    assert discipline_of(again) == discipline_of(setting)
    assert (discipline_of(setting).name, setting.kind) == ("site", "site")


def test_the_discipline_of_a_site_needs_one():
    with pytest.raises(InputError, match="the queue of a real site"):
        Setting("first-fit", "site")


def test_under_least_loaded_nodes_the_site_s_own_policy_spreads(tmp_path):
    (tmp_path / "slurm.conf").write_text(CONF + "SelectTypeParameters=CR_CPU_Memory,CR_LLN\n")
    assert site_case(tmp_path / "slurm.conf").policy == "worse-fit-cores"
