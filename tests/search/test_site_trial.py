"""A trial of a fit: what it measures, what it is kept under."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.measure.goodness_of_fit import Weekly, weekly
from loadmaster.model import Cluster, Workload
from loadmaster.results.study import run_study
from loadmaster.results.threads import Threads
from loadmaster.runs import Case, discipline_of, policy_of
from loadmaster.runs.launch import held_longer
from loadmaster.search.site_trial import cell_of, from_bytes, to_bytes, trial_of, trials_on
from loadmaster.sim.queue import simulate
from loadmaster.site.fitted_queue import SiteQueue


def jobs_at_random(seed: int) -> Workload:
    rng = np.random.default_rng(seed)
    count = 60
    return Workload.of(
        submit_s=np.sort(rng.integers(0, 500, count)),
        runtime_s=rng.integers(1, 90, count),
        cores=[1] * count,
        memory=rng.integers(1, 4, count) * 2.0**30,
        tasks=rng.integers(1, 6, count),
        estimate_s=rng.integers(50, 200, count),
        recorded_wait_s=np.zeros(count),
    )


BY_TASKS = "def fewest_tasks(job, now):\n    return job.tasks * 1000.0 + job.memory / 2**30\n"


@pytest.mark.parametrize("queue", [SiteQueue("smallest+easy", 30.0, 7.0), SiteQueue("own.py:fewest_tasks+easy")])
def test_a_trial_waits_as_a_run_on_the_hosts_themselves(
    queue: SiteQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(BY_TASKS)
    case = Case(jobs_at_random(2), Cluster.uniform(7, cores=1, memory=4 * 2**30))
    trial = trial_of("first-fit", queue)
    work = trials_on(case)
    (found,) = run_study(work, [cell_of(work, trial)], None, Threads(1))
    ran = simulate(
        held_longer(case.workload, queue.launch_s),
        case.cluster,
        policy_of(trial.setting, trial.sources),
        discipline_of(trial.setting, trial.sources),
        interval_s=queue.interval_s,
    )
    expected = weekly(case.workload, ran.start_s - case.workload.submit_s)
    assert found.mean_wait_s.tolist() == expected.mean_wait_s.tolist()
    assert found.mean_wait_s[0] > 0


def test_a_longer_launch_is_another_trial() -> None:
    work = trials_on(Case(jobs_at_random(1), Cluster.uniform(7, cores=1, memory=4 * 2**30)))
    keys = {cell_of(work, trial_of("first-fit", SiteQueue(launch_s=s))).key for s in (0.0, 30.0)}
    assert len(keys) == 2


def test_a_trial_is_read_as_it_was_written() -> None:
    found = Weekly(np.array([1.0, np.nan]), np.array([3.0, 0.0]), np.array([0.0, 2.0]))
    again = from_bytes(to_bytes(found))
    np.testing.assert_array_equal(again.mean_wait_s, found.mean_wait_s)
    assert again.queue.tolist() == [0.0, 2.0]
