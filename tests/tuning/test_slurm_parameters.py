"""Parameters of Slurm that are searched: candidates, the queue that they make, lines of slurm.conf."""

import numpy as np
import pytest

from loadmaster.model import Cluster, InputError, Partition, Qos, SiteRules
from loadmaster.runs import Setting, discipline_of
from loadmaster.runs.site_case import site_case
from loadmaster.site.changes import change_of
from loadmaster.tuning.slurm_parameters import (
    one_by_one,
    refuse_other_queues,
    slurm_conf_lines,
    slurm_discipline,
    slurm_knobs,
    what_if_words,
)

CONF = """
NodeName=n[1-4] CPUs=8
PartitionName=main Nodes=ALL Default=YES
PartitionName=fast Nodes=n1 PriorityJobFactor=5
PriorityType=priority/multifactor
PriorityWeightAge=1234
PriorityMaxAge=7-0
SchedulerParameters=bf_interval=60,bf_window=2880,nohold_on_prolog_fail
"""
PLAIN = Cluster.uniform(2, cores=4)


@pytest.fixture
def site(tmp_path):
    """A site after a change, or as it is."""

    def case(change="", conf=CONF):
        path = tmp_path / "slurm.conf"
        path.write_text(conf)
        return site_case(path, change=change_of(change) if change else None)

    return case


def base_of(case):
    return Setting(case.policy, case.discipline, interval_s=0.0)


def present(knobs):
    return {knob.name: knob.off for knob in knobs}


def test_the_present_values_are_the_queue_as_it_is(site):
    case = site()
    base = base_of(case)
    knobs = slurm_knobs(base, case.cluster)
    terms = {knob.term: knob.off for knob in knobs}
    assert terms["PriorityWeightAge"] == "1234"
    assert terms["PriorityMaxAge"] == "7-0"
    assert terms["bf_window"] == "2880"
    assert terms["bf_max_job_test"] == "500"
    assert all(knob.off in knob.words for knob in knobs)
    assert slurm_discipline(base, knobs, present(knobs)) == base.discipline
    assert slurm_conf_lines(knobs, present(knobs), case.site.scheduler.text) == ()


def test_a_candidate_is_the_site_after_the_change_that_its_lines_say(site, tmp_path):
    case = site()
    base, knobs = base_of(case), slurm_knobs(base_of(case), case.cluster)
    values = present(knobs) | {
        "slurm.PriorityWeightAge": "100000",
        "slurm.PriorityMaxAge": "14-0",
        "slurm.PriorityFavorSmall": "YES",
        "slurm.bf_window": "4320",
        "slurm.bf_max_job_user": "20",
    }
    lines = slurm_conf_lines(knobs, values, case.site.scheduler.text)
    assert lines == (
        "PriorityWeightAge=100000",
        "PriorityMaxAge=14-0",
        "PriorityFavorSmall=YES",
        "SchedulerParameters=bf_interval=60,bf_window=4320,nohold_on_prolog_fail,bf_max_job_user=20",
    )
    made = discipline_of(Setting("first-fit", slurm_discipline(base, knobs, values), interval_s=0.0))
    for changed in (site(what_if_words(knobs, values)), site("", CONF + "\n".join([*lines, ""]))):
        assert discipline_of(base_of(changed)).order == made.order
        assert discipline_of(base_of(changed)).backfilling == made.backfilling


def test_the_search_begins_with_one_parameter_changed_each(site):
    case = site()
    knobs = slurm_knobs(base_of(case), case.cluster)
    for values in one_by_one(knobs):
        assert sum(values[knob.name] != knob.off for knob in knobs) == 1
    assert len(one_by_one(knobs)) == sum(len(knob.words) - 1 for knob in knobs)


def test_weights_that_tell_no_jobs_apart_are_not_searched(site):
    case = site()
    terms = [knob.term for knob in slurm_knobs(base_of(case), case.cluster)]
    assert "PriorityWeightPartition" in terms
    assert "PriorityWeightQOS" not in terms
    rules = SiteRules(partitions=(Partition("a"), Partition("b")), qos=(Qos("low"), Qos("high", priority=9)))
    cluster = Cluster(("cores",), np.array([[4.0]]), rules=rules)
    terms = [knob.term for knob in slurm_knobs(base_of(case), cluster)]
    assert "PriorityWeightQOS" in terms
    assert "PriorityWeightPartition" not in terms


def test_without_multifactor_only_the_backfill_parameters_are_searched():
    knobs = slurm_knobs(Setting("first-fit", "fcfs+slurm"), PLAIN)
    assert {knob.term for knob in knobs} == {"bf_window", "bf_max_job_test", "bf_max_job_user", "bf_min_age_reserve"}


def test_another_queue_has_none_of_these_parameters():
    with pytest.raises(InputError, match="its own queue is known"):
        refuse_other_queues(Setting("first-fit", "fcfs+easy"))
