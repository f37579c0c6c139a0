"""A trial on a pool gives what it gives on the hosts themselves."""

import numpy as np
import pytest

from loadmaster.kept.study import run_study
from loadmaster.kept.threads import Threads
from loadmaster.measure.likeness import Weekly
from loadmaster.model import Cluster, Workload
from loadmaster.runs import Case
from loadmaster.search.site_trial import as_pool, cell_of, from_bytes, to_bytes, trial_of, trials_on
from loadmaster.site.fitted import SiteQueue


def jobs_at_random(seed: int) -> Workload:
    rng = np.random.default_rng(seed)
    count = 60
    return Workload.of(
        submit_s=np.sort(rng.integers(0, 500, count)), runtime_s=rng.integers(1, 90, count), cores=[1] * count,
        tasks=rng.integers(1, 6, count), estimate_s=rng.integers(50, 200, count), recorded_wait_s=np.zeros(count),
    )  # fmt: skip


@pytest.mark.parametrize("queue", [SiteQueue(), SiteQueue("fcfs+none", 30.0, 7.0), SiteQueue("sjf+easy", 0.0, 7.0)])
def test_one_pool_waits_as_its_hosts_do(queue: SiteQueue) -> None:
    for seed in range(3):
        case = Case(jobs_at_random(seed), Cluster.uniform(7, cores=1))
        found = []
        for each in (case, as_pool(case)):
            work = trials_on(each)
            found += run_study(work, [cell_of(work, trial_of("first-fit", queue))], None, Threads(1))
        assert as_pool(case).cluster.hosts == 1
        assert found[0].mean_wait_s.tolist() == found[1].mean_wait_s.tolist()
        assert found[0].mean_wait_s[0] > 0


def test_hosts_that_differ_stay_as_they_are() -> None:
    case = Case(jobs_at_random(1), Cluster(("cores",), np.array([[2.0], [5.0]])))
    assert as_pool(case) is case


def test_a_longer_launch_is_another_trial() -> None:
    work = trials_on(Case(jobs_at_random(1), Cluster.uniform(7, cores=1)))
    keys = {cell_of(work, trial_of("first-fit", SiteQueue(launch_s=s))).key for s in (0.0, 30.0)}
    assert len(keys) == 2


def test_a_trial_is_read_as_it_was_written() -> None:
    found = Weekly(np.array([1.0, np.nan]), np.array([3.0, 0.0]), np.array([0.0, 2.0]))
    again = from_bytes(to_bytes(found))
    np.testing.assert_array_equal(again.mean_wait_s, found.mean_wait_s)
    assert again.queue.tolist() == [0.0, 2.0]
