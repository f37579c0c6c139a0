import numpy as np
import pytest
from bound_jobs import KINDS, bound_jobs
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.measure.losses import DEPENDS, Losses, losses
from loadmaster.model import Cluster, Constraints, Dependencies, Limits, Named, Preemption, Qos, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.scheduling.estimate_model import EstimateModel
from loadmaster.sim.queue.reference import replay


def lost(workload, cluster, **more):
    scheduler = Scheduler(POLICIES["first-fit"], discipline_named("easy"))
    return losses(workload, replay(workload, cluster, scheduler, interval_s=0.0, **more))


def preempted(mode):
    """A job of four cores is stopped after 30 s by one whose QOS may do that."""
    rules = SiteRules(qos=(Qos("low"), Qos("high", preempts=("low",))), preemption=Preemption("qos", mode))
    workload = Workload.of(
        submit_s=[0, 30], runtime_s=[100, 20], cores=[4, 2], constraints=Constraints(qos=Named.of(["low", "high"]))
    )
    return lost(workload, Cluster(("cores",), np.array([[4.0]]), rules=rules))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("requeue", Losses(lost_core_s=120.0)),
        ("cancel", Losses(stopped=1, lost_core_s=120.0)),
        ("suspend", Losses()),
    ],
)
def test_work_of_a_stopped_run_is_lost_unless_it_is_only_suspended(mode, expected):
    assert preempted(mode) == expected


def test_jobs_that_can_never_run_are_counted_by_reason_and_refused_ones_apart():
    bound = Constraints(
        hold=[1, 0, 0, 0, 0],
        status=[0, 1, 0, 0, 0],
        depends=Dependencies.of(["", "", "afterok:1", "", ""]),
        qos=Named.of([None, None, None, "small", "small"]),
    )
    workload = Workload.of(
        submit_s=[0, 0, 0, 5, 5], runtime_s=[9] * 5, cores=[1] * 5, user=[0] * 5, job_id=range(5), constraints=bound
    )
    rules = SiteRules(qos=(Qos("small", limits=Limits(max_submit_pu=1)),))
    found = lost(workload, Cluster(("cores",), np.array([[4.0]]), rules=rules))
    assert found == Losses(refused=1, never_run={"held": 1, DEPENDS: 1})


def test_killed_jobs_are_counted_and_nothing_is_lost():
    workload = Workload.of(submit_s=[0, 0], runtime_s=[9, 99], cores=[1, 1], estimate_s=np.array([10.0, 10.0]))
    assert lost(workload, Cluster.uniform(1, cores=2), estimate_model=EstimateModel(overrun="kill")) == Losses(killed=1)


@given(seed=st.integers(0, 10**6))
def test_no_more_jobs_are_said_not_to_run_than_did_not(seed):
    workload, cluster = bound_jobs(seed, *KINDS)
    scheduler = Scheduler(POLICIES["first-fit"], discipline_named("easy"))
    schedule = replay(workload, cluster, scheduler, interval_s=0.0)
    found = losses(workload, schedule)
    assert sum(found.never_run.values()) + found.refused <= int((~schedule.started).sum())
    assert found.lost_core_s >= 0.0
