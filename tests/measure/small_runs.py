"""Small random workloads with their schedules, for the tests of this room."""

import numpy as np
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate


@st.composite
def runs(draw, on_cards=False):
    """A workload, a cluster and the schedule of a small drained run; beside cores there is memory, or GPUs as cards."""
    jobs = draw(st.integers(1, 25))
    whole = st.integers(0, 200)
    submit = np.sort(draw(st.lists(whole, min_size=jobs, max_size=jobs))).astype(float)
    runtime = draw(st.lists(st.integers(1, 120), min_size=jobs, max_size=jobs))
    cores = draw(st.lists(st.integers(1, 3), min_size=jobs, max_size=jobs))
    amounts = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 2.0]) if on_cards else st.integers(0, 8)
    second = "gpus" if on_cards else "memory"
    requested = draw(st.lists(amounts, min_size=jobs, max_size=jobs))
    tasks = draw(st.one_of(st.none(), st.lists(st.integers(1, 2), min_size=jobs, max_size=jobs)))
    extra = {} if tasks is None else {"tasks": tasks}
    workload = Workload.of(submit_s=submit, runtime_s=runtime, cores=cores, **{second: requested}, **extra)
    cluster = Cluster.uniform(draw(st.integers(2, 4)), cores=4, **{second: 3 if on_cards else 8})
    interval = draw(st.sampled_from([0.0, 7.0, 30.0]))
    policy = POLICIES[
        draw(st.sampled_from(["first-fit", "worse-fit-cores" if on_cards else "worse-fit-memory", "mix-fit"]))
    ]
    schedule = simulate(workload, cluster, policy, named("netbatch"), interval_s=interval, engine="reference")
    return workload, cluster, schedule
