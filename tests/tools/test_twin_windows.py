"""The second program of the twin starts every job when the product does, and margins are told as they are."""

from pathlib import Path

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.scheduling.twin import USUAL_MEMBERS
from loadmaster.sim.queue.simulation import simulate

ROOT = Path(__file__).parents[2]
CORES = 20


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "twin_windows"))
    import pool
    import windows

    return pool, windows


def log(seed, many=150):
    """Jobs that overload the pool for some hours, one in five of which outlives its estimate; with lulls."""
    rng = np.random.default_rng(seed)
    estimate_s = rng.choice([60.0, 600.0, 3600.0, 7200.0], many)
    burst_s = np.repeat([0.0, 60_000.0, 61_000.0], many // 3)
    return Workload(
        ("cores",),
        np.sort(burst_s + rng.uniform(0, 9_000.0, many)).round(),
        np.ceil(estimate_s * rng.uniform(0.1, 1.2, many)),
        rng.integers(1, 16, (many, 1)).astype(float),
        estimate_s=estimate_s,
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_second_program_starts_every_job_when_the_product_does(tool, seed):
    pool, _ = tool
    assert tuple(pool.MEMBERS) == USUAL_MEMBERS
    work = log(seed)
    jobs = pool.Jobs(work.submit_s, work.runtime_s, np.array(work.expected_s), work.demand[:, 0].copy())
    usual = tuple(pool.MEMBERS.values())
    rules = {name: ((member,), pool.Looks()) for name, member in pool.MEMBERS.items()}
    rules |= {"twin": (usual, pool.Looks()), "twin(every_s=3600,handicap=0)": (usual, pool.Looks(3600.0, 0.0))}
    for name, (members, looks) in rules.items():
        schedule = simulate(
            work,
            Cluster(("cores",), np.array([[float(CORES)]])),
            POLICIES["first-fit"],
            discipline_named(name),
            interval_s=0.0,
        )
        np.testing.assert_array_equal(pool.replay(jobs, CORES, members, looks), schedule.start_s)


def test_an_echo_of_nothing_changes_nothing_and_one_of_a_burst_is_another_twin(tool):
    pool, _ = tool
    work = log(1)
    jobs = pool.Jobs(work.submit_s, work.runtime_s, work.expected_s, work.demand[:, 0])
    usual = tuple(pool.MEMBERS.values())
    silent, echoed = (pool.replay(jobs, CORES, usual, pool.Looks(echo_s=echo_s)) for echo_s in (1e-9, 7200.0))
    np.testing.assert_array_equal(silent, pool.replay(jobs, CORES, usual))
    assert (echoed != silent).any()
    assert (echoed >= work.submit_s).all()


def test_a_margin_is_the_mean_over_versions_against_the_member_that_is_best_on_their_mean(tool):
    _, windows = tool
    waits_s = np.array([[100.0, 90.0, 103.0], [100.0, 130.0, 99.0]])
    window = windows.margin_of(np.stack((waits_s, 10 * waits_s), axis=2), ("a", "b", "twin"))
    assert window.best == "a"
    assert window.mean == pytest.approx(np.log(1.03 * 0.99) / 2)
    assert (window.margin, window.worst) == ("+1.0 % ± 2.0", "+3.0 %")
    assert window.longest_s == (1030.0, 1300.0)


def test_the_totals_tell_windows_whose_mean_holds_from_runs_that_do_not(tool):
    _, windows = tool
    made = [windows.Window(np.ones(2), "a", np.log(ratio), (1.0, 1.0)) for ratio in ([1.10, 0.90], [0.98, 0.99])]
    made.append(windows.Window(np.ones(2), "a", np.log([1.05, 1.04]), (1.0, 1.0)))
    told = windows.totals(made)
    assert "on the mean of 2 of 3 windows, below it on 2;" in told
    assert "In every run of 1 windows; 3 of 6 runs are more than 3 % above it." in told


def test_a_log_whose_jobs_run_out_of_something_else_is_refused(tool):
    _, windows = tool
    work = Workload(("cores", "memory"), np.zeros(1), np.ones(1), np.array([[1.0, 2.0]]))
    with pytest.raises(SystemExit, match="something else than processors"):
        windows.LOGS[0].cores_of(work, Cluster(("cores", "memory"), np.array([[10.0, 19.0]])))
    assert windows.LOGS[0].cores_of(work, Cluster(("cores", "memory"), np.array([[10.0, 20.0]]))).tolist() == [1.0]
