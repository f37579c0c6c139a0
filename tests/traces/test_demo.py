"""The bundled demo."""

import numpy as np

from loadmaster.traces import demo, fit_to


def test_the_demo_is_small_synthetic_loaded_and_the_same_each_time():
    trace, again = demo(), demo()
    work = trace.workload
    assert np.array_equal(work.submit_s, again.workload.submit_s)
    assert np.array_equal(work.demand, again.workload.demand)
    assert (20_000 <= work.jobs <= 30_000, 100 <= trace.cluster.hosts <= 200) == (True, True)
    assert work.synthetic
    assert 0.8 < work.offered_load(trace.cluster) < 0.9
    assert fit_to(work, trace.cluster)[1].total == 0
