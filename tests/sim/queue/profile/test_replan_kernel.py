"""Conservative backfilling that plans anew agrees with the plain engine however little it may remember."""

from functools import partial

import numpy as np
import pytest

from loadmaster.backfilling.start_bounds_kernel import empty_bounds
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine.profile import layout


def contended(seed):
    """Jobs of one to three tasks and twelve lengths, estimated too long or too short, on four hosts of two kinds."""
    rng, jobs = np.random.default_rng(seed), 80
    runtime_s = rng.integers(1, 13, jobs) * 10.0
    workload = Workload(
        ("cores", "memory"),
        np.sort(rng.integers(0, 600, jobs)).astype(float),
        runtime_s,
        rng.integers(1, 5, (jobs, 2)).astype(float),
        tasks=rng.choice([1, 1, 1, 3], jobs).astype(np.int32),
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 2.0, 3.0], jobs),
    )
    return workload, Cluster(("cores", "memory"), np.array([[4.0, 8.0], [8.0, 4.0], [4.0, 8.0], [8.0, 8.0]]))


@pytest.mark.parametrize("bounds", [1, 2**21], ids=["one class", "classes"])
@pytest.mark.parametrize("undone", [1, 2**16], ids=["one bound a decision", "many"])
def test_a_plan_is_the_same_however_little_it_remembers(monkeypatch, bounds, undone):
    monkeypatch.setattr(layout, "empty_bounds", partial(empty_bounds, most=bounds))
    monkeypatch.setattr(layout, "MOST_UNDONE", undone)
    discipline = discipline_named("conservative(early_end=replan)")
    for seed in range(2):
        workload, cluster = contended(seed)
        given = workload, cluster, POLICIES["best-fit-cores"], discipline
        plain = simulate(*given, interval_s=0.0, engine="reference")
        quick = simulate(*given, interval_s=0.0, engine="planning")
        np.testing.assert_array_equal(quick.start_s, plain.start_s)
        np.testing.assert_array_equal(quick.host, plain.host)


def queued(seed):
    """Jobs of one task, a few of two, behind each other on three like hosts, of which most end before they should."""
    rng, jobs = np.random.default_rng(seed), 120
    runtime_s = rng.integers(1, 30, jobs) * 7.0
    workload = Workload(
        ("cores", "memory"),
        np.sort(rng.integers(0, 1500, jobs)).astype(float),
        runtime_s,
        rng.integers(1, 5, (jobs, 2)).astype(float),
        tasks=rng.choice([1, 1, 1, 1, 1, 1, 2], jobs).astype(np.int32),
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 2.0, 3.0], jobs),
    )
    return workload, Cluster(("cores", "memory"), np.full((3, 2), 8.0))


@pytest.mark.parametrize("unseen", [1, 2, 32])
@pytest.mark.parametrize("policy", ["best-fit-cores", "random", "round-robin"])
def test_what_was_promised_before_is_promised_again_where_nothing_has_changed_for_it(monkeypatch, unseen, policy):
    monkeypatch.setattr(layout, "MOST_UNSEEN", unseen)
    for seed, lookahead in enumerate(("", ",lookahead=20")):
        given = *queued(seed), POLICIES[policy], discipline_named(f"conservative(early_end=replan{lookahead})")
        plain = simulate(*given, interval_s=0.0, engine="reference")
        quick = simulate(*given, interval_s=0.0, engine="planning")
        np.testing.assert_array_equal(quick.start_s, plain.start_s)
        np.testing.assert_array_equal(quick.host, plain.host)
