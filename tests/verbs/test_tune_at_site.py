"""`tune --site`: parameters of Slurm itself, judged on weeks that the search never saw, as lines of slurm.conf."""

import pytest
from weekly_log import weekly_log

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.report.tune_page import tune_page
from loadmaster.verbs.tune import CHANGES_FILE

CONF = """
NodeName=n1 CPUs=8
PartitionName=main Nodes=ALL Default=YES
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightJobSize=10000
SchedulerParameters=bf_window=60,bf_interval=60
"""
SMALL = {"trials": 8, "runs": 2, "samples": 5}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    path = tmp_path_factory.mktemp("site") / "slurm.conf"
    path.write_text(CONF)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tuned")


@pytest.fixture(scope="module")
def found(site, folder):
    return lm.tune(weekly_log(weeks=6, jobs_a_week=30), site=site, **SMALL, out=folder)


def test_the_site_as_it_is_is_the_only_rule_to_beat(found):
    (base, figures), *others = found.tuning.selection.builtins
    assert others == []
    assert figures.values == (0.0,)
    assert base.setting.discipline == found.tuning.plan.base.discipline
    assert found.tuning.plan.parts == ("slurm",)
    assert all(value.startswith("slurm.") for value in found.frame.columns if "." in value)


def test_no_sentence_and_no_table_names_another_baseline(found):
    page = repr(tune_page(found.tuning, found.notes, found.command))
    assert "fcfs+easy" not in page + found.answer + " ".join(found.notes)


def test_the_winner_is_lines_of_slurm_conf(found, folder):
    winner = found.tuning.selection.winner
    assert winner is not None
    assert found.slurm_conf
    text = (folder / CHANGES_FILE).read_text()
    assert text.splitlines()[2:] == list(found.slurm_conf)
    assert text.startswith(f"# {found.answer}")
    changed = [line for line in found.slurm_conf if line.startswith("SchedulerParameters=")]
    assert all("bf_interval=60" in line for line in changed)


def test_rules_of_ones_own_are_not_searched_with_parameters_of_slurm(site):
    with pytest.raises(InputError, match="add --search order"):
        lm.tune(weekly_log(weeks=4, jobs_a_week=10), site=site, policy="mix-fit")


def test_changes_of_the_site_come_before_the_search(site):
    result = lm.tune(weekly_log(weeks=4, jobs_a_week=10), site=site, add="1x8c@main", trials=1, runs=2, samples=5)
    assert result.tuning.case.cluster.hosts == 2
    assert any(note.startswith("Changed: add 1x8c@main") for note in result.notes)
