"""Snapshots written down by hand, so that a test reads like the worked example it is."""

import numpy as np

from loadmaster.model import Cluster
from loadmaster.model.snapshot import Queue, Running, Snapshot


def snapshot(capacity, free, jobs, *, tasks=None, projects=None, running=()):
    """Hosts as rows of (cores, memory), jobs in the order of arrival; `running` holds (project, cores) of host 0."""
    many = len(jobs)
    queue = Queue(
        np.arange(many),
        np.array(jobs, float),
        np.array(tasks or [1] * many, np.int32),
        np.full(many, 60.0),
        np.array(projects or [0] * many, np.int32),
        np.concatenate(([0], np.cumsum(tasks or [1] * many)[:-1])),
    )
    held = Running(
        np.arange(many, many + len(running)),
        np.zeros(len(running), np.int32),
        np.array([(cores, 0.0) for _, cores in running]).reshape(-1, 2),
        np.full(len(running), 1e6),
        np.array([project for project, _ in running], np.int32),
    )
    cluster = Cluster(("cores", "memory"), np.array(capacity, float))
    return Snapshot(0.0, cluster, np.array(free, float), queue, held)


def placed(decision):
    """(job, host) in the order of the starts; a job of several tasks has a tuple of hosts."""
    return [(p.job, p.hosts[0] if len(p.hosts) == 1 else p.hosts) for p in decision.place]
