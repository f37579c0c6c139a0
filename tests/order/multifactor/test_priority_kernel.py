"""Compiled priorities are those of plain Python to the bit, whatever happens on the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.model.constraints import Constraints
from loadmaster.model.dependencies import Dependencies
from loadmaster.model.site_rules import Account, SiteRules
from loadmaster.order import Multifactor
from loadmaster.order.multifactor import priority_kernel
from loadmaster.order.order import tick_until

RULES = SiteRules(
    accounts=(
        Account("a", shares=5), Account("b", shares=3), Account("c", "", "a", None), Account("d", "", "a", 2),
        Account("a", "u0", shares=2), Account("b", "u1"), Account("b", "u2", shares=0), Account("c", "u3"),
        Account("c", "u4", shares=7), Account("d", "u5", shares=None), Account("d", "u0"),
    )
)  # fmt: skip
KINDS = st.builds(
    Multifactor,
    half_life=st.sampled_from([0.0, 100.0, 5000.0]),
    form=st.sampled_from(["tree", "classic"]),
    tied_accounts=st.sampled_from(["merged", "listed"]),
    decay=st.sampled_from(["slurm", "exact"]),
    recalc=st.sampled_from(["tick", "pass"]),
    max_age=st.sampled_from([0.0, 700.0]),
    damp=st.sampled_from([1.0, 3.5]),
    reset=st.sampled_from(["none", "daily"]),
    accrue_always=st.booleans(),
    age=st.sampled_from([1000.0, 3e9]),
)


def log(jobs, rng):
    """Jobs of six users in four accounts, some of which wait for another."""
    waits = ["" if job == 0 or rng.random() < 0.7 else f"afterany:{job - 1}" for job in range(jobs)]
    return Workload.of(
        submit_s=np.sort(rng.uniform(0, 2000, jobs)),
        runtime_s=np.full(jobs, 60.0),
        cores=rng.integers(1, 9, jobs),
        user=rng.integers(0, 6, jobs).astype(np.int32),
        project=rng.integers(0, 4, jobs).astype(np.int32),
        constraints=Constraints(
            depends=Dependencies.of(waits), user_names=tuple(f"u{n}" for n in range(6)), account_names=tuple("abcd")
        ),
    )


@settings(deadline=None)
@given(KINDS, st.booleans(), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_ranks_are_the_same_to_the_bit(order, with_accounts, jobs, seed):
    rng = np.random.default_rng(seed)
    workload, cluster = log(jobs, rng), Cluster(("cores",), np.array([[8.0]]), rules=RULES if with_accounts else None)
    plain, fast = order.begin(workload, cluster), order.begin(workload, cluster).state
    now_s, runs = 0.0, set()
    for _ in range(40):
        now_s += float(rng.choice([0.0, 1.0, rng.uniform(0, 900), 9e4], p=[0.2, 0.2, 0.57, 0.03]))
        what, job = rng.integers(0, 4), int(rng.integers(0, jobs))
        if what == 0:
            plain.tick(now_s)
            priority_kernel.tick(fast, now_s)
        elif what == 1:
            plain.submitted(job, now_s)
            priority_kernel.submitted(fast, job, now_s)
        else:
            happens = "ended" if job in runs else "started"
            getattr(plain, happens)(job, now_s)
            getattr(priority_kernel, happens)(fast, job, now_s)
            runs ^= {job}
        some = rng.permutation(jobs)[: rng.integers(1, jobs + 1)]
        out = np.zeros(len(some))
        priority_kernel.rank(fast, some.astype(np.int32), len(some), now_s, out)
        assert plain.ranks(some, now_s).tolist() == out.tolist()
        assert plain.state.ledger.usage.tolist() == fast.ledger.usage.tolist()


def test_an_empty_list_stands_for_all_jobs():
    workload = log(5, np.random.default_rng(1))
    ranking = Multifactor().begin(workload, Cluster.uniform(1, cores=8))
    ranking.started(0, 0.0)
    ranking.tick(300.0)
    out = np.zeros(5)
    priority_kernel.rank(ranking.state, np.zeros(0, np.int32), 5, 300.0, out)
    assert out == pytest.approx(ranking.ranks(np.arange(5), 300.0), abs=0)


@settings(deadline=None)
@given(KINDS, st.integers(0, 2**32 - 1), st.sampled_from([60.0, 300.0]))
def test_ticks_that_change_nothing_are_passed_over_and_nothing_else_is(order, seed, period_s):
    """Beside one tick after another; what is asked between jobs that come years apart is the same."""
    rng = np.random.default_rng(seed)
    workload, cluster = log(6, rng), Cluster(("cores",), np.array([[8.0]]))
    every, some = order.begin(workload, cluster), order.begin(workload, cluster)
    fast = order.begin(workload, cluster).state
    every.period_s = some.period_s = period_s
    time_s, fast_s, ticked_s, out = np.array([0.0, period_s]), np.array([0.0, period_s]), 0.0, np.empty(6)
    for job in range(6):
        start_s = period_s * float(rng.integers(1, 4000)) + float(rng.choice([0.0, 7.0])) + time_s[0]
        for happens, now_s in (("started", start_s), ("ended", start_s + float(rng.choice([5.0, period_s, 1000.0])))):
            while time_s[0] + period_s <= now_s:
                time_s[0] += period_s
                every.tick(time_s[0])
            ticked_s = tick_until(some, ticked_s, now_s)
            priority_kernel.tick_until(fast, fast_s, now_s)
            assert ticked_s == fast_s[0] == time_s[0]
            getattr(every, happens)(job, now_s)
            getattr(some, happens)(job, now_s)
            getattr(priority_kernel, happens)(fast, job, now_s)
            jobs = np.arange(6)
            priority_kernel.rank(fast, jobs, 6, now_s, out)
            assert every.ranks(jobs, now_s).tolist() == some.ranks(jobs, now_s).tolist() == out.tolist()
            assert every.state.ledger.usage.tolist() == some.state.ledger.usage.tolist() == fast.ledger.usage.tolist()


def test_ninety_years_of_silence_are_not_ticked_through(monkeypatch):
    ranking = Multifactor().begin(log(2, np.random.default_rng(0)), Cluster(("cores",), np.array([[8.0]])))
    ranking.period_s, ticks = 300.0, []
    monkeypatch.setattr(
        type(ranking), "tick", lambda self, now_s, tick=type(ranking).tick: (ticks.append(now_s), tick(self, now_s))
    )
    ranking.started(0, 0.0)
    ranking.ended(0, 1000.0)
    assert tick_until(ranking, 0.0, 91 * 365 * 86400.0) == ticks[-1] == 91 * 365 * 86400.0
    assert len(ticks) < 200_000
