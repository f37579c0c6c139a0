"""Queues small enough to work out by hand, on one pool of cores: as one large host, or as so many hosts of one core."""

import numpy as np

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue.reference import replay


def starts(workload, cluster, discipline, policy="first-fit", interval_s=0.0):
    """When every job starts under a discipline, given by name or as it is, in the plain engine."""
    discipline = named(discipline) if isinstance(discipline, str) else discipline
    schedule = replay(workload, cluster, Scheduler(POLICIES[policy], discipline), interval_s=interval_s)
    assert not violations(workload, cluster, schedule)
    return schedule.start_s.tolist()


def as_one_host(processors, cores, runtime_s, estimate_s=None, submit_s=None):
    """The jobs as single tasks on one host of so many cores."""
    return _jobs(runtime_s, estimate_s, submit_s, cores=cores), Cluster.uniform(1, cores=processors)


def as_equal_hosts(processors, cores, runtime_s, estimate_s=None, submit_s=None):
    """The jobs as tasks of one core each on hosts of one core each."""
    tasks = np.array(cores, np.int32)
    workload = _jobs(runtime_s, estimate_s, submit_s, cores=[1] * len(cores), tasks=tasks)
    return workload, Cluster.uniform(processors, cores=1)


def starts_of(discipline, processors, cores, runtime_s, estimate_s=None, submit_s=None):
    """When every job starts: the same on one host as on equal hosts of one core, or this fails."""
    one, many = (
        starts(*shape(processors, cores, runtime_s, estimate_s, submit_s), discipline)
        for shape in (as_one_host, as_equal_hosts)
    )
    assert one == many
    return one


def _jobs(runtime_s, estimate_s, submit_s, **demand):
    return Workload.of(
        submit_s=submit_s or [0] * len(runtime_s),
        runtime_s=runtime_s,
        estimate_s=None if estimate_s is None else np.array(estimate_s, float),
        **demand,
    )
