"""A site's queue in our own notation."""

import dataclasses

import pytest
from sites import SMALL, site_of

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.order import Multifactor
from loadmaster.scheduling.notation import discipline_named
from loadmaster.site.discipline import _UNFELT, discipline_of_site
from loadmaster.site.rules import cluster_of
from loadmaster.site.scheduler import SchedulerParameters

MULTIFACTOR = "PriorityType=priority/multifactor\n"


@pytest.fixture
def queue(tmp_path):
    """The discipline of a configuration, and what of it is not modelled."""

    def make(text):
        written, left_out = discipline_of_site(site_of(tmp_path, SMALL + text))
        return discipline_named(written), tuple(left_out)

    return make


def test_limits_that_stop_are_of_the_sites_own_loops_and_of_no_other_queue(queue, tmp_path):
    found, left_out = queue("SchedulerParameters=assoc_limit_stop\n")
    assert found.backfilling.assoc_limit_stop
    assert "assoc_limit_stop" not in " ".join(left_out)
    site = site_of(tmp_path, SMALL + "SchedulerParameters=assoc_limit_stop\n")
    assert not cluster_of(site).cluster.rules.limits_stop


def test_defaults_are_the_same_in_a_file_that_says_nothing_and_in_the_backfilling(queue):
    usual = BACKFILLINGS["slurm"][0]()
    for field in dataclasses.fields(SchedulerParameters):
        if not field.name.startswith("preempt_") and field.name not in _UNFELT:
            assert getattr(usual, field.name) == getattr(SchedulerParameters(), field.name), field.name
    made, left_out = queue("")
    assert (made.order.name, made.backfilling, left_out) == ("fcfs", usual, ())


def test_weights_flags_and_times_reach_the_order(queue):
    made, left_out = queue(
        MULTIFACTOR + "PriorityWeightAge=7\nPriorityWeightFairshare=6\nPriorityWeightJobSize=5\n"
        "PriorityWeightPartition=4\n"
        "PriorityWeightQOS=3\nPriorityWeightAssoc=2\nPriorityWeightTRES=CPU=300,Mem=2\nPriorityMaxAge=1-0\n"
        "PriorityDecayHalfLife=0\nPriorityCalcPeriod=2\nPriorityUsageResetPeriod=WEEKLY\nFairShareDampeningFactor=5\n"
        "PriorityFavorSmall=YES\nPriorityFlags=NO_FAIR_TREE,MAX_TRES,SMALL_RELATIVE_TO_TIME,ACCRUE_ALWAYS,NO_NORMAL_QOS,"
        "NO_NORMAL_PART,INCR_ONLY,CALCULATE_RUNNING,MAX_TRES_GRES\n"
    )
    assert made.order == Multifactor(
        age=7,
        fair_share=6,
        size=5,
        partition=4,
        qos=3,
        assoc=2,
        tres=(("cores", 300.0), ("memory", 2.0)),
        max_age=86400,
        half_life=0,
        calc_period=120,
        reset="weekly",
        form="classic",
        damp=5,
        favor_small=True,
        small_relative_to_time=True,
        accrue_always=True,
        max_tres=True,
        no_normal=("qos", "part"),
    )
    assert left_out == ("PriorityFlags=INCR_ONLY", "PriorityFlags=MAX_TRES_GRES")


def test_without_weights_every_factor_counts_nothing(queue):
    order = queue(MULTIFACTOR)[0].order
    assert (order.age, order.fair_share, order.size, order.partition, order.qos, order.assoc, order.tres) == (
        0,
    ) * 6 + ((),)


def test_scheduler_parameters_reach_the_backfilling(queue):
    text = "SchedulerParameters=bf_interval=60,bf_window=2880,defer,bf_max_job_user=5,sched_interval=-1\nKillWait=9\n"
    made = queue(text + "OverTimeLimit=3\n")[0].backfilling
    assert (made.bf_interval, made.bf_window, made.defer, made.bf_max_job_user) == (60, 2880, True, 5)
    assert (made.sched_interval, made.kill_wait, made.over_time_limit) == (None, 9, 3)
    assert queue("OverTimeLimit=UNLIMITED\n")[0].backfilling.over_time_limit is None


def test_a_builtin_scheduler_never_backfills(queue):
    assert queue("SchedulerType=sched/builtin\nSchedulerParameters=bf_interval=60\n")[0].backfilling.bf_interval is None


def test_parameters_that_the_loops_do_not_have_are_said_not_to_be_modelled(queue):
    made, left_out = queue("SchedulerParameters=bf_continue,bf_max_time=20,bf_window=100\n")
    assert made.backfilling.bf_window == 100
    assert left_out == ("SchedulerParameters=bf_continue", "SchedulerParameters=bf_max_time")
